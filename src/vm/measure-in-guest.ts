// Every bench of a plan, base and head, in one guest under icount; and every program of the built objects verified.

import { countEmpties } from '../bench/empties.ts';
import { type Builds, type RevisionName, revisionNames } from '../build/build.ts';
import { guestEnvironment } from '../build/environment.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
import type { Plan } from '../plan/plan.ts';
import { version } from '../version.ts';
import type { Agent } from './agent.ts';
import { findFinished, keepFinished } from './finished-kernel.ts';
import { checkConfig, defaultMemoryMiB, type GuestContext, type Host, icount, prepareHost, runnerOf } from './guest.ts';
import type { BenchRecord, GuestProfile, GuestRun, Machine, ProgramRecord, RunName } from './guest-run.ts';
import { type Initramfs, makeInitramfs } from './initramfs.ts';
import { dropKeptBase, findKeptBase, type KeptBase, keepAsBase, keptKey } from './kept-base.ts';
import { machineArguments } from './machine.ts';
import { runPlan } from './run-plan.ts';

export interface MeasureRequest {
  readonly kernel: CachedKernel;
  readonly plan: Plan;
  readonly builds: Builds;
  readonly timeoutMs: number;
}

export interface Measured {
  /** Of what is kept until the whole run has ended; undefined where nothing is. */
  readonly finishedKey?: string;
  readonly run: GuestRun;
  readonly profiles: readonly GuestProfile[];
  readonly agent: Agent;
}

/**
 * Boots a kernel under icount and takes every reading of the plan's benches, base and head in the same boot, has every
 * program of the objects verified, and takes the profiles that benches ask for.
 *
 * What base counted is kept, and where the same is to be counted again only head is run. The empty programs are counted
 * in each boot: should they ever cost other than they did, what is kept is not believed, and all is measured.
 *
 * The whole is kept as well, until the caller drops it (`dropFinished`): where an earlier run of the same was cut short, it
 * is taken up and nothing is booted.
 *
 * @throws VmError when the guest failed or its time was up
 */
export async function measureInGuest(request: MeasureRequest, context: GuestContext): Promise<Measured> {
  const { kernel } = request;
  await checkConfig(kernel, { measured: true });
  const host = await prepareHost(context);
  const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
  const guest = { host, initramfs };
  const { keepBase: isKept = true } = context;
  if (!isKept) return measureRevisions(request, guest, revisionNames, context);

  const finishedKey = await keptKey(['finished', version, shapingOf(request, guest, revisionNames, context)]);
  const finished = await findFinished(context.cache, finishedKey);
  if (finished !== undefined) {
    const { at, run, profiles } = finished;
    const when = at.toISOString().replace(/\.\d+Z$/, 'Z');
    context.log.progress(`${kernel.pin.id}: taken up from a run that did not end, which measured it at ${when}`);
    return { run, profiles, agent: host.agent, finishedKey };
  }
  const key = await keptKey(shapingOf(request, guest, ['base'], context));
  const measured = await measureAgainstKept(key, request, guest, context);
  if (!measured.run.keptBase) await keepAsBase(context.cache, key, 'base', measured.run, measured.profiles);
  if (context.keepHead === true) {
    const headKey = await keptKey(
      shapingOf({ ...request, builds: withHeadAsBase(request.builds) }, guest, ['base'], context),
    );
    await keepAsBase(context.cache, headKey, 'head', measured.run, measured.profiles);
  }
  // Last, so that a run which takes it up has nothing else to do for this kernel.
  await keepFinished(context.cache, finishedKey, measured.run, measured.profiles);
  return { ...measured, finishedKey };
}

/** Only head where an equal base was counted in an equal guest, else both. */
async function measureAgainstKept(
  key: string,
  request: MeasureRequest,
  guest: Guest,
  context: GuestContext,
): Promise<Measured> {
  const kept = await findKeptBase(context.cache, key);
  if (kept !== undefined) {
    const measured = await measureRevisions(request, guest, ['head'], context);
    const joined = joinKept(measured, kept);
    if (joined !== undefined) return joined;
    context.log.warn(
      `${request.kernel.pin.id}: this boot is not like the one in which base was measured; measuring both`,
    );
    await dropKeptBase(context.cache, key);
  }
  return await measureRevisions(request, guest, revisionNames, context);
}

/** As head will be built where others are compared with it. */
function withHeadAsBase({ head, objects, ...builds }: Builds): Builds {
  const own = objects.filter(({ revision }) => revision === 'head');
  return { ...builds, head, base: head, objects: own.map((object) => ({ ...object, revision: 'base' })) };
}

/** What every boot of a request has in common. */
interface Guest {
  readonly host: Host;
  readonly initramfs: Initramfs;
}

/** Everything that shapes what revisions count. */
function shapingOf(
  { kernel, plan, builds }: MeasureRequest,
  { host, initramfs }: Guest,
  revisions: readonly RevisionName[],
  context: GuestContext,
) {
  return {
    kernel: kernel.imageSha256,
    machine: machineArguments(icount.accelerator),
    runner: runnerOf(context),
    versions: host.versions,
    memoryMiB: defaultMemoryMiB,
    initramfs: initramfs.sha256,
    agent: host.agent.version,
    // A kept build's folder is named after all that went into it.
    build: revisions.map((revision) => builds[revision].dir),
    plan: agentPlan(plan, builds, revisions, context),
    objects: builds.objects.filter(({ revision }) => revisions.includes(revision)),
  };
}

/** Undefined when the two boots are not alike: another machine, or empty programs that cost something else. */
function joinKept({ run, ...measured }: Measured, kept: KeptBase): Measured | undefined {
  const { machine, calibrations, profiles, ...base } = kept;
  const alike = (own: Machine) => JSON.stringify({ ...own, startedFrom: null, acceleratorReason: null });
  if (alike(machine) !== alike(run.machine)) return undefined;
  // Not reading by reading: a timer tick in one of them is no difference.
  if (JSON.stringify([...countEmpties({ calibrations })]) !== JSON.stringify([...countEmpties(run)])) return undefined;
  return {
    ...measured,
    run: {
      ...run,
      keptBase: true,
      benches: [...base.benches, ...run.benches],
      programs: [...base.programs, ...run.programs],
      objects: [...base.objects, ...run.objects],
      loads: [...base.loads, ...run.loads],
      warnings: [...base.warnings, ...run.warnings],
    },
    profiles: [...profiles, ...measured.profiles],
  };
}

/** `plan.json`. */
function agentPlan(plan: Plan, builds: Builds, revisions: readonly RevisionName[], context: GuestContext) {
  return {
    mode: 'measure' as const,
    env: guestEnvironment(context.environment),
    work_dir: builds.workDir,
    project: builds.projectPath,
    revisions: revisions.map((name) => ({ name, dir: builds[name].dir })),
    objects: plan.lanes.includes('verifier')
      ? builds.objects
          .filter(({ revision }) => revisions.includes(revision))
          .map(({ name, revision, path }) => ({ name, revision, path }))
      : [],
    benches: plan.benches.map(({ name, guestCommand, observe, profileCommand, readingsWithoutPrograms }) => ({
      name,
      command: guestCommand,
      observe,
      profile: profileCommand,
      min_unobserved: readingsWithoutPrograms,
    })),
    readings: { min: 2, max: 10 },
  };
}

async function measureRevisions(
  { kernel, plan, builds, timeoutMs }: MeasureRequest,
  { host, initramfs }: Guest,
  revisions: readonly RevisionName[],
  context: GuestContext,
): Promise<Measured> {
  const kept = revisions.includes('base') ? '' : '; base is as measured before';
  context.log.progress(`${kernel.pin.id}: booting ${kernel.uname} under TCG with icount${kept}`);
  const { accelerator, reason: acceleratorReason } = icount;
  const own = agentPlan(plan, builds, revisions, context);
  const trees = revisions.map((revision) => builds[revision].dir);
  const {
    profiles,
    machine,
    controls: _,
    ...output
  } = await runPlan(
    { kernel, initramfs, accelerator, acceleratorReason, agentPlan: own, trees, timeoutMs },
    host,
    context,
  );
  const benches = output.benches.filter(isOfRevision);
  const programs = output.programs.filter(isOfRevision);
  return {
    run: { kernel: kernel.pin.id, machine, keptBase: false, resumed: false, ...output, benches, programs },
    profiles,
    agent: host.agent,
  };
}

function isOfRevision<Record extends BenchRecord<RunName> | ProgramRecord<RunName>>(
  record: Record,
): record is Record & { readonly revision: RevisionName } {
  return record.revision !== 'control';
}

// Every bench of a plan, base and head, each in a guest of its own under icount; and every program of the built objects
// verified.

import { setMaxListeners } from 'node:events';
import { countEmpties } from '../bench/empties.ts';
import { type Builds, type RevisionName, revisionNames } from '../build/build.ts';
import { guestEnvironment } from '../build/environment.ts';
import { VmError } from '../errors.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
import type { Plan } from '../plan/plan.ts';
import { version } from '../version.ts';
import type { Agent } from './agent.ts';
import { findFinished, keepFinished } from './finished-kernel.ts';
import { checkConfig, defaultMemoryMiB, type GuestContext, type Host, icount, prepareHost, runnerOf } from './guest.ts';
import { commandsOf, profilesOf } from './guest-commands.ts';
import type { GuestProfile, GuestRun, Machine, RunName } from './guest-run.ts';
import { type Initramfs, makeInitramfs } from './initramfs.ts';
import { asKept, dropKeptBase, findKeptBase, type KeptBase, keepAsBase, keptKey } from './kept-base.ts';
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
 * Boots a kernel under icount for base and for head, takes every reading of the plan's benches, has every program of the
 * objects verified, and takes the profiles that benches ask for. Neither revision can touch what the other counts, nor
 * what is kept of it: their guests have nothing in common but files that no guest can write.
 *
 * What base counted is kept, and where the same is to be counted again only head is run. The empty programs are counted
 * in each boot: should they ever cost other than they did, what is kept is not believed, and base is measured again.
 *
 * The whole is kept as well, until the caller drops it (`dropFinished`): where an earlier run of the same was cut short, it
 * is taken up and nothing is booted.
 *
 * @throws VmError when a guest failed or its time was up, or two boots do not count alike
 */
export async function measureInGuest(request: MeasureRequest, context: GuestContext): Promise<Measured> {
  const { kernel } = request;
  await checkConfig(kernel, { measured: true });
  const host = await prepareHost(context);
  const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
  const guest = { host, initramfs };
  const { keepBase: isKept = true } = context;
  if (!isKept) return requireAlike(await measureBoth(request, guest, context), kernel);

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
  // Last, so that a run which takes it up has nothing else to do for this kernel.
  await keepFinished(context.cache, finishedKey, measured.run, measured.profiles);
  return { ...measured, finishedKey };
}

/** Only head where an equal base was counted in an equal guest, else both. What was counted is kept. */
async function measureAgainstKept(
  key: string,
  request: MeasureRequest,
  guest: Guest,
  context: GuestContext,
): Promise<Measured> {
  const { kernel } = request;
  const keepHead = async (head: Measured) => {
    if (context.keepHead !== true) return;
    const asBase = { ...request, builds: withHeadAsBase(request.builds) };
    await keepAsBase(context.cache, await keptKey(shapingOf(asBase, guest, ['base'], context)), 'head', head);
  };
  const kept = await findKeptBase(context.cache, key);
  if (kept === undefined) {
    const both = await measureBoth(request, guest, context);
    await keepAsBase(context.cache, key, 'base', both.base);
    await keepHead(both.head);
    return requireAlike(both, kernel);
  }
  const head = await measureRevision(request, guest, 'head', context);
  await keepHead(head);
  const joined = joinRevisions(kept, head);
  if (joined !== undefined) return { ...joined, run: { ...joined.run, keptBase: true } };
  context.log.warn(`${kernel.pin.id}: this boot is not like the one in which base was measured; measuring base again`);
  await dropKeptBase(context.cache, key);
  const base = await measureRevision(request, guest, 'base', context);
  await keepAsBase(context.cache, key, 'base', base);
  return requireAlike({ base, head }, kernel);
}

interface Both {
  readonly base: Measured;
  readonly head: Measured;
}

/** Side by side, as far as there are processors. One that fails ends the other. */
async function measureBoth(request: MeasureRequest, guest: Guest, context: GuestContext): Promise<Both> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(context.signal === undefined ? [] : [context.signal])]);
  setMaxListeners(0, signal);
  let failure: { readonly error: unknown } | undefined;
  const measureOne = async (revision: RevisionName) => {
    try {
      return await measureRevision(request, guest, revision, { ...context, signal });
    } catch (error) {
      failure ??= { error };
      stop.abort(error);
      return undefined;
    }
  };
  const [base, head] = await Promise.all([measureOne('base'), measureOne('head')]);
  if (base === undefined || head === undefined) throw failure?.error;
  return { base, head };
}

/** @throws VmError when the two were not measured in boots that are alike */
function requireAlike({ base, head }: Both, kernel: CachedKernel): Measured {
  const joined = joinRevisions(asKept(base, 'base'), head);
  if (joined !== undefined) return joined;
  throw new VmError(
    `two boots of kernel ${kernel.pin.id} are not alike: empty programs cost more in one than in the other`,
    {
      hint: 'run it again with --no-snapshot, and report this with the results of `bpfgate doctor`',
    },
  );
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
function joinRevisions(base: KeptBase, { run, ...head }: Measured): Measured | undefined {
  const alike = (own: Machine) => JSON.stringify({ ...own, startedFrom: null, acceleratorReason: null });
  if (alike(base.machine) !== alike(run.machine)) return undefined;
  // Not reading by reading: a timer tick in one of them is no difference.
  if (JSON.stringify([...countEmpties(base)]) !== JSON.stringify([...countEmpties(run)])) return undefined;
  return {
    ...head,
    run: {
      ...run,
      isProven: base.isProven && run.isProven,
      benches: [...base.benches, ...run.benches],
      programs: [...base.programs, ...run.programs],
      objects: [...base.objects, ...run.objects],
      loads: [...base.loads, ...run.loads],
      warnings: [...new Set([...base.warnings, ...run.warnings])],
    },
    profiles: [...base.profiles, ...head.profiles],
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
    benches: plan.benches.map((bench) => {
      const { name, guestCommand, observe, readingsWithoutPrograms } = bench;
      return {
        name,
        commands: commandsOf(bench, guestCommand, builds, revisions),
        observe,
        profiles: profilesOf(bench, builds, revisions),
        min_unobserved: readingsWithoutPrograms,
      };
    }),
    readings: { min: 2, max: 10 },
  };
}

async function measureRevision(
  request: MeasureRequest,
  guest: Guest,
  revision: RevisionName,
  context: GuestContext,
): Promise<Measured> {
  const { guests = (work) => work() } = context;
  return await guests(() => measureAlone(request, guest, revision, context));
}

async function measureAlone(
  { kernel, plan, builds, timeoutMs }: MeasureRequest,
  { host, initramfs }: Guest,
  revision: RevisionName,
  context: GuestContext,
): Promise<Measured> {
  context.signal?.throwIfAborted();
  context.log.progress(`${kernel.pin.id}: booting ${kernel.uname} under TCG with icount, for ${revision}`);
  const { accelerator, reason: acceleratorReason } = icount;
  const trees = [builds[revision].dir];
  const {
    profiles,
    machine,
    controls: _,
    ...output
  } = await runPlan(
    {
      kernel,
      initramfs,
      accelerator,
      acceleratorReason,
      agentPlan: agentPlan(plan, builds, [revision], context),
      trees,
      timeoutMs,
    },
    host,
    context,
  );
  // A guest has no say in what the other revision counts.
  const own = <Item extends { readonly revision: RunName }>(items: readonly Item[]) =>
    items.filter((item): item is Item & { readonly revision: RevisionName } => item.revision === revision);
  return {
    run: {
      ...{ kernel: kernel.pin.id, machine, keptBase: false, resumed: false },
      ...output,
      benches: own(output.benches),
      programs: own(output.programs),
      objects: own(output.objects),
      loads: own(output.loads),
    },
    profiles: own(profiles),
    agent: host.agent,
  };
}

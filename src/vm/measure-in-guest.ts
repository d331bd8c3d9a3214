// Every bench of a plan, base and head, each in a guest of its own under icount; and every program of the built objects
// verified.

import { setMaxListeners } from 'node:events';
import { part } from '../adapters/schedule.ts';
import { countEmpties } from '../bench/empties.ts';
import { type Builds, type RevisionName, revisionNames } from '../build/build.ts';
import { guestEnvironment } from '../build/environment.ts';
import { VmError } from '../errors.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
import type { Plan } from '../plan/plan.ts';
import { fingerprintNamed } from '../sandbox/readable-files.ts';
import type { Agent } from './agent.ts';
import { checkConfig, defaultMemoryMiB, type GuestContext, type Host, icount, prepareHost, runnerOf } from './guest.ts';
import { commandsOf, profilesOf } from './guest-commands.ts';
import type { GuestRun, Machine, RunName } from './guest-run.ts';
import { type Initramfs, makeInitramfs } from './initramfs.ts';
import {
  type Counted,
  countsKey,
  dropCounts,
  findCounts,
  type KeptCounts,
  keepCounts,
  renameRevision,
} from './kept-counts.ts';
import { machineArguments } from './machine.ts';
import { runPlan } from './run-plan.ts';

/** Share of the cached counts that is counted again, from 0 to 1. */
const defaultAuditShare = 0.05;

export interface MeasureRequest {
  readonly kernel: CachedKernel;
  readonly plan: Plan;
  readonly builds: Builds;
  readonly timeoutMs: number;
}

export interface Measured extends Counted {
  readonly agent: Agent;
  /** Cached counts that were counted again, for the two to be compared. */
  readonly audits: readonly Audit[];
}

export interface Audit extends Pick<KeptCounts, 'at' | 'by'> {
  readonly revision: RevisionName;
  /** Key of the cache's entry. */
  readonly key: string;
  /** The cached counts as base, and the new ones as head. */
  readonly both: GuestRun;
  /** Removes the cached counts. */
  readonly drop: () => Promise<void>;
}

/**
 * Boots a kernel under icount for base and for head, takes every reading of the plan's benches, has every program of the
 * objects verified, and takes the profiles that benches ask for. Neither revision can touch what the other counts, nor
 * what is kept of it: their guests have nothing in common but files that no guest can write.
 *
 * What a revision counted is cached, and nothing is booted for it where the same is to be counted. The empty programs are
 * counted in each boot: if they cost otherwise than in the boot of a cached revision, that one is counted again. So is a
 * random share of what is cached.
 *
 * @throws VmError when a guest failed or its time was up, or two boots do not count alike
 */
export async function measureInGuest(request: MeasureRequest, context: GuestContext): Promise<Measured> {
  const { kernel } = request;
  await checkConfig(kernel, { measured: true });
  const host = await prepareHost(context);
  const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
  const guest = { host, initramfs };
  const { fresh = false, auditShare = defaultAuditShare } = context;
  const readable = await fingerprintNamed(context.environment);
  const keys = await Promise.all(
    revisionNames.map((revision) => countsKey([readable, shapingOf(asBase(request, revision), guest, context)])),
  );
  const keyOf = (revision: RevisionName) => keys[revisionNames.indexOf(revision)] ?? '';
  const kept = new Map<RevisionName, KeptCounts>();
  for (const revision of fresh ? [] : revisionNames) {
    const found = await findCounts(context.cache, keyOf(revision), revision);
    if (found === undefined) continue;
    kept.set(revision, found);
    const when = found.at.toISOString().replace(/\.\d+Z$/, 'Z');
    context.log.progress(`${kernel.pin.id}: ${revision} is taken from ${found.by}, which counted it at ${when}`);
  }
  const audited = [...kept.keys()].filter(() => Math.random() < auditShare);
  // Objects of head that base has as well are verified once, unless it is to be seen that they give the same.
  const shared = fresh || audited.includes('head') ? new Set<string>() : equalObjects(request.builds);
  const ofHead = withoutObjects(request, shared);
  const measure = async (revisions: readonly RevisionName[]) => {
    const booted = revisions.filter((revision) => revision === 'base' || hasWork(ofHead));
    const counted = await measureEach(booted, context, (revision, own) =>
      measureRevision(revision === 'head' ? ofHead : request, guest, revision, own),
    );
    if (revisions.includes('head')) {
      const base = counted.get('base') ?? requireCounted(kept, 'base');
      counted.set('head', withLoadsOf(base, shared, counted.get('head')));
    }
    if (fresh) return counted;
    for (const [revision, own] of counted) await keepCounts(context.cache, keyOf(revision), revision, own);
    return counted;
  };
  const counted = await measure(revisionNames.filter((revision) => !kept.has(revision) || audited.includes(revision)));
  const drop = (revision: RevisionName) => dropCounts(context.cache, keyOf(revision));
  const pairs = audited.map((revision) => {
    const [before, now] = [requireCounted(kept, revision), requireCounted(counted, revision)];
    return {
      revision,
      both: join(renameRevision(revision, 'base', before), renameRevision(revision, 'head', now))?.run,
    };
  });
  const audits = pairs.flatMap(({ revision, both }): Audit[] => {
    const { at, by } = requireCounted(kept, revision);
    return both === undefined ? [] : [{ revision, at, by, key: keyOf(revision), both, drop: () => drop(revision) }];
  });
  const all = new Map<RevisionName, Counted>([...kept, ...counted]);
  let joined = join(requireCounted(all, 'base'), requireCounted(all, 'head'));
  if (kept.size > 0 && (joined === undefined || audits.length < audited.length)) {
    context.log.warn(`${kernel.pin.id}: this boot is not like the one of the cached counts; counting them again`);
    for (const revision of kept.keys()) await drop(revision);
    const isOld = (revision: RevisionName) => !counted.has(revision) || (revision === 'head' && shared.size > 0);
    for (const [revision, now] of await measure(revisionNames.filter(isOld))) all.set(revision, now);
    joined = join(requireCounted(all, 'base'), requireCounted(all, 'head'));
  }
  if (joined !== undefined) return { ...joined, agent: host.agent, audits };
  throw new VmError(
    `two boots of kernel ${kernel.pin.id} are not alike: empty programs cost more in one than in the other`,
    {
      hint: 'run it again with --no-snapshot, and report this with the results of `bpfgate doctor`',
    },
  );
}

function requireCounted<Own extends Counted>(counted: ReadonlyMap<RevisionName, Own>, revision: RevisionName): Own {
  const own = counted.get(revision);
  if (own === undefined) throw new Error(`${revision} is counted before it is joined`);
  return own;
}

/** Names of the objects that are the same bytes in base and in head. */
function equalObjects({ objects }: Builds): Set<string> {
  const digests = new Map(
    objects.flatMap(({ name, revision, digest }) => (revision === 'base' ? [[name, digest]] : [])),
  );
  const equal = objects.filter(({ name, revision, digest }) => revision === 'head' && digests.get(name) === digest);
  return new Set(equal.map(({ name }) => name));
}

/** The same without head's objects of these names. */
function withoutObjects({ builds, ...request }: MeasureRequest, names: ReadonlySet<string>): MeasureRequest {
  const objects = builds.objects.filter(({ name, revision }) => revision === 'base' || !names.has(name));
  return { ...request, builds: { ...builds, objects } };
}

/** Whether head has anything that needs a guest. */
function hasWork({ plan, builds }: MeasureRequest): boolean {
  return plan.benches.length > 0 || builds.objects.some(({ revision }) => revision === 'head');
}

/** What head counted, with base's loads of the objects that it was not given; where it was given nothing, those alone. */
function withLoadsOf(base: Counted, names: ReadonlySet<string>, head: Counted | undefined): Counted {
  const { run } = renameRevision('base', 'head', base);
  if (head === undefined) return { run: { ...run, kept: run.kept.map(() => 'head') }, profiles: [] };
  const isShared = ({ object }: { readonly object: string }) => names.has(object);
  const objects = [...head.run.objects, ...run.objects.filter(isShared)];
  const loads = [...head.run.loads, ...run.loads.filter(isShared)];
  return { ...head, run: { ...head.run, objects, loads } };
}

/** Side by side, as far as there are processors. One that fails ends the other. */
async function measureEach(
  revisions: readonly RevisionName[],
  context: GuestContext,
  measureOne: (revision: RevisionName, context: GuestContext) => Promise<Counted>,
): Promise<Map<RevisionName, Counted>> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(context.signal === undefined ? [] : [context.signal])]);
  setMaxListeners(0, signal);
  let failure: { readonly error: unknown } | undefined;
  const counted = new Map<RevisionName, Counted>();
  await Promise.all(
    revisions.map(async (revision) => {
      try {
        counted.set(revision, await measureOne(revision, { ...context, signal }));
      } catch (error) {
        failure ??= { error };
        stop.abort(error);
      }
    }),
  );
  if (failure !== undefined) throw failure.error;
  return counted;
}

/** Makes a revision base, whichever it is: what it counts does not depend on what it is compared with. */
function asBase({ builds, ...request }: MeasureRequest, revision: RevisionName): MeasureRequest {
  const own = builds.objects.filter((object) => object.revision === revision);
  const objects = own.map((object) => ({ ...object, revision: 'base' as const }));
  return { ...request, builds: { ...builds, base: { ...builds[revision], revision: 'base' }, objects } };
}

/** What every boot of a request has in common. */
interface Guest {
  readonly host: Host;
  readonly initramfs: Initramfs;
}

/** Everything that shapes what base counts. */
function shapingOf({ kernel, plan, builds }: MeasureRequest, { host, initramfs }: Guest, context: GuestContext) {
  return {
    kernel: kernel.imageSha256,
    machine: machineArguments(icount.accelerator),
    runner: runnerOf(context),
    versions: host.versions,
    memoryMiB: defaultMemoryMiB,
    initramfs: initramfs.sha256,
    agent: host.agent.version,
    // A kept build's folder is named after all that went into it.
    build: builds.base.dir,
    plan: agentPlan(plan, builds, ['base'], context),
    objects: builds.objects,
  };
}

/** Undefined when the two boots are not alike: another machine, or empty programs that cost something else. */
function join(base: Counted, head: Counted): Counted | undefined {
  const alike = (own: Machine) => JSON.stringify({ ...own, startedFrom: null, acceleratorReason: null });
  if (alike(base.run.machine) !== alike(head.run.machine)) return undefined;
  // Not reading by reading: a timer tick in one of them is no difference.
  if (JSON.stringify([...countEmpties(base.run)]) !== JSON.stringify([...countEmpties(head.run)])) return undefined;
  return {
    run: {
      ...head.run,
      kept: [...base.run.kept, ...head.run.kept],
      isProven: base.run.isProven && head.run.isProven,
      benches: [...base.run.benches, ...head.run.benches],
      programs: [...base.run.programs, ...head.run.programs],
      objects: [...base.run.objects, ...head.run.objects],
      loads: [...base.run.loads, ...head.run.loads],
      warnings: [...new Set([...base.run.warnings, ...head.run.warnings])],
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
): Promise<Counted> {
  const { guests = (work) => work() } = context;
  const name = `guest ${request.kernel.pin.id}, ${revision}`;
  return await guests(() => part(name, () => measureAlone(request, guest, revision, context)));
}

async function measureAlone(
  { kernel, plan, builds, timeoutMs }: MeasureRequest,
  { host, initramfs }: Guest,
  revision: RevisionName,
  context: GuestContext,
): Promise<Counted> {
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
      ...{ kernel: kernel.pin.id, machine, kept: [] },
      ...output,
      benches: own(output.benches),
      programs: own(output.programs),
      objects: own(output.objects),
      loads: own(output.loads),
    },
    profiles: own(profiles),
  };
}

// Guest: runs every bench of a plan under icount, base and head in separate guests, and has every program of the built
// objects verified.

import { setMaxListeners } from 'node:events';
import { part } from '../adapters/schedule.ts';
import { countEmpties } from '../bench/empties.ts';
import { guestEnvironment } from '../build/environment.ts';
import { checkSeals } from '../build/seal.ts';
import { VmError } from '../common/errors.ts';
import { type Builds, type RevisionName, revisionNames } from '../model/build.ts';
import type { GuestRun, Machine, ObjectRecord, RunName } from '../model/guest-run.ts';
import type { CachedKernel } from '../model/kernel.ts';
import type { Plan } from '../plan/plan.ts';
import { fingerprintNamed } from '../sandbox/readable-files.ts';
import type { Agent } from './agent.ts';
import { checkConfig, defaultMemoryMiB, type GuestContext, type Host, icount, prepareHost, runnerOf } from './guest.ts';
import { commandsOf, profilesOf } from './guest-commands.ts';
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
import { leaveOutStalled } from './stalled-loads.ts';

/** Number of readings of a bench in the first boot. */
const firstReadings = { min: 2, max: 10 };
/** Number of readings in a further boot, which are evidence. It is fixed, so that it cannot depend on what they are. */
const furtherReadings = { min: 10, max: 10 };
/** Number of readings in each further boot of a bench that is otherwise read once, because emulating it costs most. */
const furtherReadingsOfCriterion = [4, 6];

/** Default share of the cached counts that are counted again, from 0 to 1. */
const defaultAuditShare = 0.05;

export interface MeasureRequest {
  readonly kernel: CachedKernel;
  readonly plan: Plan;
  readonly builds: Builds;
  readonly timeoutMs: number;
  /** Number of the further boot that confirms a change, from 1; undefined: the first boot. */
  readonly further?: number | undefined;
}

export interface Measured extends Counted {
  readonly agent: Agent;
  /** Cached counts that were counted again, for comparison. */
  readonly audits: readonly Audit[];
}

export interface Audit extends Pick<KeptCounts, 'at' | 'by'> {
  readonly revision: RevisionName;
  readonly kind: Part['kind'];
  /** Key of the cache's entry. */
  readonly key: string;
  /** The cached counts as base, and the new ones as head. */
  readonly both: GuestRun;
  /** Removes the cached counts. */
  readonly drop: () => Promise<void>;
}

/** A part of a revision that is counted and cached separately. */
interface Part {
  readonly revision: RevisionName;
  readonly kind: 'benches' | 'objects';
  /** Key of the cache's entry. */
  readonly key: string;
}

/**
 * Boots a kernel under icount for base and for head, takes every reading of the plan's benches, has every program of
 * the objects verified, and takes the profiles that benches ask for. Neither revision can change the other's counts or
 * what is cached of them: their guests share only files that no guest can write. An object of head that base has as
 * well is verified in base's guest only.
 *
 * The results of a revision's benches and of its objects are cached separately, and nothing is booted for cached
 * results. The empty programs are counted in each boot that runs benches. If their cost differs from that in a cached
 * boot, the cached benches are counted again. A random share of all cached results is counted again as well.
 *
 * @throws VmError when a guest failed or its time was up, or two boots do not count alike
 * @throws MachineError when a revision's build was changed before its boot
 */
export async function measureInGuest(given: MeasureRequest, context: GuestContext): Promise<Measured> {
  const { kernel } = given;
  await checkConfig(kernel, { measured: true });
  const host = await prepareHost(context);
  const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
  const guest = { host, initramfs };
  const { cache, fresh = false, auditShare = defaultAuditShare } = context;
  const isVerified = given.plan.lanes.includes('verifier');
  const shared = fresh || !isVerified ? new Set<string>() : equalObjects(given.builds);
  const request = withoutObjects(given, isVerified ? shared : undefined);
  const parts = await findParts(request, guest, context);

  const kept = new Map<Part, KeptCounts>();
  for (const part of fresh ? [] : parts) {
    const found = await findCounts(cache, part.key, part.revision);
    if (found === undefined) continue;
    kept.set(part, found);
    const when = found.at.toISOString().replace(/\.\d+Z$/, 'Z');
    const what = `${part.kind} of ${part.revision} are`;
    context.log.progress(`${kernel.pin.id}: ${what} taken from ${found.by}, which counted them at ${when}`);
  }
  const count = async (wanted: readonly Part[]) => {
    const counted = new Map<Part, Counted>();
    const revisions = revisionNames.filter((revision) => wanted.some((part) => part.revision === revision));
    await forEach(revisions, context, async (revision, own) => {
      const ownParts = wanted.filter((part) => part.revision === revision);
      const whole = await measureRevision(onlyParts(request, ownParts), guest, revision, own);
      for (const part of ownParts) {
        const partial = partOf(whole, part);
        counted.set(part, partial);
        if (!fresh) await keepCounts(cache, part.key, revision, partial);
      }
    });
    return counted;
  };
  const audited = [...kept.keys()].filter(() => Math.random() < auditShare);
  const counted = await count(parts.filter((part) => !kept.has(part) || audited.includes(part)));
  const drop = ({ key }: Part) => dropCounts(cache, key);
  const audits = audited.flatMap((part): Audit[] => {
    const [before, now] = [requireCounted(kept, part), requireCounted(counted, part)];
    const both = join(renameRevision(part.revision, 'base', before), renameRevision(part.revision, 'head', now))?.run;
    const { at, by } = before;
    return both === undefined ? [] : [{ ...part, at, by, both, drop: () => drop(part) }];
  });
  let joined = joinParts(parts, new Map<Part, Counted>([...kept, ...counted]), shared);
  if (kept.size > 0 && (joined === undefined || audits.length < audited.length)) {
    context.log.warn(`${kernel.pin.id}: this boot is not like the one of the cached counts; counting them again`);
    // Verification does not depend on the cost of an empty program.
    const benches = [...kept.keys()].filter(({ kind }) => kind === 'benches');
    const stale = benches.length > 0 ? benches : [...kept.keys()];
    for (const part of stale) {
      await drop(part);
      const now = counted.get(part);
      if (now !== undefined) await keepCounts(cache, part.key, part.revision, now);
    }
    const again = await count(stale.filter((part) => !counted.has(part)));
    joined = joinParts(parts, new Map<Part, Counted>([...kept, ...counted, ...again]), shared);
  }
  if (joined !== undefined) return { ...joined, agent: host.agent, audits };
  throw new VmError(
    `two boots of kernel ${kernel.pin.id} are not alike: empty programs cost more in one than in the other`,
    {
      hint: 'run it again with --no-snapshot, and report this with the results of `bpfgate doctor`',
    },
  );
}

async function findParts(request: MeasureRequest, guest: Guest, context: GuestContext): Promise<Part[]> {
  const readable = await fingerprintNamed(context.environment);
  const parts: Part[] = [];
  for (const revision of revisionNames) {
    for (const kind of ['benches', 'objects'] as const) {
      const own = onlyParts(request, [{ kind }]);
      const isEmpty =
        own.plan.benches.length === 0 && !own.builds.objects.some((object) => object.revision === revision);
      if (isEmpty) continue;
      const key = await countsKey([readable, shapingOf(asBase(own, revision), guest, context)]);
      parts.push({ revision, kind, key });
    }
  }
  return parts;
}

/** Names of the objects that have the same bytes in base and in head. */
function equalObjects({ objects }: Builds): Set<string> {
  const ofBase = new Map(
    objects.flatMap(({ name, revision, digest }) => (revision === 'base' ? [[name, digest]] : [])),
  );
  const equal = objects.filter(({ name, revision, digest }) => revision === 'head' && ofBase.get(name) === digest);
  return new Set(equal.map(({ name }) => name));
}

/** Returns the request without head's objects of these names; `undefined`: without any object. */
function withoutObjects(
  { builds, ...request }: MeasureRequest,
  names: ReadonlySet<string> | undefined,
): MeasureRequest {
  const stays = ({ name, revision }: Builds['objects'][number]) =>
    names !== undefined && (revision === 'base' || !names.has(name));
  return { ...request, builds: { ...builds, objects: builds.objects.filter(stays) } };
}

/** Returns the request limited to these parts of a revision. */
function onlyParts(request: MeasureRequest, parts: readonly Pick<Part, 'kind'>[]): MeasureRequest {
  const has = (kind: Part['kind']) => parts.some((part) => part.kind === kind);
  const { plan } = request;
  const narrowed = { ...request, plan: has('benches') ? plan : { ...plan, benches: [] } };
  return has('objects') ? narrowed : withoutObjects(narrowed, undefined);
}

/** Extracts one part from the counts of a boot. */
function partOf({ run, profiles }: Counted, { kind }: Part): Counted {
  const isOfObject = (warning: string) => warning.startsWith('object ');
  if (kind === 'benches') {
    const warnings = run.warnings.filter((warning) => !isOfObject(warning));
    return { run: { ...run, objects: [], loads: [], warnings }, profiles };
  }
  const nothing = { isProven: true, calibrations: [], benches: [], programs: [] };
  const warnings = run.benches.length === 0 ? run.warnings : run.warnings.filter(isOfObject);
  return { run: { ...run, ...nothing, warnings }, profiles: [] };
}

function requireCounted<Own extends Counted>(counted: ReadonlyMap<Part, Own>, part: Part): Own {
  const own = counted.get(part);
  if (own === undefined)
    throw new Error(`the ${part.kind} of ${part.revision} were not counted before they were joined`);
  return own;
}

/**
 * Joins the counts of both revisions; undefined when two boots are not alike.
 *
 * @param shared names of the objects whose loads head takes from base
 */
function joinParts(
  parts: readonly Part[],
  counted: ReadonlyMap<Part, Counted>,
  shared: ReadonlySet<string>,
): Counted | undefined {
  const all = parts.map((part) => requireCounted(counted, part));
  const [first] = all;
  if (first === undefined) throw new Error('nothing is to be counted');
  if (all.some(({ run }) => !areAlike(run.machine, first.run.machine))) return undefined;
  const [base, head] = revisionNames.map((revision) => {
    const [benches, objects] = parts.flatMap((part, index) => (part.revision === revision ? (all[index] ?? []) : []));
    if (benches === undefined) return nothingOf(first);
    return objects === undefined ? benches : addObjects(benches, objects);
  });
  if (base === undefined || head === undefined) return undefined;
  return join(base, withLoadsOf(base, shared, head));
}

/** Joins the two parts of one revision. The result is marked as kept if both parts are. */
function addObjects(benches: Counted, objects: Counted): Counted {
  const both = joinRuns(benches, objects);
  const isKept = [benches, objects].every(({ run }) => run.kept.length > 0);
  return { ...both, run: { ...both.run, kept: isKept ? benches.run.kept : [] } };
}

/** The counts of a revision without any part, on the machine of another. */
function nothingOf({ run }: Counted): Counted {
  const nothing = { kept: [], isProven: true, calibrations: [], benches: [], programs: [], objects: [], loads: [] };
  return { run: { ...run, ...nothing, warnings: [] }, profiles: [] };
}

/** Returns head's counts with base's loads of the objects that both share. */
function withLoadsOf(base: Counted, names: ReadonlySet<string>, head: Counted): Counted {
  const { run } = renameRevision('base', 'head', base);
  const isShared = ({ object }: { readonly object: string }) => names.has(object);
  // Head's guest did not get the shared objects, so its own records of them are ignored.
  const isOwnRecord = (record: { readonly object: string }) => !isShared(record);
  const objects = [...head.run.objects.filter(isOwnRecord), ...run.objects.filter(isShared)];
  const loads = [...head.run.loads.filter(isOwnRecord), ...run.loads.filter(isShared)];
  // If nothing else was counted of head, head is as old as these loads.
  const isOwn = head.run.benches.length > 0 || head.run.objects.length > 0;
  const kept = isOwn ? head.run.kept : run.kept.map(() => 'head' as const);
  return { ...head, run: { ...head.run, objects, loads, kept } };
}

/** Works on the revisions in parallel, as far as `context.guests` allows. One that fails ends the other. */
async function forEach(
  revisions: readonly RevisionName[],
  context: GuestContext,
  work: (revision: RevisionName, context: GuestContext) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(context.signal === undefined ? [] : [context.signal])]);
  setMaxListeners(0, signal);
  let failure: { readonly error: unknown } | undefined;
  await Promise.all(
    revisions.map(async (revision) => {
      try {
        await work(revision, { ...context, signal });
      } catch (error) {
        failure ??= { error };
        stop.abort(error);
      }
    }),
  );
  if (failure !== undefined) throw failure.error;
}

/** Makes any revision base: its counts do not depend on what it is compared with. */
function asBase({ builds, ...request }: MeasureRequest, revision: RevisionName): MeasureRequest {
  const own = builds.objects.filter((object) => object.revision === revision);
  const objects = own.map((object) => ({ ...object, revision: 'base' as const }));
  return { ...request, builds: { ...builds, base: { ...builds[revision], revision: 'base' }, objects } };
}

/** Parts that all boots of a request have in common. */
interface Guest {
  readonly host: Host;
  readonly initramfs: Initramfs;
}

/** Everything that shapes base's counts. */
function shapingOf(
  { kernel, plan, builds, further }: MeasureRequest,
  { host, initramfs }: Guest,
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
    // A kept build's folder is named after everything that went into it.
    build: builds.base.dir,
    plan: agentPlan(plan, builds, ['base'], context, further),
    // Further boots must be independent of each other.
    ...(further === undefined ? {} : { further }),
    objects: builds.objects,
  };
}

/** Joins base and head; undefined when the boots are not alike: other machines, or another cost of empty programs. */
function join(base: Counted, head: Counted): Counted | undefined {
  if (!areAlike(base.run.machine, head.run.machine)) return undefined;
  // Not compared by reading: a timer tick in one of them is no difference. Without benches they are not counted.
  const [before, now] = [base, head].map(({ run }) => JSON.stringify([...countEmpties(run)]));
  const areCounted = [base, head].every(({ run }) => run.benches.length > 0);
  return areCounted && before !== now ? undefined : joinRuns(base, head);
}

function areAlike(one: Machine, other: Machine): boolean {
  const [first, second] = [one, other].map((own) => ({ ...own, startedFrom: null, acceleratorReason: null }));
  return JSON.stringify(first) === JSON.stringify(second);
}

function joinRuns(base: Counted, head: Counted): Counted {
  return {
    run: {
      ...head.run,
      kept: [...base.run.kept, ...head.run.kept],
      isProven: base.run.isProven && head.run.isProven,
      calibrations: head.run.calibrations.length > 0 ? head.run.calibrations : base.run.calibrations,
      benches: [...base.run.benches, ...head.run.benches],
      programs: [...base.run.programs, ...head.run.programs],
      objects: [...base.run.objects, ...head.run.objects],
      loads: [...base.run.loads, ...head.run.loads],
      warnings: [...new Set([...base.run.warnings, ...head.run.warnings])],
    },
    profiles: [...base.profiles, ...head.profiles],
  };
}

/** Makes `plan.json`. */
function agentPlan(
  plan: Plan,
  builds: Builds,
  revisions: readonly RevisionName[],
  context: GuestContext,
  further: number | undefined,
) {
  const { orderObjects = (objects) => objects } = context;
  const objects = builds.objects
    .filter(({ revision }) => revisions.includes(revision))
    .map(({ name, revision, path }) => ({ name, revision, path }));
  return {
    mode: 'measure' as const,
    env: guestEnvironment(context.environment),
    work_dir: builds.workDir,
    project: builds.projectPath,
    revisions: revisions.map((name) => ({ name, dir: builds[name].dir })),
    objects: plan.lanes.includes('verifier') ? orderObjects(objects) : [],
    benches: plan.benches.map((bench) => {
      const { name, guestCommand, observe, readingsWithoutPrograms } = bench;
      return {
        name,
        commands: commandsOf(bench, guestCommand, builds, revisions),
        observe,
        profiles: profilesOf(bench, builds, revisions),
        min_unobserved:
          further === undefined
            ? readingsWithoutPrograms
            : readingsWithoutPrograms === 1
              ? furtherReadingsOfCriterion[further - 1]
              : furtherReadings.min,
      };
    }),
    readings: further === undefined ? firstReadings : furtherReadings,
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
  { kernel, plan, builds, timeoutMs, further }: MeasureRequest,
  { host, initramfs }: Guest,
  revision: RevisionName,
  context: GuestContext,
): Promise<Counted> {
  context.signal?.throwIfAborted();
  await checkSeals([builds[revision]]);
  context.log.progress(`${kernel.pin.id}: booting ${kernel.uname} under TCG with icount, for ${revision}`);
  const { accelerator, reason: acceleratorReason } = icount;
  const whole = agentPlan(plan, builds, [revision], context, further);
  const deadline = performance.now() + timeoutMs;
  const { result, stalled } = await leaveOutStalled((leftOut) => {
    for (const name of leftOut) context.log.progress(`${kernel.pin.id}: booting again without ${name}, ${revision}`);
    return runPlan(
      {
        kernel,
        initramfs,
        accelerator,
        acceleratorReason,
        agentPlan: { ...whole, objects: whole.objects.filter(({ name }) => !leftOut.has(name)) },
        trees: [builds[revision].dir],
        timeoutMs: Math.max(1, Math.round((deadline - performance.now()) / 1000)) * 1000,
      },
      host,
      context,
    );
  });
  const { profiles, machine, controls: _, ...output } = result;
  const leftOut = stalled.map(
    ({ object, message: error }): ObjectRecord => ({ record: 'object', object, revision, programs: 0, error }),
  );
  // A guest's records of the other revision are ignored.
  const own = <Item extends { readonly revision: RunName }>(items: readonly Item[]) =>
    items.filter((item): item is Item & { readonly revision: RevisionName } => item.revision === revision);
  return {
    run: {
      kernel: kernel.pin.id,
      machine,
      kept: [],
      ...output,
      benches: own(output.benches),
      programs: own(output.programs),
      objects: [...own(output.objects), ...leftOut],
      loads: own(output.loads),
    },
    profiles: own(profiles),
  };
}

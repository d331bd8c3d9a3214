// Guest: runs every bench of a plan under icount, base and head in separate guests, and has every program of the built
// objects verified.

import { runTogether } from '../adapters/run-together.ts';
import { part } from '../adapters/schedule.ts';
import { ticks } from '../bench/ticks.ts';
import { guestEnvironment } from '../build/environment.ts';
import { checkSeals } from '../build/seal.ts';
import { VmError } from '../common/errors.ts';
import { groupBy } from '../common/group-by.ts';
import { standardContexts } from '../inputs/contexts.ts';
import { type Builds, type RevisionName, revisionNames } from '../model/build.ts';
import type { GuestRun } from '../model/guest-run.ts';
import type { CachedKernel } from '../model/kernel.ts';
import { isVerified, type Plan, type PlannedBench, planFor, sharesInputs } from '../plan/plan.ts';
import { fingerprintNamed } from '../sandbox/readable-files.ts';
import {
  areAlike,
  divide,
  equalObjects,
  joinCounts,
  joinParts,
  onlyParts,
  type Part,
  partOf,
  requireCounted,
  share,
  withoutObjects,
} from './count-parts.ts';
import { checkConfig, defaultMemoryMiB, type GuestContext, type Host, icount, prepareHost, runnerOf } from './guest.ts';
import { commandOf, profileOf } from './guest-commands.ts';
import { type Initramfs, makeInitramfs } from './initramfs.ts';
import {
  type Counted,
  countsKey,
  dropCounts,
  findCounts,
  hashGuestFiles,
  type KeptCounts,
  keepCounts,
  renameRevision,
} from './kept-counts.ts';
import { leaveOutLost } from './lost-programs.ts';
import { machineArguments } from './machine.ts';
import type { ObtainedProgram } from './programs.ts';
import { runPlan } from './run-plan.ts';

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
  /** End of the time of all its guests, by `performance.now()`. Default: each has `timeoutMs`. */
  readonly deadline?: number | undefined;
}

export interface Measured extends Omit<Counted, 'lost'> {
  readonly agent: ObtainedProgram;
  /** Cached counts that were counted again, for comparison. */
  readonly audits: readonly Audit[];
}

/** A part, and the key under which its counts are kept. */
interface KeyedPart extends Part {
  readonly key: string;
}

export interface Audit extends Pick<KeptCounts, 'at' | 'by'>, Part {
  /** Key of the counts in the cache. */
  readonly key: string;
  /** The cached counts as base, and the new ones as head. */
  readonly both: GuestRun;
  /** Removes the cached counts. */
  readonly drop: () => Promise<void>;
}

/**
 * Boots a kernel under icount for base and for head, in several guests each where processors are idle, takes every
 * reading of the plan's benches, has every program of the objects verified, and takes the profiles that benches ask
 * for. Neither revision can change the other's counts or what is cached of them: their guests share only files that no
 * guest can write. An object of head that base has as well is verified in base's guest only.
 *
 * The results of each bench of a revision and of its objects are cached separately, and nothing is booted for cached
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
  const isShared = isVerified(given.plan, 'head') && !fresh && sharesInputs(given.plan);
  const shared = isShared ? equalObjects(given.builds) : new Set<string>();
  const request = withoutObjects(given, shared);
  const parts = await findKeys(request, guest, context);

  const kept = new Map<KeyedPart, KeptCounts>();
  for (const part of fresh ? [] : parts) {
    const found = await findCounts(cache, part.key, part.revision);
    // The same kernel may have had another name.
    if (found !== undefined) kept.set(part, { ...found, run: { ...found.run, kernel: kernel.pin.id } });
  }
  for (const line of describeKept(parts, kept)) context.log.progress(`${kernel.pin.id}: ${line}`);
  // Guests that confirm changes share the time that is left.
  const deadline = given.further === undefined ? undefined : performance.now() + given.timeoutMs;
  const count = async (wanted: readonly KeyedPart[]) => {
    const counted = new Map<Part, Counted>();
    // As far as `context.guests` allows.
    await runTogether(
      // Readings of one boot can share what those of another do not, so those that confirm a change have their own.
      given.further === undefined
        ? shareAmongGuests(wanted, kept, context)
        : wanted.map((part) => ({ revision: part.revision, parts: [part] })),
      context.signal,
      async ({ revision, parts: own }, signal) => {
        const only = { ...onlyParts(request, own), deadline };
        const whole = await measureRevision(only, guest, revision, { ...context, signal });
        for (const part of own) {
          const partial = partOf(whole, part);
          counted.set(part, partial);
          if (!fresh) await keepCounts(cache, part.key, revision, partial);
        }
      },
    );
    return counted;
  };
  const audited = chooseAudited([...kept.keys()], auditShare);
  const counted = await count(parts.filter((part) => !kept.has(part) || audited.includes(part)));
  const findAudit = async (part: KeyedPart): Promise<Audit[]> => {
    const [before, now] = [requireCounted(kept, part), requireCounted(counted, part)];
    if (!areAlike([before, now])) return [];
    const both = joinCounts(
      renameRevision(part.revision, 'base', before),
      renameRevision(part.revision, 'head', now),
    ).run;
    const { at, by } = before;
    return [{ ...part, at, by, both, drop: () => dropCounts(cache, part.key) }];
  };
  const audits = (await Promise.all(audited.map(findAudit))).flat();
  let joined = joinParts(parts, new Map<Part, Counted>([...kept, ...counted]), shared);
  if (kept.size > 0 && (joined === undefined || audits.length < audited.length)) {
    context.log.warn(
      `${kernel.pin.id}: the cached counts are from a boot that counts differently; counting them again`,
    );
    // Verification does not depend on the cost of an empty program.
    const benches = [...kept.keys()].filter(({ kind }) => kind === 'benches');
    const stale = benches.length > 0 ? benches : [...kept.keys()];
    const again = await count(stale.filter((part) => !counted.has(part)));
    for (const part of stale) {
      const now = counted.get(part) ?? requireCounted(again, part);
      // Whatever the other revision's guest claims, cached counts are replaced by a new boot of their own only.
      if (areAlike([requireCounted(kept, part), now])) continue;
      await dropCounts(cache, part.key);
      await keepCounts(cache, part.key, part.revision, now);
    }
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

/** Finds the key of each part's counts. */
async function findKeys(request: MeasureRequest, guest: Guest, context: GuestContext): Promise<KeyedPart[]> {
  const given = [await fingerprintNamed(context.environment), await hashGuestFiles()];
  // What shares the guest of a revision can change its counts.
  const togetherIn = (revision: RevisionName) =>
    request.further === undefined ? planFor(request.plan, revision).benches.map(commandsIn) : [];
  return divide(request).map((part) => {
    const own = asBase(onlyParts(request, [part]), part.revision);
    const together = part.kind === 'benches' ? [togetherIn(part.revision)] : [];
    const shaping = [...given, shapingOf(own, guest, context), ...together];
    return { ...part, key: countsKey(request.builds[part.revision], shaping) };
  });
}

function commandsIn({ name, guestCommand, profileCommand, observe }: PlannedBench) {
  return { name, guestCommand, profileCommand, observe };
}

/** Chooses whether each revision's benches, and its objects, are counted again. */
function chooseAudited(kept: readonly KeyedPart[], share: number): KeyedPart[] {
  return groupBy(kept, ({ revision, kind }) => `${revision} ${kind}`).flatMap((group) =>
    Math.random() < share ? group : [],
  );
}

/** Makes lines for a person about the cached counts that are used. */
function describeKept(parts: readonly KeyedPart[], kept: ReadonlyMap<KeyedPart, KeptCounts>): string[] {
  return groupBy([...kept], ([{ revision, kind }, { by }]) => JSON.stringify([revision, kind, by])).map((group) => {
    const [[{ revision, kind }, { by }]] = group;
    const of = parts.filter((part) => part.revision === revision && part.kind === kind);
    const names = group.flatMap(([{ benches }]) => benches.map((name) => `\`${name}\``));
    const which = group.length < of.length ? ` ${names.join(', ')}` : '';
    const atMs = Math.max(...group.map(([, { at }]) => at.getTime()));
    const when = new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
    return `${kind}${which} of ${revision} are taken from ${by}, which counted them at ${when}`;
  });
}

interface Share {
  readonly revision: RevisionName;
  readonly parts: readonly KeyedPart[];
}

/** Shares the parts of each revision among its guests. */
function shareAmongGuests(
  wanted: readonly KeyedPart[],
  kept: ReadonlyMap<KeyedPart, KeptCounts>,
  { shares = 1 }: GuestContext,
): Share[] {
  const known = new Map<string, number>();
  for (const { run } of kept.values()) {
    for (const { bench, tookMs } of run.benches) known.set(bench, (known.get(bench) ?? 0) + tookMs);
  }
  // A new bench is taken for an average one, and objects take next to nothing.
  const average = known.size === 0 ? 1 : [...known.values()].reduce((sum, value) => sum + value, 0) / known.size;
  const weightOf = ({ benches }: Part) => benches.reduce((sum, bench) => sum + (known.get(bench) ?? average), 0);
  const revisions = revisionNames.filter((revision) => wanted.some((part) => part.revision === revision));
  const each = Math.max(1, Math.floor(shares / revisions.length));
  return revisions.flatMap((revision) => {
    const own = wanted.filter((part) => part.revision === revision);
    return share(own, each, weightOf).map((parts) => ({ revision, parts }));
  });
}

/** Makes any revision base: its counts do not depend on what it is compared with. */
function asBase({ builds, plan, ...request }: MeasureRequest, revision: RevisionName): MeasureRequest {
  const own = builds.objects.filter((object) => object.revision === revision);
  const objects = own.map((object) => ({ ...object, revision: 'base' as const }));
  const asBuilt = { ...builds, base: { ...builds[revision], revision: 'base' as const }, objects };
  return { ...request, plan: planFor(plan, revision), builds: asBuilt };
}

/** Parts that all boots of a request have in common. */
interface Guest {
  readonly host: Host;
  readonly initramfs: Initramfs;
}

/** Everything that shapes base's counts, but for the built tree. */
function shapingOf(
  { kernel, plan, builds, further }: MeasureRequest,
  { host, initramfs }: Guest,
  context: GuestContext,
) {
  return {
    kernel: kernel.pin.origin === 'own' ? kernel.pin.sha256 : kernel.imageSha256,
    machine: machineArguments(icount.accelerator),
    runner: runnerOf(context),
    versions: host.versions,
    memoryMiB: defaultMemoryMiB,
    initramfs: initramfs.sha256,
    agent: host.agent.version,
    plan: { ...agentPlan(plan, builds, 'base', context, further), tree: undefined },
    // Further boots must be independent of each other.
    ...(further === undefined ? {} : { further }),
    objects: builds.objects,
  };
}

/** Makes `plan.json`, of the revision's own plan. */
export function agentPlan(
  whole: Plan,
  builds: Builds,
  revision: RevisionName,
  context: GuestContext,
  further: number | undefined,
) {
  const plan = planFor(whole, revision);
  const build = builds[revision];
  const { orderObjects = (objects) => objects } = context;
  const objects = builds.objects
    .filter((object) => object.revision === revision)
    .map(({ name, path, presets = [] }) => ({ name, path, presets }));
  return {
    mode: 'measure' as const,
    env: guestEnvironment(context.environment),
    work_dir: builds.workDir,
    project: builds.projectPath,
    tree: build.dir,
    objects: plan.lanes.includes('verifier') ? orderObjects(objects) : [],
    sections: objects.length === 0 ? {} : plan.sections,
    run: objects.length > 0 && plan.packets.length + plan.contexts.length > 0,
    packets: objects.length === 0 ? [] : plan.packets.map(({ name, bytes }) => ({ name, bytes: [...bytes] })),
    contexts: objects.length === 0 ? [] : [...standardContexts, ...plan.contexts],
    benches: plan.benches.map((bench) => {
      const { name, guestCommand, observe, readingsWithoutPrograms } = bench;
      return {
        name,
        command: commandOf(bench, guestCommand, build),
        observe,
        profile: profileOf(bench, build),
        min_unobserved:
          further === undefined
            ? readingsWithoutPrograms
            : readingsWithoutPrograms === 1
              ? furtherReadingsOfCriterion[further - 1]
              : furtherReadings.min,
      };
    }),
    readings: further === undefined ? firstReadings : furtherReadings,
    ticks,
  };
}

async function measureRevision(
  request: MeasureRequest,
  guest: Guest,
  revision: RevisionName,
  context: GuestContext,
): Promise<Counted> {
  const name = `guest ${request.kernel.pin.id}, ${revision}`;
  const work = () => part(name, () => measureAlone(request, guest, revision, context));
  return await (context.guests === undefined ? work() : context.guests(work));
}

async function measureAlone(
  { kernel, plan, builds, timeoutMs, further, deadline = performance.now() + timeoutMs }: MeasureRequest,
  { host, initramfs }: Guest,
  revision: RevisionName,
  context: GuestContext,
): Promise<Counted> {
  context.signal?.throwIfAborted();
  await checkSeals([builds[revision]]);
  context.log.progress(`${kernel.pin.id}: booting ${kernel.uname} under TCG with icount, for ${revision}`);
  const whole = agentPlan(plan, builds, revision, context, further);
  const lost: string[] = [];
  const result = await leaveOutLost(
    (leftOut) => {
      const objects = whole.objects.map((object) => ({ ...object, left_out: leftOut.get(object.name) }));
      const leftMs = Math.max(1000, deadline - performance.now());
      return runPlan(
        {
          kernel,
          initramfs,
          revision,
          agentPlan: { ...whole, objects },
          trees: [builds[revision].dir],
          timeoutMs: Math.round(leftMs / 1000) * 1000,
        },
        host,
        context,
      );
    },
    ({ object, message }) => {
      lost.push(object);
      context.log.progress(`${kernel.pin.id}: booting again without a part of ${object}, ${revision}: ${message}`);
    },
  );
  const { profiles, seen: _, ...output } = result;
  return { run: { kernel: kernel.pin.id, kept: [], ...output }, profiles, lost };
}

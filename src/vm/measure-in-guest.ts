// Guest: runs every bench of a plan under icount, base and head in separate guests, and has every program of the built
// objects verified.

import { runTogether } from '../adapters/run-together.ts';
import { part } from '../adapters/schedule.ts';
import { guestEnvironment } from '../build/environment.ts';
import { checkSeals } from '../build/seal.ts';
import { VmError } from '../common/errors.ts';
import { groupBy } from '../common/group-by.ts';
import { type Build, type Builds, type RevisionName, revisionNames } from '../model/build.ts';
import type { GuestRun, RunName } from '../model/guest-run.ts';
import type { CachedKernel } from '../model/kernel.ts';
import type { Plan, PlannedBench } from '../plan/plan.ts';
import { fingerprintNamed } from '../sandbox/readable-files.ts';
import type { Agent } from './agent.ts';
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
import { commandsOf, isStartedDirectly, profilesOf } from './guest-commands.ts';
import { type Initramfs, makeInitramfs } from './initramfs.ts';
import {
  type Counted,
  type CountsPlace,
  countsKey,
  dropCounts,
  findCounts,
  hashGuestFiles,
  type KeptCounts,
  keepCounts,
  keysOf,
  renameRevision,
} from './kept-counts.ts';
import { leaveOutLost } from './lost-programs.ts';
import { machineArguments } from './machine.ts';
import { readTreeFiles } from './opened-files.ts';
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

export interface Measured extends Omit<Counted, 'opened' | 'lost'> {
  readonly agent: Agent;
  /** Cached counts that were counted again, for comparison. */
  readonly audits: readonly Audit[];
}

/** A part, and where its counts are kept. */
interface PlacedPart extends Part {
  readonly place: CountsPlace;
}

export interface Audit extends Pick<KeptCounts, 'at' | 'by'>, Part {
  /** Keys under which the counts can be in the cache. */
  readonly keys: readonly string[];
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
  const isVerified = given.plan.lanes.includes('verifier');
  const shared = fresh || !isVerified ? new Set<string>() : equalObjects(given.builds);
  const request = withoutObjects(given, isVerified ? shared : undefined);
  const parts = await placeParts(request, guest, context);

  const kept = new Map<PlacedPart, KeptCounts>();
  for (const part of fresh ? [] : parts) {
    const found = await findCounts(cache, part.place, part.revision);
    // The same kernel may have had another name.
    if (found !== undefined) kept.set(part, { ...found, run: { ...found.run, kernel: kernel.pin.id } });
  }
  for (const line of describeKept(parts, kept)) context.log.progress(`${kernel.pin.id}: ${line}`);
  // Guests that confirm changes share the time that is left.
  const deadline = given.further === undefined ? undefined : performance.now() + given.timeoutMs;
  const count = async (wanted: readonly PlacedPart[]) => {
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
          if (!fresh) await keepCounts(cache, part.place, revision, partial);
        }
      },
    );
    return counted;
  };
  const audited = chooseAudited([...kept.keys()], auditShare);
  const counted = await count(parts.filter((part) => !kept.has(part) || audited.includes(part)));
  const findAudit = async (part: PlacedPart): Promise<Audit[]> => {
    const [before, now] = [requireCounted(kept, part), requireCounted(counted, part)];
    if (!areAlike([before, now])) return [];
    const both = joinCounts(
      renameRevision(part.revision, 'base', before),
      renameRevision(part.revision, 'head', now),
    ).run;
    const { at, by } = before;
    const keys = await keysOf(cache, part.place);
    return [{ ...part, keys, at, by, both, drop: () => dropCounts(cache, part.place) }];
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
    for (const part of stale) {
      await dropCounts(cache, part.place);
      const now = counted.get(part);
      if (now !== undefined) await keepCounts(cache, part.place, part.revision, now);
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

/** Finds where the counts of each part are kept. */
async function placeParts(request: MeasureRequest, guest: Guest, context: GuestContext): Promise<PlacedPart[]> {
  const given = [await fingerprintNamed(context.environment), await hashGuestFiles()];
  const { base } = request.builds;
  const { isAncestor = async () => false } = context;
  const places = revisionNames.map(async (revision) => {
    const build = request.builds[revision];
    const files = await readTreeFiles(build);
    // Code that shared a guest with a bench can have changed its counts. Code of an ancestor is trusted as the tree is.
    const trusts = async ({ commit }: Pick<Build, 'commit'>) => {
      if (commit === null) return false;
      const reference = build.commit ?? base.commit;
      return commit === base.commit || (reference !== null && (await isAncestor(commit, reference)));
    };
    // In a workflow an earlier commit of a pull request could change what a later one is compared with.
    const isWorkflow = context.environment.GITHUB_ACTIONS !== undefined;
    const roles = revision === 'base' || isWorkflow ? (['base'] as const) : revisionNames;
    return [revision, { build, others: files && { files, roles, trusts } }] as const;
  });
  const placeOf = new Map(await Promise.all(places));
  // Head's bpfgate.toml says what shares base's guest.
  const together = request.further === undefined ? request.plan.benches.map(commandsIn) : [];
  return divide(request).flatMap((part) => {
    const place = placeOf.get(part.revision);
    if (place === undefined) return [];
    const own = asBase(onlyParts(request, [part]), part.revision);
    const isKnown = own.plan.benches.every((bench) => isStartedDirectly(bench, bench.guestCommand, place.build));
    const others = part.kind === 'benches' && isKnown ? place.others : undefined;
    const shaping = [...given, shapingOf(own, guest, context), ...(part.kind === 'benches' ? [together] : [])];
    return { ...part, place: { build: place.build, others, shape: countsKey(shaping) } };
  });
}

function commandsIn({ name, guestCommand, profileCommand, observe }: PlannedBench) {
  return { name, guestCommand, profileCommand, observe };
}

/** Chooses whether each revision's benches, and its objects, are counted again. */
function chooseAudited(kept: readonly PlacedPart[], share: number): PlacedPart[] {
  return groupBy(kept, ({ revision, kind }) => `${revision} ${kind}`).flatMap((group) =>
    Math.random() < share ? group : [],
  );
}

/** Makes lines for a person about the cached counts that are used. */
function describeKept(parts: readonly PlacedPart[], kept: ReadonlyMap<PlacedPart, KeptCounts>): string[] {
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
  readonly parts: readonly PlacedPart[];
}

/** Shares the parts of each revision among its guests. */
function shareAmongGuests(
  wanted: readonly PlacedPart[],
  kept: ReadonlyMap<PlacedPart, KeptCounts>,
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
    plan: { ...agentPlan(plan, builds, ['base'], context, further), revisions: [] },
    // Further boots must be independent of each other.
    ...(further === undefined ? {} : { further }),
    objects: builds.objects,
  };
}

/** Makes `plan.json`. */
export function agentPlan(
  plan: Plan,
  builds: Builds,
  revisions: readonly RevisionName[],
  context: GuestContext,
  further: number | undefined,
) {
  const { orderObjects = (objects) => objects } = context;
  const objects = builds.objects
    .filter(({ revision }) => revisions.includes(revision))
    .map(({ name, revision, path, presets = [] }) => ({ name, revision, path, presets }));
  return {
    mode: 'measure' as const,
    env: guestEnvironment(context.environment),
    work_dir: builds.workDir,
    project: builds.projectPath,
    revisions: revisions.map((name) => ({ name, dir: builds[name].dir })),
    objects: plan.lanes.includes('verifier') ? orderObjects(objects) : [],
    sections: objects.length === 0 ? {} : plan.sections,
    run: objects.length > 0 && plan.packets.length + plan.contexts.length > 0,
    packets: objects.length === 0 ? [] : plan.packets.map(({ name, bytes }) => ({ name, bytes: [...bytes] })),
    contexts: objects.length === 0 ? [] : plan.contexts,
    benches: plan.benches.map((bench) => {
      const { name, guestCommand, observe, readingsWithoutPrograms } = bench;
      return {
        name,
        commands: commandsOf(bench, guestCommand, builds, revisions),
        observe,
        files: revisions.every((name) => isStartedDirectly(bench, guestCommand, builds[name])),
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
  const { accelerator, reason: acceleratorReason } = icount;
  const whole = agentPlan(plan, builds, [revision], context, further);
  const lost: string[] = [];
  const result = await leaveOutLost(
    (leftOut) => {
      const objects = whole.objects.map((object) => ({ ...object, left_out: leftOut.get(object.name) }));
      const leftMs = Math.max(1000, deadline - performance.now());
      return runPlan(
        {
          kernel,
          initramfs,
          accelerator,
          acceleratorReason,
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
  const { profiles, opened, machine, controls: _, seen: __, ...output } = result;
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
      objects: own(output.objects),
      loads: own(output.loads),
    },
    profiles: own(profiles),
    opened: own(opened),
    lost,
  };
}

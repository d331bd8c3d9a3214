// Guest: the parts of a revision's counts that are counted and kept separately: each bench, and all objects. Pure.

import { countEmpties } from '../bench/empties.ts';
import { distinctBy } from '../common/group-by.ts';
import { type BpfObject, type Builds, type RevisionName, revisionNames } from '../model/build.ts';
import type { GuestRun, Machine } from '../model/guest-run.ts';
import { isVerified, type Plan, planFor, withBenches } from '../plan/plan.ts';
import { type Counted, renameRevision } from './kept-counts.ts';

/** What of a request decides what a guest counts. */
export interface Countable {
  readonly plan: Plan;
  readonly builds: Builds;
}

/** A part of a revision's counts. */
export interface Part {
  readonly revision: RevisionName;
  readonly kind: 'benches' | 'objects';
  /** Names of its benches; none for objects. */
  readonly benches: readonly string[];
}

/** Divides what is to be counted. */
export function divide({ plan, builds }: Countable): Part[] {
  return revisionNames.flatMap((revision) => {
    const hasObjects = isVerified(plan, revision) && builds.objects.some((object) => object.revision === revision);
    return [
      ...planFor(plan, revision).benches.map(({ name }): Part => ({ revision, kind: 'benches', benches: [name] })),
      ...(hasObjects ? [{ revision, kind: 'objects', benches: [] } satisfies Part] : []),
    ];
  });
}

/** Returns the request limited to these parts of a revision. */
export function onlyParts<Request extends Countable>(
  request: Request,
  parts: readonly Pick<Part, 'kind' | 'benches'>[],
): Request {
  const names = new Set(parts.flatMap(({ benches }) => benches));
  const { plan } = request;
  const narrowed = { ...request, plan: withBenches(plan, ({ name }) => names.has(name)) };
  return parts.some(({ kind }) => kind === 'objects') ? narrowed : withoutObjects(narrowed, undefined);
}

/** Returns the request without head's objects of these names; `undefined`: without any object. */
export function withoutObjects<Request extends Countable>(
  request: Request,
  names: ReadonlySet<string> | undefined,
): Request {
  const { builds } = request;
  const stays = ({ name, revision }: Builds['objects'][number]) =>
    names !== undefined && (revision === 'base' || !names.has(name));
  return { ...request, builds: { ...builds, objects: builds.objects.filter(stays) } };
}

/** Names of the objects that have the same bytes and presets in base and in head. */
export function equalObjects({ objects }: Builds): Set<string> {
  const contentOf = ({ digest, presets }: BpfObject) => JSON.stringify([digest, presets]);
  const ofBase = new Map(
    objects.flatMap((object) => (object.revision === 'base' ? [[object.name, contentOf(object)]] : [])),
  );
  const equal = objects.filter((object) => object.revision === 'head' && ofBase.get(object.name) === contentOf(object));
  return new Set(equal.map(({ name }) => name));
}

/**
 * Shares parts among guests, so that all take about as long. What takes longest comes first: guests may have to wait.
 *
 * @param weightOf what a part takes, in any unit
 * @returns at most that many groups, none of them empty
 */
export function share<Own extends Part>(
  parts: readonly Own[],
  guests: number,
  weightOf: (part: Own) => number,
): Own[][] {
  const groups = Array.from({ length: guests }, () => ({ parts: new Set<Own>(), weight: 0 }));
  for (const part of parts.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    const lightest = groups.reduce((least, group) => (group.weight < least.weight ? group : least));
    lightest.parts.add(part);
    lightest.weight += weightOf(part);
  }
  // In the plan's order, as they would run in one guest.
  return groups
    .toSorted((a, b) => b.weight - a.weight)
    .map((group) => parts.filter((part) => group.parts.has(part)))
    .filter((group) => group.length > 0);
}

/** Extracts one part from the counts of a boot. */
export function partOf({ run, profiles, lost }: Counted, { kind, benches }: Part): Counted {
  const isOwn = ({ bench }: { readonly bench: string }) => benches.includes(bench);
  const warnings = run.warnings.filter(({ bench, object }) =>
    kind === 'objects'
      ? object !== undefined || run.benches.length === 0
      : object === undefined && (bench === undefined || benches.includes(bench)),
  );
  if (kind === 'objects') {
    const nothing = { unproven: [], calibrations: [], benches: [], programs: [] };
    return { run: { ...run, ...nothing, warnings }, profiles: [], lost };
  }
  const own = {
    unproven: run.unproven.filter((bench) => benches.includes(bench)),
    benches: run.benches.filter(isOwn),
    programs: run.programs.filter(isOwn),
  };
  return {
    run: { ...run, objects: [], loads: [], ...own, warnings },
    profiles: profiles.filter(isOwn),
    lost: [],
  };
}

/**
 * Joins the counts of both revisions.
 *
 * @param shared names of the objects whose loads head takes from base
 * @returns undefined when two boots are not alike: other machines, or another cost of empty programs
 */
export function joinParts(
  parts: readonly Part[],
  counted: ReadonlyMap<Part, Counted>,
  shared: ReadonlySet<string>,
): Counted | undefined {
  const all = parts.map((part) => requireCounted(counted, part));
  const [first] = all;
  if (first === undefined) throw new Error('nothing is to be counted');
  if (!areAlike(all)) return undefined;
  const [base = nothingOf(first), head = nothingOf(first)] = revisionNames.map((revision) => {
    const own = all.filter((_, index) => parts[index]?.revision === revision);
    if (own.length === 0) return undefined;
    const isKept = own.every(({ run }) => run.kept.length > 0);
    const joined = own.reduce(joinCounts);
    return { ...joined, run: { ...joined.run, kept: isKept ? [revision] : [] } };
  });
  return joinCounts(base, withLoadsOf(base, shared, head));
}

export function requireCounted<Own extends Counted>(counted: ReadonlyMap<Part, Own>, part: Part): Own {
  const own = counted.get(part);
  if (own === undefined)
    throw new Error(`the ${part.kind} of ${part.revision} were not counted before they were joined`);
  return own;
}

/** The counts of a revision without any part, on the machine of another. */
function nothingOf({ run }: Counted): Counted {
  const nothing = { kept: [], unproven: [], calibrations: [], benches: [], programs: [], objects: [], loads: [] };
  return { run: { ...run, ...nothing, warnings: [] }, profiles: [], lost: [] };
}

/** Returns head's counts with base's loads of the objects that both share. */
function withLoadsOf(base: Counted, shared: ReadonlySet<string>, head: Counted): Counted {
  const { run } = renameRevision('base', 'head', base);
  const isShared = ({ object }: { readonly object: string }) => shared.has(object);
  // Head's guest did not get the shared objects, so its own records of them are ignored.
  const isOwnRecord = (record: { readonly object: string }) => !isShared(record);
  const objects = [...head.run.objects.filter(isOwnRecord), ...run.objects.filter(isShared)];
  const loads = [...head.run.loads.filter(isOwnRecord), ...run.loads.filter(isShared)];
  // If nothing else was counted of head, head is as old as these loads.
  const isOwn = head.run.benches.length > 0 || head.run.objects.length > 0;
  const kept = isOwn ? head.run.kept : run.kept.map(() => 'head' as const);
  return { ...head, run: { ...head.run, objects, loads, kept } };
}

/** Whether boots were on equal machines, and empty programs cost as much in each. */
export function areAlike(all: readonly Counted[]): boolean {
  const machines = all.map(({ run }) =>
    JSON.stringify({ ...run.machine, startedFrom: null, acceleratorReason: null } satisfies Record<
      keyof Machine,
      unknown
    >),
  );
  // Not compared by reading: a timer tick in one of them is no difference. Without benches they are not counted.
  const empties = all.flatMap(({ run }) => (run.benches.length > 0 ? [JSON.stringify([...countEmpties(run)])] : []));
  return new Set(machines).size <= 1 && new Set(empties).size <= 1;
}

/** Joins the counts of two boots, or of two parts. */
export function joinCounts(one: Counted, other: Counted): Counted {
  const join = <Key extends 'kept' | 'unproven' | 'benches' | 'programs' | 'objects' | 'loads'>(key: Key) =>
    [...one.run[key], ...other.run[key]] as GuestRun[Key][number][];
  return {
    run: {
      ...other.run,
      kept: join('kept'),
      unproven: join('unproven'),
      calibrations: other.run.calibrations.length > 0 ? other.run.calibrations : one.run.calibrations,
      benches: join('benches'),
      programs: join('programs'),
      objects: join('objects'),
      loads: join('loads'),
      warnings: distinctBy([...one.run.warnings, ...other.run.warnings], (warning) => JSON.stringify(warning)),
    },
    profiles: [...one.profiles, ...other.profiles],
    lost: [...one.lost, ...other.lost],
  };
}

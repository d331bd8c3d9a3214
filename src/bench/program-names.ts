// Bench: identifies BPF programs of all lanes, within a revision and between base and head. Pure.
//
// In the verifier lane a program is identified by the names of its object and itself. An object that holds only copies
// of another's programs is left out. A program that a bench loads is identified by its name and type. The name is from
// BTF where there is some, which is longer than the kernel's 15 characters. Where a bench loads several of one name and
// type, the kernel's tag, a hash of their instructions, distinguishes them. The order of loading does not, since
// loaders such as cilium/ebpf load a collection in random order. The tag is the same where only maps differ. Programs
// that none of these distinguishes form a set. It is compared in order of cost: the cheapest of each reading, the
// second cheapest, and so on. That order does not depend on which program is which, so it cannot make a difference
// where there is none. A program that has another name in head than in base goes by head's name: see `Rename`.

import { groupBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import type { GuestRun, LoadRecord, ProgramRecord } from '../model/guest-run.ts';

/** The bench or object that loads a program, and the program's name. */
export interface ProgramName {
  readonly owner: string;
  readonly name: string;
}

/** A program that head has under another name or in another object; in a bench, all of the name and type. */
export interface Rename {
  readonly lane: 'instructions' | 'verifier';
  /** The kernel's lower-case name of its type. */
  readonly type: string;
  readonly base: ProgramName;
  readonly head: ProgramName;
}

/** One program of a bench. */
export interface NamedProgram {
  /** `<bench>/<program>`, followed by its type, tag or number where others share its name. */
  readonly benchmark: string;
  /** The set it belongs to, if that is not compared in the order of loading; else null. */
  readonly set: { readonly name: string; readonly size: number } | null;
  /** Whether the records mix programs whose instructions differ. */
  readonly isMix: boolean;
  /** Its name within each revision alone, where that is not `benchmark`: base's may differ, or need no tag. */
  readonly ownNames: OwnNames;
  /** Base's name for it, where head's differs. */
  readonly renamedFrom: string | undefined;
  /** Records, one or none for each revision and reading, in that order. */
  readonly records: readonly ProgramRecord[];
}

type OwnNames = Readonly<Record<RevisionName, string | undefined>>;

/** Programs libraries load to learn what the kernel can do; none ever runs. aya `sys/bpf.rs`, libbpf `features.c`. */
const loaderProbes = ['', 'aya_name_check', 'libbpf_nametest', 'det_arg_ctx', 'test'];
/** Bytes of a wide load of 0 and an exit. cilium/ebpf test-runs such a program, without a name, to probe the kernel. */
const longestProbe = 24;
/** Number of a tag's 16 digits that are shown. */
const shownDigits = 8;

export function isProbe({ name, run_cnt, xlated_bytes }: ProgramRecord): boolean {
  return (run_cnt === 0 && loaderProbes.includes(name)) || (name === '' && xlated_bytes <= longestProbe);
}

/**
 * Names the programs of one bench. Neither the order of the records nor that of loading matters.
 *
 * @param records all records of the bench, of every revision and reading; programs that loaders probe the kernel with
 * are left out
 */
export function namePrograms(records: readonly ProgramRecord[], renames: readonly Rename[] = []): NamedProgram[] {
  const programs = records.filter((record) => !isProbe(record));
  const isHead = ({ revision }: ProgramRecord) => revision === 'head';
  const alone = new Map([
    ...nameAlone(programs.filter((record) => !isHead(record))),
    ...nameAlone(programs.filter(isHead)),
  ]);
  const asInHead = new Map(programs.map((record) => [renameRecord(record, renames), record]));
  const all = nameTogether([...asInHead.keys()]).map((named) => {
    const own = named.records.flatMap((record) => asInHead.get(record) ?? []);
    const nameIn = (side: readonly ProgramRecord[]) => {
      const name = side[0] && alone.get(side[0]);
      return name === named.benchmark ? undefined : name;
    };
    const before = named.records.find((record) => !isHead(record));
    const rename = renames.find(({ lane, type, head }) => isOf(before, lane, type, head));
    const ownNames = { base: nameIn(own.filter((record) => !isHead(record))), head: nameIn(own.filter(isHead)) };
    return { ...named, ownNames, renamedFrom: rename && (ownNames.base ?? joinName(rename.base)) };
  });
  // If a set's readings hold different numbers of programs, one revision alone can number it differently.
  const taken = { base: [] as string[], head: [] as string[] };
  for (const { benchmark, ownNames, records } of all) {
    if (records.some(isHead)) taken.head.push(ownNames.head ?? benchmark);
    if (!records.every(isHead)) taken.base.push(ownNames.base ?? benchmark);
  }
  const isOnly = (revision: RevisionName, name: string | undefined) =>
    taken[revision].filter((each) => each === name).length === 1;
  return all.map(({ ownNames: { base, head }, ...named }) => ({
    ...named,
    ownNames: { base: isOnly('base', base) ? base : undefined, head: isOnly('head', head) ? head : undefined },
  }));
}

/** Maps the programs of one revision to the names they have by themselves. */
function nameAlone(records: readonly ProgramRecord[]): [ProgramRecord, string][] {
  return nameTogether(records).flatMap(({ benchmark, records }) =>
    records.map((record): [ProgramRecord, string] => [record, benchmark]),
  );
}

function renameRecord(record: ProgramRecord, renames: readonly Rename[]): ProgramRecord {
  if (record.revision === 'head') return record;
  const rename = renames.find(({ lane, type, base }) => isOf(record, lane, type, base));
  return rename === undefined ? record : { ...record, name: rename.head.name };
}

function isOf(record: ProgramRecord | undefined, lane: Rename['lane'], type: string, { owner, name }: ProgramName) {
  return lane === 'instructions' && record?.bench === owner && record.name === name && record.prog_type === type;
}

function joinName({ owner, name }: ProgramName): string {
  return `${owner}/${name}`;
}

function nameTogether(
  records: readonly ProgramRecord[],
): Pick<NamedProgram, 'benchmark' | 'set' | 'isMix' | 'records'>[] {
  const own = records.toSorted(compareRecords);
  const sharedNames = findSharedNames(own);
  return groupBy(own, ({ name, prog_type }) => JSON.stringify([name, prog_type])).flatMap((alike) => {
    const plain = nameOf(alike[0], sharedNames);
    return splitByTag(alike).flatMap(({ tag, records, isMix }) => {
      const name = tag === null ? plain : `${plain} (tag ${tag})`;
      const readings = groupBy(records, readingKey);
      const size = largestReading(records);
      const isLoadedByCost = readings.every(
        (own) => own.length === size && byCost(own).every((one, i) => one === own[i]),
      );
      const set = isMix || !isLoadedByCost ? { name, size } : null;
      return matchByCost(readings).map((own, index) => ({
        benchmark: index === 0 ? name : `${name} #${index + 1}`,
        set,
        isMix,
        records: own,
      }));
    });
  });
}

/** Sorts by name, type and revision, then by reading in the order taken. */
function compareRecords(a: ProgramRecord, b: ProgramRecord): number {
  const key = ({ name, prog_type, revision }: ProgramRecord) => JSON.stringify([name, prog_type, revision]);
  const [one, other] = [key(a), key(b)];
  return one < other ? -1 : one > other ? 1 : a.reading - b.reading || a.id - b.id;
}

/** Names within a bench that programs of more than one type share. */
function findSharedNames(records: readonly ProgramRecord[]): ReadonlySet<string> {
  const groups = groupBy(records, ({ name }) => name);
  const shared = groups.filter((group) => new Set(group.map(({ prog_type }) => prog_type)).size > 1);
  return new Set(shared.map(([{ name }]) => name));
}

function nameOf({ bench, name, prog_type }: ProgramRecord, sharedNames: ReadonlySet<string>): string {
  if (name === '') return `${bench}/unnamed ${prog_type}`;
  return `${bench}/${name}${sharedNames.has(name) ? ` (${prog_type})` : ''}`;
}

function readingKey({ revision, reading }: ProgramRecord): string {
  return JSON.stringify([revision, reading]);
}

function largestReading(records: readonly ProgramRecord[]): number {
  return Math.max(...groupBy(records, readingKey).map((group) => group.length));
}

interface Part {
  /** The shown part of base's tag, else of head's; null for the only part or a mix. */
  readonly tag: string | null;
  readonly records: readonly ProgramRecord[];
  /** Whether it holds programs of several tags, none of which is known to be another's successor. */
  readonly isMix: boolean;
}

/**
 * Splits programs of one name and type by their tags. A tag that both revisions have is one program. If one other tag
 * is left in each revision, they are one program that was changed. If more are left, on both sides, which became which
 * is unknown.
 */
function splitByTag(alike: readonly ProgramRecord[]): Part[] {
  if (largestReading(alike) === 1) return [{ tag: null, records: alike, isMix: false }];
  const tagsOf = (isHead: boolean) =>
    new Set(alike.filter(({ revision }) => (revision === 'head') === isHead).map(({ tag }) => tag));
  const [base, head] = [tagsOf(false), tagsOf(true)];
  const withTags = (tags: readonly string[]) => alike.filter(({ tag }) => tags.includes(tag));
  const partOf = (...tags: string[]) => ({
    tag: (tags[0] ?? '').slice(0, shownDigits),
    records: withTags(tags),
    isMix: false,
  });
  const common = [...base].filter((tag) => head.has(tag));
  const gone = [...base].filter((tag) => !head.has(tag));
  const come = [...head].filter((tag) => !base.has(tag));
  const isMix = gone.length > 0 && come.length > 0 && gone.length + come.length > 2;
  const rest = isMix
    ? [{ tag: null, records: withTags([...gone, ...come]), isMix }]
    : gone.length > 0 && come.length > 0
      ? [partOf(...gone, ...come)]
      : [...gone, ...come].map((tag) => partOf(tag));
  const parts = [...common.toSorted().map((tag) => partOf(tag)), ...rest];
  return parts.length === 1 ? parts.map((part) => ({ ...part, tag: null })) : parts;
}

/** The programs of one reading, the cheapest first; those that never ran last. */
function byCost(reading: readonly ProgramRecord[]): ProgramRecord[] {
  return reading.toSorted((a, b) => costOf(a) - costOf(b) || a.run_cnt - b.run_cnt || a.id - b.id);
}

function costOf({ run_cnt, run_time_ns }: ProgramRecord): number {
  return run_cnt === 0 ? Number.MAX_VALUE : run_time_ns / run_cnt;
}

/**
 * Matches the programs of all readings by their cost: the cheapest of each, the second cheapest of each, and so on. A
 * reading with fewer programs than the largest one is aligned to it, so that each program is matched with the nearest.
 */
function matchByCost(readings: readonly (readonly ProgramRecord[])[]): ProgramRecord[][] {
  const sorted = readings.map(byCost);
  const largest = sorted.reduce<ProgramRecord[]>((most, own) => (own.length > most.length ? own : most), []);
  const matched: ProgramRecord[][] = largest.map(() => []);
  for (const own of sorted) {
    for (const [index, place] of findPlaces(own.map(costOf), largest.map(costOf)).entries()) {
      const record = own[index];
      if (record !== undefined) matched[place]?.push(record);
    }
  }
  return matched;
}

/**
 * Finds each cost's place among `places`, in the same order and with the least sum of log ratios between the two.
 *
 * @param costs in rising order, as `places` are, and no more of them
 */
function findPlaces(costs: readonly number[], places: readonly number[]): number[] {
  const spare = places.length - costs.length;
  const distance = (index: number, place: number) =>
    Math.abs(Math.log1p(costs[index] ?? 0) - Math.log1p(places[place] ?? 0));
  // Indexed by cost, then by how many places before it stay empty: the least sum up to there, and how many stay empty
  // before the previous cost.
  const steps: { sum: number; before: number }[][] = [];
  let sums = new Array<number>(spare + 1).fill(0);
  for (const index of costs.keys()) {
    let least = { sum: Number.POSITIVE_INFINITY, before: 0 };
    const step = sums.map((sum, empty) => {
      if (sum < least.sum) least = { sum, before: empty };
      return { sum: least.sum + distance(index, index + empty), before: least.before };
    });
    steps.push(step);
    sums = step.map(({ sum }) => sum);
  }
  let empty = sums.indexOf(Math.min(...sums));
  const found: number[] = [];
  for (const [index, step] of [...steps.entries()].toReversed()) {
    found.push(index + empty);
    empty = step[empty]?.before ?? 0;
  }
  return found.toReversed();
}

/** One program of an object, by head's name for it. */
export interface NamedLoad extends Pick<NamedProgram, 'renamedFrom'> {
  /** `<object>/<program>` */
  readonly benchmark: string;
  /** Records, one for each revision that has it. */
  readonly records: readonly [LoadRecord, ...LoadRecord[]];
}

/** Names the programs of objects. */
export function nameLoads(loads: readonly LoadRecord[], renames: readonly Rename[] = []): NamedLoad[] {
  const own = renames.filter(({ lane }) => lane === 'verifier');
  const nameOf = ({ object, program }: LoadRecord) => joinName({ owner: object, name: program });
  const inHead = new Map(own.map(({ base, head }) => [joinName(base), joinName(head)]));
  const inBase = new Map([...inHead].map(([base, head]) => [head, base]));
  const named = (load: LoadRecord) => (load.revision === 'base' ? inHead.get(nameOf(load)) : undefined) ?? nameOf(load);
  return groupBy(loads, named).map((records) => {
    const benchmark = named(records[0]);
    return { benchmark, renamedFrom: inBase.get(benchmark), records };
  });
}

/** Says why programs of an object may be missing: it could not be read completely in that revision; null if it was. */
export function findObjectError(run: GuestRun, object: string, revision: RevisionName): string | null {
  const own = run.objects.find((each) => each.object === object && each.revision === revision);
  if (own === undefined) return null;
  const tried = run.loads.filter((each) => each.object === object && each.revision === revision).length;
  return own.error ?? (tried < own.programs ? 'not all programs of its object could be tried' : null);
}

/**
 * Leaves out each object whose programs are all, in each revision, in another object that stays. An example is an
 * object that bpftool made a skeleton's object from.
 */
export function leaveOutCopies(run: GuestRun): GuestRun {
  const keyOf = (each: { readonly object: string; readonly revision: string }) =>
    JSON.stringify([each.object, each.revision]);
  const loaded = new Map(groupBy(run.loads, keyOf).map((loads) => [keyOf(loads[0]), loads.length]));
  // An object that could not be read completely stays: its error says more than its programs do.
  const isRead = (each: GuestRun['objects'][number]) => {
    const count = loaded.get(keyOf(each)) ?? 0;
    return count >= each.programs && (count > 0 || each.error === null);
  };
  const unread = new Set(run.objects.filter((each) => !isRead(each)).map(({ object }) => object));
  const contents = groupBy(run.loads, ({ object }) => object).map((loads) => ({
    object: loads[0].object,
    programs: loads.map(({ revision, object, program, section, code }) =>
      JSON.stringify([revision, program, section, code ?? object]),
    ),
  }));
  // Largest first, so that an object that stays is known before a copy of part of it comes.
  contents.sort(
    (a, b) =>
      b.programs.length - a.programs.length || a.object.length - b.object.length || (a.object < b.object ? -1 : 1),
  );
  const holders = new Map<string, Set<string>>();
  const copies = new Set<string>();
  for (const { object, programs } of contents) {
    const others = [...(holders.get(programs[0] ?? '') ?? [])];
    if (!unread.has(object) && others.some((other) => programs.every((each) => holders.get(each)?.has(other)))) {
      copies.add(object);
      continue;
    }
    for (const program of programs) {
      const having = holders.get(program) ?? new Set();
      holders.set(program, having.add(object));
    }
  }
  const stays = ({ object }: { readonly object: string }) => !copies.has(object);
  return { ...run, objects: run.objects.filter(stays), loads: run.loads.filter(stays) };
}

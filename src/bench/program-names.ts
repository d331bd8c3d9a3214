// Bench: identifies BPF programs of all lanes, within a revision and between base and head. Pure.
//
// In the verifier lane a program is its object's name and its own; an object that holds nothing but copies of another's
// programs is left out. One that a bench loads is its name (from BTF where it has some, which is longer than the kernel's 15
// characters) and its type. Where a bench loads several of one name and type, the kernel's tag, a hash of their instructions,
// distinguishes them. The order of loading does not, since loaders such as cilium/ebpf load a collection in random order. One
// program that is loaded several times is numbered in the order of loading, as a bench makes its cases. What none of these
// distinguishes is compared as a set. What head has under another name than base is called as in head: see `Rename`.

import type { RevisionName } from '../build/build.ts';
import { groupBy } from '../group-by.ts';
import type { GuestRun, LoadRecord, ProgramRecord, RunName } from '../vm/guest-run.ts';

type AnyProgram = ProgramRecord<RunName>;

/** What loads a program, the bench or the object, and the program's name. */
export interface ProgramName {
  readonly owner: string;
  readonly name: string;
}

/** A program that head has under another name than base, or in another object. Of a bench, all programs of the name and type. */
export interface Rename {
  readonly lane: 'instructions' | 'verifier';
  /** The kernel's lower-case name of its type. */
  readonly type: string | null;
  readonly base: ProgramName;
  readonly head: ProgramName;
}

/** One program of a bench, or a set of programs that cannot be distinguished. */
export interface NamedProgram<Program extends AnyProgram> {
  /** `<bench>/<program>`, with its type, tag or number behind it where others have its name. */
  readonly benchmark: string;
  /** The number of programs in the set; 1 for one program. */
  readonly size: number;
  /** What each revision alone calls it, where that is not `benchmark`: base's may have another name, or no need of a tag. */
  readonly ownNames: OwnNames;
  /** What base calls it, where head calls it otherwise. */
  readonly renamedFrom: string | undefined;
  /** One for each revision and reading; of a set, with the sum of its counters. By revision, then reading. */
  readonly records: readonly Program[];
}

type OwnNames = Readonly<Record<RevisionName, string | undefined>>;

/** Programs libraries load to learn what the kernel can do; none ever runs. aya `sys/bpf.rs`, libbpf `features.c`. */
const loaderProbes = ['', 'aya_name_check', 'libbpf_nametest', 'det_arg_ctx', 'test'];
/** Bytes of a wide load of 0 and an exit. cilium/ebpf test-runs such a program, without a name, to probe the kernel. */
const longestProbe = 24;
/** Shown digits of a tag's 16. */
const shownDigits = 8;

export function isProbe({ name, run_cnt, xlated_bytes }: AnyProgram): boolean {
  return (run_cnt === 0 && loaderProbes.includes(name)) || (name === '' && xlated_bytes <= longestProbe);
}

/**
 * Names the programs of one bench. Neither the order of the records nor that of loading matters.
 *
 * @param records all of the bench, of every revision and reading; what loaders probe the kernel with is left out
 */
export function namePrograms<Program extends AnyProgram>(
  records: readonly Program[],
  renames: readonly Rename[] = [],
): NamedProgram<Program>[] {
  const programs = records.filter((record) => !isProbe(record));
  const isHead = ({ revision }: AnyProgram) => revision === 'head';
  const alone = new Map([
    ...nameAlone(programs.filter((record) => !isHead(record))),
    ...nameAlone(programs.filter(isHead)),
  ]);
  const asInHead = new Map(programs.map((record) => [renameRecord(record, renames), record]));
  return nameTogether([...asInHead.keys()]).map((named) => {
    // The records of a set are sums, which have no name of their own.
    const own = named.records.flatMap((record) => asInHead.get(record) ?? []);
    const nameIn = (side: readonly Program[]) => {
      const name = side[0] && alone.get(side[0]);
      return name === named.benchmark ? undefined : name;
    };
    const before = named.records.find((record) => !isHead(record));
    const rename = renames.find(({ lane, type, head }) => isOf(before, lane, type, head));
    const ownNames = { base: nameIn(own.filter((record) => !isHead(record))), head: nameIn(own.filter(isHead)) };
    return { ...named, ownNames, renamedFrom: rename && (ownNames.base ?? joinName(rename.base)) };
  });
}

/** Programs of one revision to their names; without those that it cannot distinguish. */
function nameAlone<Program extends AnyProgram>(records: readonly Program[]): [Program, string][] {
  return nameTogether(records).flatMap(({ benchmark, records }) =>
    records.map((record): [Program, string] => [record, benchmark]),
  );
}

function renameRecord<Program extends AnyProgram>(record: Program, renames: readonly Rename[]): Program {
  if (record.revision === 'head') return record;
  const rename = renames.find(({ lane, type, base }) => isOf(record, lane, type, base));
  return rename === undefined ? record : { ...record, name: rename.head.name };
}

function isOf(record: AnyProgram | undefined, lane: Rename['lane'], type: string | null, { owner, name }: ProgramName) {
  return lane === 'instructions' && record?.bench === owner && record.name === name && record.prog_type === type;
}

function joinName({ owner, name }: ProgramName): string {
  return `${owner}/${name}`;
}

function nameTogether<Program extends AnyProgram>(
  records: readonly Program[],
): Pick<NamedProgram<Program>, 'benchmark' | 'size' | 'records'>[] {
  const own = records.toSorted(compareRecords);
  const sharedNames = findSharedNames(own);
  return groupBy(own, ({ name, prog_type }) => JSON.stringify([name, prog_type])).flatMap((alike) => {
    const [first] = alike;
    if (first === undefined) return [];
    const plain = nameOf(first, sharedNames);
    return splitByTag(alike).flatMap(({ tag, records, isMix }) => {
      const name = tag === null ? plain : `${plain} (tag ${tag})`;
      const size = largestReading(records);
      if (isMix || isShuffled(records))
        return [{ benchmark: `${name} (${size} programs)`, size, records: addUp(records) }];
      return byOrder(records).map((own, index) => ({
        benchmark: index === 0 ? name : `${name} #${index + 1}`,
        size: 1,
        records: own,
      }));
    });
  });
}

/** Text order, then readings as they were taken. */
function compareRecords(a: AnyProgram, b: AnyProgram): number {
  const key = ({ name, prog_type, revision }: AnyProgram) => JSON.stringify([name, prog_type, revision]);
  const [one, other] = [key(a), key(b)];
  return one < other ? -1 : one > other ? 1 : a.reading - b.reading || a.id - b.id;
}

/** Names within a bench that programs of more than one type have. */
function findSharedNames(records: readonly AnyProgram[]): ReadonlySet<string> {
  const groups = groupBy(records, (record) => record.name);
  const shared = groups.filter((group) => new Set(group.map((record) => record.prog_type)).size > 1);
  return new Set(shared.flatMap((group) => group.map((record) => record.name)));
}

function nameOf({ bench, name, prog_type }: AnyProgram, sharedNames: ReadonlySet<string>): string {
  if (name === '') return `${bench}/unnamed ${prog_type}`;
  return `${bench}/${name}${sharedNames.has(name) ? ` (${prog_type})` : ''}`;
}

function readingKey({ revision, reading }: AnyProgram): string {
  return JSON.stringify([revision, reading]);
}

function largestReading(records: readonly AnyProgram[]): number {
  return Math.max(...groupBy(records, readingKey).map((group) => group.length));
}

interface Part<Program> {
  /** The shown part of base's tag, else of head's; null where it is the only part. */
  readonly tag: string | null;
  readonly records: readonly Program[];
  /** Whether it holds programs of several tags, none of which is known to be another's successor. */
  readonly isMix: boolean;
}

/**
 * Parts programs of one name and type by their tags. A tag that both revisions have is one program. Of the others, one that
 * is left of each revision is one program that was changed; where more are left of both, which became which is unknown.
 */
function splitByTag<Program extends AnyProgram>(alike: readonly Program[]): Part<Program>[] {
  if (largestReading(alike) === 1) return [{ tag: null, records: alike, isMix: false }];
  const tagsOf = (isHead: boolean) =>
    new Set(alike.filter(({ revision }) => (revision === 'head') === isHead).map(({ tag }) => tag));
  // The time lane runs base twice.
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

/** The records of each reading, in the order of loading. */
function readingsOf<Program extends AnyProgram>(records: readonly Program[]): (readonly Program[])[] {
  return groupBy(records, readingKey);
}

/** The first program of each reading, the second of each, and so on. */
function byOrder<Program extends AnyProgram>(records: readonly Program[]): Program[][] {
  const readings = readingsOf(records);
  return Array.from({ length: largestReading(records) }, (_, index) => readings.flatMap((own) => own[index] ?? []));
}

/** Whether the same numbers of runs come in another order in another reading: then the order of loading says nothing. */
function isShuffled(records: readonly AnyProgram[]): boolean {
  const runs = readingsOf(records).map((own) => own.map(({ run_cnt }) => run_cnt));
  return groupBy(runs, (own) => JSON.stringify(own.toSorted((a, b) => a - b))).some(
    (same) => new Set(same.map((own) => JSON.stringify(own))).size > 1,
  );
}

/** One record for each reading, with the counters of all of its programs. */
function addUp<Program extends AnyProgram>(records: readonly Program[]): Program[] {
  return readingsOf(records).flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const sum = (of: (record: Program) => number) => own.reduce((total, record) => total + of(record), 0);
    const missed = own.some((record) => record.recursion_misses !== null);
    return {
      ...first,
      run_cnt: sum((record) => record.run_cnt),
      run_time_ns: sum((record) => record.run_time_ns),
      recursion_misses: missed ? sum((record) => record.recursion_misses ?? 0) : null,
      warnings: [...new Set(own.flatMap((record) => record.warnings ?? []))],
      // Those of one of them would be taken for those of all.
      lines: undefined,
    };
  });
}

/** One program of an object, by the name that head has for it. */
export interface NamedLoad extends Pick<NamedProgram<AnyProgram>, 'renamedFrom'> {
  /** `<object>/<program>` */
  readonly benchmark: string;
  /** At least one; one for each revision that has it. */
  readonly records: readonly [LoadRecord, ...LoadRecord[]];
}

/** Names the programs of objects. */
export function nameLoads(loads: readonly LoadRecord[], renames: readonly Rename[] = []): NamedLoad[] {
  const own = renames.filter(({ lane }) => lane === 'verifier');
  const nameOf = ({ object, program }: LoadRecord) => joinName({ owner: object, name: program });
  const inHead = new Map(own.map(({ base, head }) => [joinName(base), joinName(head)]));
  const inBase = new Map([...inHead].map(([base, head]) => [head, base]));
  const named = (load: LoadRecord) => (load.revision === 'base' ? inHead.get(nameOf(load)) : undefined) ?? nameOf(load);
  return groupBy(loads, named).flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const benchmark = named(first);
    return { benchmark, renamedFrom: inBase.get(benchmark), records: [first, ...others] };
  });
}

/** Says why programs of an object may be missing: it could not be read to its end in that revision; null where it was. */
export function findObjectError(run: GuestRun, object: string, revision: RevisionName): string | null {
  const own = run.objects.find((each) => each.object === object && each.revision === revision);
  if (own === undefined) return null;
  const tried = run.loads.filter((each) => each.object === object && each.revision === revision).length;
  return own.error ?? (tried < own.programs ? 'not all programs of its object could be tried' : null);
}

/**
 * Leaves out objects that in each revision have nothing but programs that an object which stays has there, too, such as what
 * bpftool makes a skeleton's object of.
 */
export function leaveOutCopies(run: GuestRun): GuestRun {
  const keyOf = (each: { readonly object: string; readonly revision: string }) =>
    JSON.stringify([each.object, each.revision]);
  const loaded = new Map(groupBy(run.loads, keyOf).map((loads) => [loads[0] && keyOf(loads[0]), loads.length]));
  // What could not be read to its end has more to say than its programs do.
  const isRead = (each: GuestRun['objects'][number]) => {
    const count = loaded.get(keyOf(each)) ?? 0;
    return count >= each.programs && (count > 0 || each.error === null);
  };
  const unread = new Set(run.objects.filter((each) => !isRead(each)).map(({ object }) => object));
  const contents = groupBy(run.loads, ({ object }) => object).map((loads) => ({
    object: loads[0]?.object ?? '',
    programs: loads.map(({ revision, object, program, section, code }) =>
      JSON.stringify([revision, program, section, code ?? object]),
    ),
  }));
  // The largest first, so that what stays is known when a copy of a part of it comes.
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

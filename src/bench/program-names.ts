// Bench: identifies BPF programs within a bench and between revisions. Pure.
//
// A program is its name (from BTF where it has some, which is longer than the kernel's 15 characters) and its type. Where a
// bench loads several of one name and type, the kernel's tag, a hash of their instructions, distinguishes them. The order of
// loading does not, since loaders such as cilium/ebpf load a collection in random order. One program that is loaded several
// times is numbered in the order of loading, as a bench makes its cases. What none of these distinguishes is compared as a set.

import { groupBy } from '../group-by.ts';
import type { ProgramRecord, RunName } from '../vm/guest-run.ts';

type AnyProgram = ProgramRecord<RunName>;

/** One program of a bench, or a set of programs that cannot be distinguished. */
export interface NamedProgram<Program extends AnyProgram> {
  /** `<bench>/<program>`, with its type, tag or number behind it where others have its name. */
  readonly benchmark: string;
  /** The number of programs in the set; 1 for one program. */
  readonly size: number;
  /** One for each revision and reading; of a set, with the sum of its counters. By revision, then reading. */
  readonly records: readonly Program[];
}

/** Programs libraries load to learn what the kernel can do; none ever runs. aya `sys/bpf.rs`, libbpf `features.c`. */
const loaderProbes = ['', 'aya_name_check', 'libbpf_nametest', 'det_arg_ctx', 'test'];
/** Bytes of a wide load of 0 and an exit. cilium/ebpf test-runs such a program, without a name, to probe the kernel. */
const longestProbe = 24;
/** Shown digits of a tag's 16. */
const shownDigits = 8;

function isProbe({ name, run_cnt, xlated_bytes }: AnyProgram): boolean {
  return (run_cnt === 0 && loaderProbes.includes(name)) || (name === '' && xlated_bytes <= longestProbe);
}

/**
 * Names the programs of one bench. Neither the order of the records nor that of loading matters.
 *
 * @param records all of the bench, of every revision and reading; what loaders probe the kernel with is left out
 */
export function namePrograms<Program extends AnyProgram>(records: readonly Program[]): NamedProgram<Program>[] {
  const own = records.filter((record) => !isProbe(record)).toSorted(compareRecords);
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

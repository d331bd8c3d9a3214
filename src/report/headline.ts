// Report: the one sentence that says what changed, and where.

import { clipMiddle } from '../common/clip-middle.ts';
import { groupBy } from '../common/group-by.ts';
import type { ComparisonVerdict } from '../compare/comparison.ts';
import { countOf, joinWords, type Sentence, type Span } from './plain-text.ts';
import {
  type Cell,
  isLoads,
  type KernelColumn,
  type KernelFailure,
  type KernelGap,
  type Row,
  unitIsMeasure,
} from './row.ts';

/** Rows named in the headline; the rest are counted. */
const maxNamed = 3;
/** Longest name printed whole, in characters. */
const maxName = 80;
/** Different deltas of one row that are listed one by one. */
const maxDeltas = 3;
/** Kernels named in one place; more are counted. */
const maxKernels = 6;

/** A part of head that the verifier lane could not try. */
export interface Unverified {
  /** `<object>/<program>`, or `<object>/*` for all programs of an object that could not be read. */
  readonly benchmark: string;
  /** Ids of the kernels. */
  readonly kernels: readonly string[];
  readonly reason: Sentence;
}

/**
 * Writes the headline: `2 regressions: ... . 6.12 could not be measured.`
 *
 * @param rows worst first
 * @param isSameTree whether base and head have the same files
 * @param configChanges what head changes in its configuration
 * @param unverified always printed, because it would otherwise go unnoticed
 */
export function composeHeadline(
  rows: readonly Row[],
  kernels: readonly KernelColumn[],
  failures: readonly KernelFailure[],
  isSameTree: boolean,
  configChanges: readonly Sentence[],
  unverified: readonly Unverified[],
): Sentence {
  const withVerdict = (verdict: ComparisonVerdict) => rows.filter((row) => row.verdict === verdict);
  const regressions = withVerdict('regression');
  const improvements = withVerdict('improvement');
  const inconclusive = withVerdict('inconclusive');
  const measured = kernels.filter(({ failed }) => !failed).map(({ id }) => id);
  const nameChange = (row: Row): Sentence => [...nameRow(row), ` ${describeChange(row, kernels)}`];

  const sentences: Sentence[] = [];
  if (regressions.length > 0) {
    sentences.push([`${countOf(regressions.length, 'regression')}: `, ...nameSome(regressions, nameChange, '; ')]);
    const verified = countVerified(rows);
    if (verified.length > 0) sentences.push([verified.join(', ')]);
  } else if (rows.length > 0 && rows.every(({ verdict }) => verdict === 'unsupported')) {
    sentences.push(['Nothing was measured: every benchmark needs a newer kernel']);
  } else if (measured.length > 0) {
    sentences.push([`No regression${countUnchanged(rows)} on ${nameKernels(measured)}`]);
  }
  for (const group of groupBy(failures, ({ problem }) => problem)) {
    const ids = group.map(({ kernel }) => kernel);
    const problem = group[0].problem.replace('was', ids.length === 1 ? 'was' : 'were');
    sentences.push([`${nameKernels(ids)} ${problem}`]);
  }
  if (unverified.length > 0) sentences.push(nameUnverified(unverified, kernels));
  if (configChanges.length > 0) {
    const named = nameSome(configChanges, (change) => change, '; ');
    sentences.push(['What is measured, and how, is not as base has it: ', ...named]);
  }
  if (inconclusive.length > 0) {
    const what = `${countOf(inconclusive.length, 'comparison')} cannot be decided`;
    sentences.push([`${what}: `, ...nameSome(inconclusive, nameUndecided)]);
  }
  if (improvements.length > 0) {
    sentences.push([`${countOf(improvements.length, 'improvement')}: `, ...nameSome(improvements, nameChange, '; ')]);
  }
  const renamed = onePerBenchmark(rows.filter(({ origin }) => origin !== null));
  if (renamed.length > 0) {
    sentences.push([`${countOf(renamed.length, 'BPF program')} renamed or moved: `, ...nameSome(renamed, nameOrigin)]);
  }
  for (const verdict of ['removed', 'added'] as const) {
    const benchmarks = onePerBenchmark(withVerdict(verdict));
    if (benchmarks.length > 0) {
      sentences.push([`${countOf(benchmarks.length, 'benchmark')} ${verdict}: `, ...nameSome(benchmarks, nameRow)]);
    }
  }
  const moved = onePerBenchmark(rows.filter(({ gaps }) => gaps.some(needsNewer)));
  if (moved.length > 0) {
    const verb = moved.length === 1 ? 'needs a newer kernel' : 'need newer kernels';
    sentences.push([`${countOf(moved.length, 'benchmark')} ${verb} than base: `, ...nameSome(moved, nameRow)]);
  }
  if (sentences.length === 0) return ['Nothing was measured.'];
  if (isSameTree) sentences.unshift(['Base and head are the same tree, so no change was measured']);
  return sentences.flatMap((sentence, index): Sentence => [index === 0 ? '' : ' ', ...sentence, '.']).filter(Boolean);
}

function onePerBenchmark(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.benchmark, row])).values()];
}

/** `24 BPF programs could not be verified on 5.10: `a`, `b`, `c` and 21 more: the kernel has no fentry` */
function nameUnverified(unverified: readonly Unverified[], kernels: readonly KernelColumn[]): Sentence {
  const objects = unverified.filter(({ benchmark }) => benchmark.endsWith('/*')).length;
  const programs = unverified.length - objects;
  const what = joinWords([
    ...(programs > 0 ? [countOf(programs, 'BPF program')] : []),
    ...(objects > 0 ? [`${programs > 0 ? 'all' : 'All'} programs of ${countOf(objects, 'object')}`] : []),
  ]);
  const where = new Set(unverified.flatMap((each) => each.kernels));
  const on = where.size === kernels.length ? '' : ` on ${nameKernels([...where])}`;
  const byReason = groupBy(unverified, ({ reason }) => JSON.stringify(reason));
  const [most = []] = byReason.toSorted((a, b) => b.length - a.length);
  const others = byReason.length > 1 ? `, and ${countOf(byReason.length - 1, 'other reason')}` : '';
  return [
    `${what} could not be verified${on}: `,
    ...nameSome(most, nameRow, ', ', unverified.length),
    ': ',
    ...(most[0]?.reason ?? []),
    others,
  ].filter(Boolean);
}

/** `: 8 benchmarks unchanged, 1 changed within its limit, 49 programs verified`; empty if none is unchanged. */
function countUnchanged(rows: readonly Row[]): string {
  const benchmarks = unchangedOf(rows.filter(({ lane }) => lane !== 'verifier'));
  const changed = benchmarks.filter((group) => group.some(({ cells }) => cells.some((cell) => cell?.differs)));
  const same = benchmarks.length - changed.length;
  const limits = changed.length === 1 ? 'its limit' : 'their limits';
  const counts = [
    ...(same === 0 ? [] : [`${countOf(same, 'benchmark')} unchanged`]),
    ...(changed.length === 0
      ? []
      : [`${same === 0 ? countOf(changed.length, 'benchmark') : changed.length} changed within ${limits}`]),
    ...countVerified(rows),
  ];
  return counts.length === 0 ? '' : `: ${counts.join(', ')}`;
}

/**
 * `49 BPF programs verified as before`, `8 BPF programs refused as before`: the unchanged ones of the verifier lane.
 */
function countVerified(rows: readonly Row[]): string[] {
  const programs = unchangedOf(rows.filter(({ lane }) => lane === 'verifier')).filter((group) =>
    group.some((row) => isLoads(row) && row.cells.some((cell) => cell?.values.head === 1)),
  );
  const refused = unchangedOf(rows.filter(isLoads)).filter((group) =>
    group.every(({ cells }) => cells.every((cell) => cell === null || cell.values.head === 0)),
  );
  return [
    ...(programs.length === 0 ? [] : [`${countOf(programs.length, 'BPF program')} verified as before`]),
    ...(refused.length === 0 ? [] : [`${countOf(refused.length, 'BPF program')} refused as before`]),
  ];
}

/** Groups the rows of unchanged benchmarks by benchmark. */
function unchangedOf(rows: readonly Row[]): Row[][] {
  return groupBy(rows, ({ benchmark }) => benchmark).filter((group) =>
    group.every(({ verdict }) => verdict === 'unchanged'),
  );
}

/**
 * Describes how the cells of the row's verdict changed: `+28 instructions per run on every kernel`. Where kernels differ:
 * `+28 instructions per run on 5.10, +30 on 6.1`. Where many differ: `+28 to +35 instructions per run on every kernel`.
 * Then it says where the benchmark was lost or won: `no longer runs on 5.10 (needs 5.18)`.
 */
export function describeChange(row: Row, kernels: readonly KernelColumn[]): string {
  const own = row.cells.filter((cell): cell is Cell => cell?.verdict === row.verdict);
  const cells = own.filter(({ needs }) => needs === null);
  const measured = kernels.filter(({ failed }) => !failed);
  const everywhere = measured.length === kernels.length ? 'on every kernel' : 'on every measured kernel';
  const where = (group: readonly Cell[]) =>
    group.length === measured.length && group.length > 1
      ? everywhere
      : `on ${nameKernels(group.map(({ kernel }) => kernel))}`;

  if (isLoads(row)) return `${row.verdict === 'regression' ? 'no longer loads' : 'now loads'} ${where(own)}`;
  const groups = groupBy(cells, ({ delta }) => delta ?? '');
  if (groups.length > maxDeltas) {
    const ordered = [...cells].sort((a, b) => Math.abs(a.values.delta ?? 0) - Math.abs(b.values.delta ?? 0));
    const largest = ordered.at(-1)?.delta ?? '';
    const range = `${ordered[0]?.delta} to ${largest} ${nameUnit(row, largest)} ${where(cells)}`;
    return [range, ...describeGaps(own, where)].join(', ');
  }
  const deltas = groups.map((group, index) => {
    const delta = group[0].delta ?? '';
    return `${delta}${index === 0 ? ` ${nameUnit(row, delta)}` : ''} ${where(group)}`;
  });
  return [...deltas, ...describeGaps(own, where)].join(', ');
}

function describeGaps(cells: readonly Cell[], where: (group: readonly Cell[]) => string): string[] {
  return groupBy(cells, ({ needs }) => JSON.stringify(needs)).flatMap((group) => {
    const { needs } = group[0];
    if (needs === null) return [];
    return needs.side === 'head'
      ? `no longer runs ${where(group)} (needs ${needs.kernel})`
      : `now runs ${where(group)} (base needs ${needs.kernel})`;
  });
}

/** Whether neither side ran there, but head needs a newer kernel than base. */
function needsNewer(gap: KernelGap | null): boolean {
  if (gap === null || gap.base === null || gap.head === null) return false;
  return gap.base.localeCompare(gap.head, 'en', { numeric: true }) < 0;
}

/** `instructions per run`, or `bytes (peak-bytes)` if the unit does not identify the measure. */
function nameUnit(row: Row, delta: string): string {
  const isOne = /^.1(\.0+)?$/.test(delta);
  const unit = (isOne ? row.unit.replace(/^(instruction|byte|block)s\b/, '$1') : row.unit).replace('/', ' per ');
  return unitIsMeasure(row) ? unit : `${unit} (${row.measure})`.trimStart();
}

function nameRow({ benchmark }: Pick<Row, 'benchmark'>): Sentence {
  return [{ code: clipMiddle(benchmark, maxName) }];
}

/** `` `bench/new` (renamed from `old`) `` */
function nameOrigin(row: Row): Sentence {
  const shown = (row.origin ?? []).map((span) =>
    typeof span === 'string' ? span : { code: clipMiddle(span.code, maxName) },
  );
  return [...nameRow(row), ' (', ...shown, ')'];
}

/** `varying/lru_random1` (±0.33%) */
function nameUndecided(row: Row): Sentence {
  const spreads = row.cells.flatMap((cell) => (cell?.verdict === 'inconclusive' ? (cell.spread ?? []) : []));
  const [widest] = spreads.toSorted((a, b) => Number.parseFloat(b.slice(1)) - Number.parseFloat(a.slice(1)));
  return widest === undefined ? nameRow(row) : [...nameRow(row), ` (${widest})`];
}

/** Names the first few of `total` items, and counts the rest. */
function nameSome<Item>(
  items: readonly Item[],
  toName: (item: Item) => Sentence,
  separator = ', ',
  total = items.length,
): Span[] {
  const named = items.slice(0, maxNamed).map(toName);
  const spans = named.flatMap((item, index): Sentence => (index === 0 ? item : [separator, ...item]));
  const more = total - named.length;
  return more > 0 ? [...spans, `${separator}and ${more} more`] : spans;
}

function nameKernels(ids: readonly string[]): string {
  return ids.length > maxKernels
    ? `${ids.slice(0, maxKernels - 1).join(', ')} and ${ids.length - maxKernels + 1} more kernels`
    : joinWords(ids);
}

// Report: the one sentence that says what changed, and where.

import { clipMiddle } from '../common/clip-middle.ts';
import { groupBy } from '../common/group-by.ts';
import { compareVersions } from '../common/versions.ts';
import { findingVerdicts } from '../compare/comparison.ts';
import { type FindingDetail, isOwn, widestSpread } from './finding-detail.ts';
import { clipNames, countOf, joinWords, type Sentence, type Span } from './plain-text.ts';
import { isLoads, type KernelColumn, type KernelFailure, type KernelGap, nameKernels, type Row } from './row.ts';

/** Findings and rows named in the headline; the rest are counted. */
const maxNamed = 3;
/** Longest name printed whole, in characters. */
const maxName = 80;

/** A part of head that the verifier lane could not try. */
export interface Unverified {
  /** `<object>/<program>`, or `<object>/*` for all programs of an object that could not be read. */
  readonly benchmark: string;
  /** Ids of the kernels. */
  readonly kernels: readonly string[];
  readonly reason: Sentence;
}

/**
 * Writes the headline: `2 findings: ... . 6.12 could not be measured.`
 *
 * @param findings worst first
 * @param rows all, worst first
 * @param isSameTree whether base and head have the same files
 * @param configChanges what head changes in its configuration
 * @param unverified always printed, because it would otherwise go unnoticed
 * @param returns the number of programs' return values that differ from base's
 */
export function composeHeadline(
  findings: readonly FindingDetail[],
  rows: readonly Row[],
  kernels: readonly KernelColumn[],
  failures: readonly KernelFailure[],
  isSameTree: boolean,
  configChanges: readonly Sentence[],
  unverified: readonly Unverified[],
  returns: number,
): Sentence {
  const [worse, undecided, better] = findingVerdicts.map((verdict) =>
    findings.filter((finding) => finding.verdict === verdict && !finding.isAccepted),
  ) as [FindingDetail[], FindingDetail[], FindingDetail[]];
  const measured = kernels.filter(({ failed }) => !failed).map(({ id }) => id);

  const accepted = findings.filter(({ isAccepted }) => isAccepted);
  const sentences: Sentence[] = [];
  const improved = (lead: string): Sentence => [`${lead}: `, ...nameSome(better, nameFinding, '; ')];
  const isOnlyBetter = better.length > 0 && better.length === findings.length && failures.length === 0;
  const failed = nameFailures(failures, kernels);
  // Without a regression they decide the verdict.
  if (worse.length === 0) sentences.push(...failed);
  if (isOnlyBetter) {
    const same = describeSame(rows);
    const rest = same === '' ? [] : [`; ${same}`];
    sentences.push([...improved(`${countOf(better.length, 'improvement')}, nothing worse`), ...rest]);
  }
  if (accepted.length > 0 && worse.length === 0) sentences.push(nameAccepted(accepted));
  if (worse.length > 0) {
    sentences.push([`${countOf(worse.length, 'finding')}: `, ...nameSome(worse, nameFinding, '; ')]);
  } else if (rows.length > 0 && rows.every(({ verdict }) => verdict === 'unsupported')) {
    sentences.push(['Nothing was measured: every benchmark needs a newer kernel']);
  } else if (measured.length > 0 && !isOnlyBetter) {
    const which =
      accepted.length > 0 ? 'other ' : findings.some((each) => each.accepted.length > 0) ? 'unaccepted ' : '';
    const same = describeSame(rows);
    sentences.push([`No ${which}regression${same === '' ? '' : `: ${same}`} on ${nameKernels(measured)}`]);
  }
  if (accepted.length > 0 && worse.length > 0) sentences.push(nameAccepted(accepted));
  if (worse.length > 0) sentences.push(...failed);
  if (returns > 0) sentences.push([`${countOf(returns, 'return value')} changed`]);
  if (unverified.length > 0) sentences.push(nameUnverified(unverified, kernels));
  if (configChanges.length > 0) {
    const named = nameSome(configChanges, (change) => change, '; ');
    sentences.push(['Changed configuration: ', ...named]);
  }
  if (undecided.length > 0) {
    const what = `${countOf(undecided.length, 'finding')} cannot be decided`;
    sentences.push([`${what}: `, ...nameSome(undecided, nameUndecided)]);
  }
  if (better.length > 0 && !isOnlyBetter) sentences.push(improved(countOf(better.length, 'improvement')));
  const renamed = onePerBenchmark(rows.filter(({ origin }) => origin !== null));
  if (renamed.length > 0) {
    sentences.push([`${countOf(renamed.length, 'BPF program')} renamed or moved: `, ...nameSome(renamed, nameOrigin)]);
  }
  for (const verdict of ['removed', 'added'] as const) {
    const benchmarks = onePerBenchmark(rows.filter((row) => row.verdict === verdict));
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

/** `` Bench `macro` failed on head on 3 kernels, so it is not compared ``; `6.1 was not measured completely`. */
function nameFailures(failures: readonly KernelFailure[], kernels: readonly KernelColumn[]): Sentence[] {
  return groupBy(failures, ({ bench, problem }) => JSON.stringify(bench ?? problem)).map((group): Sentence => {
    const ids = group.flatMap((failure) => failure.kernels);
    const [{ bench, problem }] = group;
    if (bench === null) return [`${nameKernels(ids)} ${problem.replace('was', ids.length === 1 ? 'was' : 'were')}`];
    const isEvery = ids.length === kernels.length;
    const where = isEvery && ids.length > 1 ? `${ids.length} kernels` : nameKernels(ids);
    const name = { code: clipMiddle(bench.name, maxName) };
    return [
      'Bench ',
      name,
      ` failed on ${bench.revision} on ${where}, so it is not compared${isEvery ? '' : ' there'}`,
    ];
  });
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

/** `8 benchmarks unchanged, 1 changed within its limit, 49 programs verified`; empty if none is unchanged. */
function describeSame(rows: readonly Row[]): string {
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
  return counts.join(', ');
}

/**
 * `49 BPF programs verified as before`, `8 BPF programs refused as before`: the unchanged ones of the verifier lane.
 */
export function countVerified(rows: readonly Row[]): string[] {
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

/** Whether neither side ran there, but head needs a newer kernel than base. */
function needsNewer(gap: KernelGap | null): boolean {
  if (gap === null || gap.base === null || gap.head === null) return false;
  return compareVersions(gap.base, gap.head) < 0;
}

function nameRow({ benchmark }: Pick<Row, 'benchmark'>): Sentence {
  return [{ code: clipMiddle(benchmark, maxName) }];
}

/** `` `bench/new` (renamed from `old`) `` */
function nameOrigin(row: Row): Sentence {
  return [...nameRow(row), ' (', ...clipNames(row.origin ?? [], maxName), ')'];
}

/** `` `lru_random1` (±0.33%) `` */
function nameUndecided({ subject, lead }: FindingDetail): Sentence {
  const spread = widestSpread(lead.flatMap(({ cells }) => cells.filter((cell) => cell !== null)));
  return spread === null ? subject : [...subject, ` (${spread})`];
}

/** `` `fun_xdp` +28 instructions per run on 3 kernels (`src/main.rs:51` +21) `` */
function nameFinding({ subject, change, growth }: FindingDetail): Sentence {
  const grown = growth?.lines.find(isOwn);
  const line = grown === undefined ? [] : [' (', { code: clipMiddle(grown.place, maxName) }, ` ${grown.delta})`];
  return [...subject, ` ${change}`, ...line];
}

function nameAccepted(accepted: readonly FindingDetail[]): Sentence {
  return [`${countOf(accepted.length, 'finding')} accepted: `, ...nameSome(accepted, nameFinding, '; ')];
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

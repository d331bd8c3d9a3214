// Seventh stage: joins base and head measurements and judges each pair.

import type { Confirmation, Gap, Measurement } from '../bench/measurement.ts';
import type { RevisionName } from '../build/build.ts';
import { BenchError } from '../errors.ts';
import type { Config, Limit } from '../inputs/inputs.ts';
import { adjustByHolm } from '../statistics/holm.ts';
import { maxRanked, testRankSum, testSigns } from '../statistics/rank-sum.ts';
import type { Comparison, ComparisonVerdict } from './comparison.ts';
import { limitFor } from './limits.ts';

type Pair = Partial<Record<RevisionName, Measurement>>;

/**
 * Compares head with base: one comparison for each kernel, lane, benchmark and measure, in the order first seen.
 *
 * Growth is (head - base) / |base|. Beyond the limit it is a regression, shrinking beyond the same limit an
 * improvement, and the other way round where higher is better; anything between is unchanged and keeps its delta. Where
 * a side is not exact, the larger `resolution` of the two takes the limit's place when it is the larger, because a
 * smaller difference cannot be distinguished from the method's own error. Where only head's own makes the difference, so that
 * base's would have given a regression, the pair is inconclusive. From 0 any growth is beyond every limit.
 *
 * The count of a BPF program that is not exact differs from reading to reading, and so do two lowest ones. So beyond the limit
 * it is only called a regression or an improvement where an exact test of the readings says so, against the limit (rank sum; by
 * signs where one side is exact), with Holm's correction over all such pairs. The chance of even one false regression among
 * them is at most `countAlpha`, as far as the readings of a boot are independent. Two boots of equal code can differ by more than
 * the readings of one, so each boot of head has to show the change against each of base. What is not shown is inconclusive.
 *
 * A limit of `off` never gives a regression or an improvement: unchanged, with a warning when it got worse.
 * A benchmark on one side only is `added` or `removed`, which never fails the gate. But where the other side was left
 * out because it needs a newer kernel, it is a regression when that is head, which base still ran here, and an
 * improvement when that is base. What both sides left out is not compared. What could not be tried on one side for
 * another reason is inconclusive.
 * Units that differ make the pair inconclusive, and so do values whose difference, growth or interval no number can hold.
 *
 * @throws BenchError when a value is not finite, or two measurements of one revision have one name
 */
export function compareMeasurements(
  measurements: readonly Measurement[],
  gaps: readonly Gap[],
  gate: Config['gate'],
): Comparison[] {
  return comparePairs(measurements, gaps, (subject) => limitOf(subject, gate));
}

/** The same with the limit of each pair as it is given. */
export function comparePairs(
  measurements: readonly Measurement[],
  gaps: readonly Gap[],
  limitOf: (subject: Measurement) => Limit,
): Comparison[] {
  const pairs = new Map<string, Pair>();
  for (const measurement of measurements) {
    const { kernel, benchmark, measure, revision, value } = measurement;
    if (!Number.isFinite(value)) {
      throw new BenchError(`\`${benchmark}\` has a ${measure} of ${value} in ${revision} on ${kernel}`, {
        hint: 'let the benchmark print a finite number',
      });
    }
    const key = keyOf(measurement);
    const pair = pairs.get(key) ?? {};
    if (pair[revision] !== undefined) {
      throw new BenchError(`\`${benchmark}\` has two values of ${measure} in ${revision} on ${kernel}`, {
        hint: 'give each benchmark a name of its own',
      });
    }
    pair[revision] = measurement;
    pairs.set(key, pair);
  }
  const byKey = new Map(gaps.map((gap) => [gapKey(gap), gap]));
  const evidence = weighEvidence([...pairs.values()], limitOf);
  return [...pairs.values()].map((pair) => comparePair(pair, byKey, limitOf, evidence.get(pair)));
}

/** The chance of even one false regression among the counts of a run that are not exact, and of one false improvement. */
export const countAlpha = 0.01;

/** Finds changes that rest on readings which vary: each is to be seen in further boots as well. */
export function findVaryingChanges(comparisons: readonly Comparison[]): Comparison[] {
  return comparisons.filter(
    ({ kind, lane, verdict, pValue }) =>
      kind === 'bpf-program' &&
      lane === 'instructions' &&
      pValue !== null &&
      (verdict === 'regression' || verdict === 'improvement'),
  );
}

/** Adds what a further boot of each revision gave for these changes; one that it did not give has no samples. */
export function addConfirmations(
  measurements: readonly Measurement[],
  changes: readonly Comparison[],
  further: readonly Measurement[],
): Measurement[] {
  const changed = new Set(changes.map(keyOf));
  const byKey = new Map(further.map((measurement) => [keyOf(measurement) + measurement.revision, measurement]));
  return measurements.map((measurement) => {
    if (!changed.has(keyOf(measurement))) return measurement;
    const again = byKey.get(keyOf(measurement) + measurement.revision) ?? { ...measurement, samples: [] };
    const { value, empty, exact, samples, runCount } = again;
    return {
      ...measurement,
      confirmations: [...measurement.confirmations, { value, empty, exact, samples, runCount }],
    };
  });
}

function keyOf({ kernel, lane, benchmark, measure }: Pick<Comparison, 'kernel' | 'lane' | 'benchmark' | 'measure'>) {
  return JSON.stringify([kernel, lane, benchmark, measure]);
}

/** What readings that vary say of a pair, as p-values that Holm's method has adjusted over all such pairs. */
interface Evidence {
  readonly greater: number;
  readonly less: number;
}

/** Tests each pair of BPF programs whose count is not exact, beyond its limit. Those whose limit is off are not judged. */
function weighEvidence(pairs: readonly Pair[], limitOf: (subject: Measurement) => Limit): ReadonlyMap<Pair, Evidence> {
  const tested = pairs.flatMap((pair) => {
    const { base, head } = pair;
    if (base === undefined || head === undefined || head.kind !== 'bpf-program' || head.lane !== 'instructions')
      return [];
    const limit = limitOf(head);
    if ((base.exact && head.exact) || limit === 'off') return [];
    return [{ pair, ...testBoots(base, head, limit) }];
  });
  const greater = adjustByHolm(tested.map((each) => each.greater));
  const less = adjustByHolm(tested.map((each) => each.less));
  return new Map(tested.map(({ pair }, index) => [pair, { greater: greater[index] ?? 1, less: less[index] ?? 1 }]));
}

/** @returns p-values, against growth and shrinking by the limit: the largest of any boot of base and any of head */
function testBoots(base: Measurement, head: Measurement, limit: number): Evidence {
  const tests = bootsOf(base).flatMap((before) => bootsOf(head).map((after) => testReadings(before, after, limit)));
  return {
    greater: Math.max(...tests.map(({ greater }) => greater)),
    less: Math.max(...tests.map(({ less }) => less)),
  };
}

function bootsOf(measurement: Measurement): Confirmation[] {
  return [measurement, ...measurement.confirmations];
}

/** @returns p-values, against growth and shrinking by the limit; 1 where there are no readings, or more than an agent takes */
function testReadings(base: Confirmation, head: Confirmation, limit: number): Evidence {
  const [before, after] = [perRun(base), perRun(head)];
  const isUsable = (values: readonly number[]) =>
    values.length > 0 && values.length <= maxRanked && values.every((value) => Number.isFinite(value * (1 + limit)));
  if (!isUsable(before) || !isUsable(after)) return { greater: 1, less: 1 };
  const [grown, shrunk] = [1 + limit, 1 - Math.min(1, limit)];
  if (base.exact && head.exact) {
    return {
      greater: head.value > base.value * grown ? 0 : 1,
      less: head.value < base.value * shrunk ? 0 : 1,
    };
  }
  // A side that is exact is a number, which its few readings would not show.
  if (base.exact) {
    return {
      greater: testSigns(after, base.value * grown).greater,
      less: testSigns(after, base.value * shrunk).less,
    };
  }
  const scaled = (factor: number) => before.map((value) => value * factor);
  if (head.exact) {
    return { greater: testSigns(scaled(grown), head.value).less, less: testSigns(scaled(shrunk), head.value).greater };
  }
  const { greater, less } = testRankSum(scaled(grown), after);
  return { greater, less: limit === 0 ? less : testRankSum(scaled(shrunk), after).less };
}

/**
 * The readings of a program at its usual number of runs, in instructions per run, less an empty program's; all of them where
 * none has that number.
 */
function perRun({ samples, runCount, empty }: Confirmation): number[] {
  const usual = samples.filter(({ count }) => count === runCount);
  return (usual.length > 0 ? usual : samples)
    .filter(({ count }) => count > 0)
    .map(({ count, total }) => total / count - (empty ?? 0));
}

function gapKey({
  kernel,
  lane,
  revision,
  benchmark,
}: Pick<Gap, 'kernel' | 'lane' | 'revision' | 'benchmark'>): string {
  return JSON.stringify([kernel, lane, revision, benchmark]);
}

function comparePair(
  { base, head }: Pair,
  gaps: ReadonlyMap<string, Gap>,
  limitOf: (subject: Measurement) => Limit,
  evidence: Evidence | undefined,
): Comparison {
  const subject = head ?? base;
  if (subject === undefined) throw new Error('a pair of measurements holds at least one');
  const common = {
    kernel: subject.kernel,
    lane: subject.lane,
    benchmark: subject.benchmark,
    measure: subject.measure,
    unit: subject.unit,
    better: subject.better,
    kind: subject.kind,
    base: base?.value ?? null,
    head: head?.value ?? null,
    needs: null,
    delta: null,
    deltaRatio: null,
    interval: null,
    pValue: null,
    roundsNeeded: null,
    limit: limitOf(subject),
    refusal: head?.refusal ?? base?.refusal ?? null,
    source: subject.source,
    lines: null,
    warnings: joinWarnings(base, head),
    ...(base?.renamedFrom === undefined ? {} : { renamedFrom: base.renamedFrom }),
  };
  if (base === undefined || head === undefined) {
    const side = base === undefined ? 'base' : 'head';
    const gap = gaps.get(gapKey({ ...subject, revision: side }));
    return gap === undefined
      ? { ...common, verdict: side === 'base' ? 'added' : 'removed' }
      : compareWithGap(common, side, gap);
  }
  if (base.unit !== head.unit) {
    const warning = `base is in ${base.unit} and head in ${head.unit}, so they cannot be compared`;
    return { ...common, verdict: 'inconclusive', warnings: [...common.warnings, warning] };
  }

  const delta = head.value - base.value;
  const exact = base.exact && head.exact;
  const resolution = exact ? 0 : Math.max(base.resolution, head.resolution);
  const error = resolution * Math.abs(base.value);
  const sign = head.better === 'lower' ? 1 : -1;
  const isOff = common.limit === 'off' && sign * delta > error && !isUngated(subject);
  const deltaRatio = base.value === 0 ? null : delta / Math.abs(base.value);
  const interval = exact ? 'exact' : base.value === 0 ? null : ([delta - error, delta + error] as const);
  // The result file cannot hold them, and one odd pair is not to lose the run.
  if (![delta, deltaRatio ?? 0, ...(Array.isArray(interval) ? interval : [])].every(Number.isFinite)) {
    const warning = `base is ${base.value} and head ${head.value}, too far apart or too uncertain to be compared`;
    return { ...common, verdict: 'inconclusive', warnings: [...common.warnings, warning] };
  }
  const judged = { ...common, delta, deltaRatio, interval } satisfies Omit<Comparison, 'verdict'>;
  const verdict = judge(base.value, sign * delta, resolution, common.limit);
  // Else an author who makes head's count vary would have any growth called unchanged.
  const asBase = judge(base.value, sign * delta, base.exact ? 0 : base.resolution, common.limit);
  if (verdict === 'unchanged' && asBase === 'regression') {
    const warning = `head is less certain than base: a change of less than ${(resolution * 100).toFixed(2)} % cannot be detected`;
    return { ...judged, verdict: 'inconclusive', warnings: [...common.warnings, warning] };
  }
  if (evidence !== undefined && (verdict === 'regression' || verdict === 'improvement')) {
    const pValue = delta > 0 ? evidence.greater : evidence.less;
    if (pValue >= countAlpha) {
      const warning = describeDoubt(base, head, resolution, pValue);
      // The readings of one boot do not say where it lies.
      const where = isConfirmed(base, head) ? { interval: null } : {};
      return { ...judged, ...where, pValue, verdict: 'inconclusive', warnings: [...common.warnings, warning] };
    }
    return { ...judged, pValue, verdict };
  }
  return {
    ...judged,
    verdict,
    warnings: isOff
      ? [...common.warnings, `it ${sign > 0 ? 'grew' : 'shrank'}, but its limit is off, so it does not fail the gate`]
      : common.warnings,
  };
}

function describeDoubt(base: Measurement, head: Measurement, resolution: number, pValue: number): string {
  const p = `p = ${pValue.toPrecision(1)}`;
  if (!isConfirmed(base, head)) {
    return `its readings overlap: the change cannot be distinguished from its own variation of ±${(resolution * 100).toFixed(2)} % (${p})`;
  }
  return `not every boot shows the change (${p}): base ${listBoots(base)}, head ${listBoots(head)}`;
}

function isConfirmed(base: Measurement, head: Measurement): boolean {
  return base.confirmations.length + head.confirmations.length > 0;
}

function listBoots(measurement: Measurement): string {
  return bootsOf(measurement)
    .map(({ value, samples }) => (samples.length === 0 ? 'not measured' : `${Number(value.toFixed(2))}`))
    .join(', ');
}

/** How long a program takes to load is told, and says nothing about what it does. */
function isUngated({ lane, measure }: Measurement): boolean {
  return lane === 'verifier' && measure === 'load-time';
}

/** A program that stops loading has no size that a limit could allow; only `off` excuses it. */
function limitOf(subject: Measurement, gate: Config['gate']): Limit {
  const limit = limitFor(subject, gate);
  if (isUngated(subject)) return 'off';
  return subject.lane === 'verifier' && subject.measure === 'loads' && limit !== 'off' ? 0 : limit;
}

/** Where only one side ran. What is lost has no size that could be held to a limit, unless the limit is off. */
export function compareWithGap(common: Omit<Comparison, 'verdict'>, side: RevisionName, gap: Gap): Comparison {
  if (gap.needs === null) {
    const warning = `${side} could not be tried: ${gap.reason ?? 'no reason is known'}`;
    return { ...common, verdict: 'inconclusive', warnings: [...common.warnings, warning] };
  }
  const needs = { side, kernel: gap.needs };
  if (common.limit === 'off') {
    const warning = `head needs ${gap.needs}, but its limit is off, so it does not fail the gate`;
    return {
      ...common,
      needs,
      verdict: 'unchanged',
      warnings: [...common.warnings, ...(side === 'head' ? [warning] : [])],
    };
  }
  return { ...common, needs, verdict: side === 'head' ? 'regression' : 'improvement' };
}

/** @param change by how much it got worse */
function judge(base: number, change: number, resolution: number, limit: Limit): ComparisonVerdict {
  if (change === 0 || limit === 'off') return 'unchanged';
  const growth = change / Math.abs(base);
  const threshold = Math.max(limit, resolution);
  if (growth > threshold) return 'regression';
  return growth < -threshold ? 'improvement' : 'unchanged';
}

/** What both sides warn of is said once; what one side warns of names the side. */
function joinWarnings(base: Measurement | undefined, head: Measurement | undefined): string[] {
  if (base === undefined || head === undefined) return [...new Set((base ?? head)?.warnings)];
  const onBase = new Set(base.warnings);
  const onHead = new Set(head.warnings);
  return [
    ...[...onHead].filter((warning) => onBase.has(warning)),
    ...[...onBase].filter((warning) => !onHead.has(warning)).map((warning) => `base: ${warning}`),
    ...[...onHead].filter((warning) => !onBase.has(warning)).map((warning) => `head: ${warning}`),
  ];
}

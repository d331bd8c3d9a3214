// Compare: joins base and head measurements and judges each pair.

import type { InsideCount } from '../bench/inside.ts';
import { type Confirmation, type Gap, keyOf, type Measurement, type PrintedValue } from '../bench/measurement.ts';
import { BenchError } from '../common/errors.ts';
import { groupBy } from '../common/group-by.ts';
import { type RevisionName, revisionNames } from '../model/build.ts';
import type { Config, Limit } from '../model/inputs.ts';
import { adjustByHolm } from '../statistics/holm.ts';
import { maxRanked, testRankSum } from '../statistics/rank-sum.ts';
import { compareRuns, type RunsChange } from './compare-runs.ts';
import type { Comparison, Judged, OneSided, PairVerdict, Subject, Tested } from './comparison.ts';
import { findSeen, type SeenBoth } from './grown-lines.ts';
import { limitFor } from './limits.ts';

/**
 * Compares head with base: one comparison for each kernel, lane, benchmark and measure, in the order first seen.
 *
 * Growth is (head - base) / |base|. Growth beyond the limit is a regression, shrinking beyond the same limit an
 * improvement, and the other way round where higher is better. Anything between is unchanged and keeps its delta. If a
 * side is not exact, the larger `resolution` of the two replaces a smaller limit, because a smaller difference cannot
 * be distinguished from the method's own error. If base's resolution would have given a regression and only head's
 * prevents it, the pair is inconclusive. If base is 0, any growth is beyond every limit.
 *
 * A BPF program that seems to have changed is judged by what its runs did, as QEMU's plugin saw them ({@link compareRuns}).
 * The difference is then the change of its runs, and `head` is base's value with that change. An exact change stands if
 * they were not seen, or if the boots that saw them counted the same; another is inconclusive if they were not seen.
 *
 * Inexact printed values differ from reading to reading, and so does the lowest of them. So a change beyond the limit is
 * only called a regression or an improvement if an exact test of all readings of all boots (rank sum) shows it,
 * against the limit, with Holm's correction over all such pairs. The chance of even one false regression among them
 * is at most `countAlpha`, as far as readings are independent. Two boots of equal code can differ by more than the
 * readings of one boot, so each boot of head must show the change against each boot of base as well. A change that
 * the test does not show is inconclusive. A printed value that changed by many times more than its readings differ,
 * in two boots, needs no test and is not among these pairs.
 *
 * A limit of `off` never gives a regression or an improvement: the pair is unchanged, with a warning if it got worse.
 * A benchmark on one side only is `added` or `removed`, which never fails the gate. But if the other side was left out
 * because it needs a newer kernel, the pair is a regression if that side is head, since base still ran here, and an
 * improvement if it is base. A benchmark that both sides left out is not compared. If one side could not be tried for
 * another reason, the pair is inconclusive. A measure without a limit is `added` or `removed` in all of these cases.
 * Different units make the pair inconclusive, and so do values whose difference, growth or interval no number can hold.
 *
 * @throws BenchError when a value is not finite, or two measurements of one revision have one name
 */
export function compareMeasurements(
  measurements: readonly Measurement[],
  gaps: readonly Gap[],
  gate: Config['gate'],
  inside: readonly InsideCount[] = [],
): Comparison[] {
  return comparePairs(measurements, gaps, gate, inside).map(({ comparison }) => comparison);
}

function comparePairs(
  measurements: readonly Measurement[],
  gaps: readonly Gap[],
  gate: Config['gate'],
  inside: readonly InsideCount[],
): { readonly comparison: Comparison; readonly evidence: Evidence | undefined }[] {
  const pairs = pairUp(measurements);
  const findGap = gapFinder(gaps);
  const evidence = weighEvidence(pairs, gate);
  return pairs.map((pair) => {
    const own = evidence.get(pair);
    // A printed value, or a program of the verifier lane, can have the name of a program that ran.
    const isRun = pair.subject.kind === 'bpf-program' && pair.subject.lane === 'instructions';
    const seen = isRun ? findSeen({ ...pair.subject, renamedFrom: pair.base?.renamedFrom }, inside) : undefined;
    return { comparison: comparePair(pair, limitOf(pair.subject, gate), findGap, own, seen), evidence: own };
  });
}

interface Pair {
  readonly base: Measurement | undefined;
  readonly head: Measurement | undefined;
  /** Head's; base's for a removed benchmark. */
  readonly subject: Measurement;
}

function pairUp(measurements: readonly Measurement[]): Pair[] {
  const infinite = measurements.find(({ value }) => !Number.isFinite(value));
  if (infinite !== undefined) {
    const { kernel, benchmark, measure, revision, value } = infinite;
    throw new BenchError(`\`${benchmark}\` has a ${measure} of ${value} in ${revision} on ${kernel}`, {
      hint: 'let the benchmark print a finite number',
    });
  }
  return groupBy(measurements, keyOf).map((group) => {
    const [base, head] = revisionNames.map((name) => {
      const [own, other] = group.filter(({ revision }) => revision === name);
      if (other === undefined) return own;
      const { kernel, benchmark, measure } = other;
      throw new BenchError(`\`${benchmark}\` has two values of ${measure} in ${name} on ${kernel}`, {
        hint: 'give each benchmark a name of its own',
      });
    });
    return { base, head, subject: head ?? group[0] };
  });
}

/** The chance of even one false regression among the inexact printed values of a run, and of one false improvement. */
const countAlpha = 0.01;
/** The largest p-value of a change, by itself, that is worth further boots. */
const suggestive = 0.5;
/** The largest p-value with which a boot of head, by itself, differs from one of base. */
const bootAlpha = 0.01;
/** Readings of a boot that can reach that p-value; a boot with fewer only needs to lean that way. */
const leastTelling = 5;
/** Factor by which a change has to exceed the differences between its readings to be beyond doubt. */
const farApart = 50;
/** The fewest readings of each side that can show so, from at least two boots. */
const leastApart = 5;

/** Finds changes that rest on varying readings: further boots of each revision decide them. */
export function findVaryingChanges(
  measurements: readonly Measurement[],
  gaps: readonly Gap[],
  gate: Config['gate'],
): Tested[] {
  return comparePairs(measurements, gaps, gate, []).flatMap(({ comparison, evidence }) => {
    if (evidence === undefined || !('pValue' in comparison)) return [];
    return evidence.alone[directionOf(comparison)] <= suggestive ? [comparison] : [];
  });
}

/** Adds the results of a further boot of each revision for these changes. A missing result has no samples. */
export function addConfirmations(
  measurements: readonly Measurement[],
  changes: readonly Comparison[],
  further: readonly Measurement[],
): Measurement[] {
  const changed = new Set(changes.map(keyOf));
  const byKey = new Map(
    further.filter(isPrinted).map((measurement) => [keyOf(measurement) + measurement.revision, measurement]),
  );
  return measurements.map((measurement) => {
    if (!isPrinted(measurement) || !changed.has(keyOf(measurement))) return measurement;
    const again: Confirmation = byKey.get(keyOf(measurement) + measurement.revision) ?? {
      ...measurement,
      ...nothingRead,
    };
    const { value, exact, samples, readings } = again;
    return { ...measurement, confirmations: [...measurement.confirmations, { value, exact, samples, readings }] };
  });
}

function isPrinted(measurement: Measurement | undefined): measurement is PrintedValue {
  return measurement?.kind === 'benchmark';
}

const nothingRead = { exact: false, samples: [], readings: undefined };

/** One-sided p-values, against growth and shrinking by the limit. */
interface PValues {
  readonly greater: number;
  readonly less: number;
}

/** P-values of a pair whose readings vary, adjusted by Holm's method over all such pairs, and of the pair alone. */
interface Evidence extends PValues {
  readonly alone: PValues;
}

/** Tests each inexact pair of printed values, beyond its limit. Pairs whose limit is off are not judged. */
function weighEvidence(pairs: readonly Pair[], gate: Config['gate']): ReadonlyMap<Pair, Evidence> {
  const tested = pairs.flatMap((pair) => {
    const { base, head } = pair;
    if (!isPrinted(base) || !isPrinted(head)) return [];
    const limit = limitOf(head, gate);
    if ((base.exact && head.exact) || limit === 'off' || areFarApart(base, head)) return [];
    return [{ pair, alone: testBoots(base, head, limit) }];
  });
  const greater = adjustByHolm(tested.map(({ alone }) => alone.greater));
  const less = adjustByHolm(tested.map(({ alone }) => alone.less));
  return new Map(
    tested.map(({ pair, alone }, index) => [pair, { greater: greater[index] ?? 1, less: less[index] ?? 1, alone }]),
  );
}

/**
 * Whether a bench's printed value has changed beyond doubt: by many times more than all its readings differ, in two
 * boots of each side. None of 200,000 comparisons of equal code, simulated with continuous noise of any size, has done
 * so.
 */
function areFarApart(base: PrintedValue, head: PrintedValue): boolean {
  const boots = [base, head].map((side) => bootsOf(side).map(readingsOf));
  if (boots.some((own) => own.length < 2 || own.some((readings) => readings.length === 0))) return false;
  const sides = boots.map((own) => own.flat());
  if (sides.some((readings) => readings.length < leastApart)) return false;
  const spread = Math.max(...sides.map((readings) => Math.max(...readings) - Math.min(...readings)));
  const error = Math.max(base.resolution, head.resolution) * Math.abs(base.value);
  return Math.abs(head.value - base.value) > farApart * Math.max(spread, error);
}

/**
 * Tests the readings of all boots together. The p-value is 1 if a boot of head does not show the change against one of
 * base.
 *
 * Whether there are further boots depends on the results of the first ones. That only takes changes back, because
 * changes without further boots do not pass. So these p-values hold as if the number of boots were fixed.
 */
function testBoots(base: PrintedValue, head: PrintedValue, limit: number): PValues {
  const [before, after] = [bootsOf(base), bootsOf(head)];
  const all = testReadings(before.flatMap(readingsOf), after.flatMap(readingsOf), limit);
  const isFirst = before.length === 1 && after.length === 1;
  const single = isFirst ? [] : before.flatMap((one) => after.map((other) => testBoot(one, other, limit)));
  return {
    greater: single.every(({ greater }) => greater) ? all.greater : 1,
    less: single.every(({ less }) => less) ? all.less : 1,
  };
}

/** Whether a boot of head, by itself, shows growth and shrinking against one of base. */
function testBoot(base: Confirmation, head: Confirmation, limit: number): { greater: boolean; less: boolean } {
  if (base.exact && head.exact) {
    return { greater: head.value > shift(base.value, limit), less: head.value < shift(base.value, -limit) };
  }
  const [before, after] = [readingsOf(base), readingsOf(head)];
  const { greater, less } = testReadings(before, after, limit);
  const level = Math.min(before.length, after.length) < leastTelling ? suggestive : bootAlpha;
  return { greater: greater <= level, less: less <= level };
}

/** Tests readings by their ranks; 1 if there are none, or more than an agent takes. */
function testReadings(before: readonly number[], after: readonly number[], limit: number): PValues {
  const isUsable = (values: readonly number[]) =>
    values.length > 0 && values.length <= maxRanked && values.every((value) => Number.isFinite(shift(value, limit)));
  if (!isUsable(before) || !isUsable(after)) return { greater: 1, less: 1 };
  const shifted = (by: number) => before.map((value) => shift(value, by));
  const { greater, less } = testRankSum(shifted(limit), after);
  return { greater, less: limit === 0 ? less : testRankSum(shifted(-limit), after).less };
}

function shift(value: number, limit: number): number {
  return value + limit * Math.abs(value);
}

function bootsOf(count: PrintedValue): Confirmation[] {
  return [count, ...count.confirmations];
}

/** The readings of a boot. */
function readingsOf({ readings, samples }: Confirmation): number[] {
  return [...(readings ?? samples.filter(({ count }) => count > 0).map(({ count, total }) => total / count))];
}

function comparePair(
  { base, head, subject: own }: Pair,
  limit: Limit,
  findGap: GapFinder,
  evidence: Evidence | undefined,
  seen: SeenBoth | undefined,
): Comparison {
  const { kernel, lane, benchmark, measure, unit, better, kind, source } = own;
  const subject: Subject = {
    kernel,
    lane,
    benchmark,
    renamedFrom: base?.renamedFrom,
    measure,
    unit,
    better,
    kind,
    limit,
    refusal: refusalOf(head) ?? refusalOf(base),
    source,
    warnings: [],
  };
  if (base === undefined || head === undefined) {
    // Why a side has no value is judged with what is gated: that it loads, and its count.
    return compareOneSided(
      subject,
      base?.value ?? null,
      head?.value ?? null,
      isUngated(own) ? () => undefined : findGap,
    );
  }
  const pair = { ...subject, base: base.value, head: head.value };
  if (base.unit !== head.unit) {
    return inconclusive(pair, `base is in ${base.unit} and head in ${head.unit}, so they cannot be compared`);
  }

  const delta = head.value - base.value;
  const exact = base.exact && head.exact;
  const resolution = exact ? 0 : Math.max(base.resolution, head.resolution);
  const error = resolution * Math.abs(base.value);
  const deltaRatio = base.value === 0 ? null : delta / Math.abs(base.value);
  const interval = exact ? 'exact' : base.value === 0 ? null : ([delta - error, delta + error] as const);
  // The result file cannot hold them, and one odd pair must not lose the run.
  if (![delta, deltaRatio ?? 0, ...(Array.isArray(interval) ? interval : [])].every(Number.isFinite)) {
    const values = `base is ${base.value} and head ${head.value}`;
    return inconclusive(pair, `${values}, too far apart or too uncertain to be compared`);
  }
  const worse = better === 'lower' ? delta : -delta;
  const verdict = judge(base.value, worse, resolution, limit);
  const judged: Judged = { ...pair, delta, deltaRatio, interval, verdict };
  const areAllSeen = seen?.base.otherKinds === 0 && seen.head.otherKinds === 0;
  const isJudged = areAllSeen && limit !== 'off' && !(exact && (delta === 0 || isCountedAgain(delta, seen)));
  const runs = isJudged ? compareRuns(seen.base, seen.head, exact) : undefined;
  if (runs !== undefined && runs.certainty !== 'unknown') return judgeRuns(judged, runs);
  if (verdict !== 'unchanged') {
    if (isPrinted(base) && isPrinted(head)) return judgeChange(judged, base, head, evidence);
    // A change by many times more than readings differ is beyond doubt, however much its runs vary.
    const isDoubtful = base.lane === 'instructions' && !exact && Math.abs(delta) <= farApart * error;
    const [why = 'its runs were not seen one by one'] = runs?.notes ?? [];
    return isDoubtful ? inconclusive(judged, `its readings differ, and ${why}`) : judged;
  }
  // Otherwise an author who makes head's count vary would have any growth called unchanged.
  if (judge(base.value, worse, base.exact ? 0 : base.resolution, limit) === 'regression') {
    const least = `${(resolution * 100).toFixed(2)} %`;
    return inconclusive(judged, `head is less certain than base: a change of less than ${least} cannot be detected`);
  }
  if (limit !== 'off' || worse <= error || isUngated(own)) return judged;
  const warning = `it ${delta > 0 ? 'grew' : 'shrank'}, but its limit is off, so it does not fail the gate`;
  return { ...judged, warnings: [...judged.warnings, warning] };
}

/**
 * Whether the boots with QEMU's plugin have counted the same exact change. Then it is none of one boot, though kinds of
 * run may not show it: how often each occurs has changed, or which of a function's calls costs what.
 */
function isCountedAgain(delta: number, { base, head }: SeenBoth): boolean {
  const interrupted = ({ interruptions }: InsideCount) =>
    interruptions.reduce((sum, each) => sum + each.instructions, 0);
  const again = head.counted - base.counted;
  // A tick may be in one of their readings, and the lowest total has none.
  const undisturbed = again - interrupted(head) + interrupted(base);
  return [again, undisturbed].some((each) => Math.abs(each - delta) < 1e-6);
}

/** Judges a BPF program by what its runs did. */
function judgeRuns(judged: Judged, runs: RunsChange): Comparison {
  const { base, limit, better } = judged;
  const warnings = [...judged.warnings, ...runs.notes];
  if (runs.certainty === 'open') {
    const isWithin = limit !== 'off' && limit > 0 && Math.abs(judged.delta) <= limit * Math.abs(base);
    return { ...judged, interval: null, verdict: isWithin ? 'unchanged' : 'inconclusive', warnings };
  }
  const { delta } = runs;
  const verdict = judge(base, better === 'lower' ? delta : -delta, 0, limit);
  const deltaRatio = base === 0 ? null : delta / Math.abs(base);
  const interval = runs.certainty === 'exact' ? 'exact' : null;
  return { ...judged, head: base + delta, delta, deltaRatio, interval, verdict, warnings };
}

/** Judges a change of a printed value beyond the limit, which its readings may not show. */
function judgeChange(
  judged: Judged,
  base: PrintedValue,
  head: PrintedValue,
  evidence: Evidence | undefined,
): Comparison {
  if (evidence === undefined) return judged;
  const direction = directionOf(judged);
  const tested = { ...judged, pValue: evidence[direction] };
  if (tested.pValue < countAlpha) return tested;
  const warning = describeDoubt(base, head, tested.pValue, evidence.alone[direction] < 1);
  if (!isConfirmed(base, head) || !Array.isArray(judged.interval)) return inconclusive(tested, warning);
  // The readings of one boot do not show where the delta lies, those of all boots do.
  const doubt = rangeOverBoots(base) + rangeOverBoots(head);
  return inconclusive({ ...tested, interval: [judged.delta - doubt, judged.delta + doubt] as const }, warning);
}

function directionOf({ delta }: Judged): 'greater' | 'less' {
  return delta > 0 ? 'greater' : 'less';
}

/** Leaves a comparison undecided, for the reason that the warning gives. */
function inconclusive<Kind extends Subject>(comparison: Kind, warning: string) {
  return { ...comparison, verdict: 'inconclusive' as const, warnings: [...comparison.warnings, warning] };
}

function refusalOf(measurement: Measurement | undefined) {
  return measurement?.lane === 'verifier' ? measurement.refusal : undefined;
}

function describeDoubt(base: PrintedValue, head: PrintedValue, pValue: number, isSeenInAll: boolean): string {
  const spread = `±${(Math.max(...[base, head].map(spreadOverBoots)) * 100).toFixed(2)} %`;
  if (isConfirmed(base, head) && !isSeenInAll) {
    return `not every boot shows the change: base ${listBoots(base)}, head ${listBoots(head)}; the count varies by ${spread}`;
  }
  return `the change cannot be distinguished from its own variation of ${spread} (p = ${pValue.toPrecision(1)})`;
}

/** The spread of all readings of a side, as a fraction. */
function spreadOverBoots(count: PrintedValue): number {
  const { value, resolution, confirmations } = count;
  if (value === 0 || confirmations.length === 0) return resolution;
  return Math.max(resolution, rangeOverBoots(count) / Math.abs(value));
}

/** The largest reading of a side less the smallest, or its uncertainty if that is more. */
function rangeOverBoots(count: PrintedValue): number {
  const values = bootsOf(count).flatMap(readingsOf);
  return Math.max(count.resolution * Math.abs(count.value), Math.max(...values) - Math.min(...values));
}

function isConfirmed(base: PrintedValue, head: PrintedValue): boolean {
  return base.confirmations.length + head.confirmations.length > 0;
}

function listBoots(count: PrintedValue): string {
  return bootsOf(count)
    .map(({ value, samples }) => (samples.length === 0 ? 'not measured' : formatValue(value)))
    .join(', ');
}

function formatValue(value: number): string {
  return `${Number(value.toFixed(2))}`;
}

/**
 * Whether a measure is only reported: how long a program takes to load says nothing about what it does, and what else a
 * kernel does causes events too.
 */
export function isUngated({ lane, measure, unit }: Pick<Measurement, 'lane' | 'measure' | 'unit'>): boolean {
  return (lane === 'verifier' && measure === 'load-time') || (measure === 'events' && unit === 'events/call');
}

/** The limit of a measurement. A program that stops loading has no size to hold to a limit; only `off` excuses it. */
function limitOf(subject: Measurement, gate: Config['gate']): Limit {
  const limit = limitFor(subject, gate);
  if (isUngated(subject)) return 'off';
  return subject.lane === 'verifier' && subject.measure === 'loads' && limit !== 'off' ? 0 : limit;
}

/** Finds why a revision has no value. */
type GapFinder = (subject: Pick<Gap, 'kernel' | 'lane' | 'benchmark'>, side: RevisionName) => Gap | undefined;

function gapFinder(gaps: readonly Gap[]): GapFinder {
  const gapKey = ({ kernel, lane, benchmark }: Parameters<GapFinder>[0], side: RevisionName) =>
    JSON.stringify([kernel, lane, side, benchmark]);
  const byKey = new Map(gaps.map((gap) => [gapKey(gap, gap.revision), gap]));
  return (subject, side) => byKey.get(gapKey(subject, side));
}

/** Compares if only one side has a value. A lost benchmark has no size to hold to a limit, unless the limit is off. */
function compareOneSided(subject: Subject, base: number | null, head: number | null, findGap: GapFinder): OneSided {
  const side = base === null ? 'base' : 'head';
  const sides = { ...subject, base, head };
  const gap = findGap(subject, side);
  if (gap === undefined) return { ...sides, verdict: side === 'base' ? 'added' : 'removed' };
  if (gap.needs === null)
    return inconclusive(sides, `${side} could not be tried: ${gap.reason ?? 'no reason is known'}`);
  const needs = { side, kernel: gap.needs } as const;
  if (subject.limit !== 'off') return { ...sides, needs, verdict: side === 'head' ? 'regression' : 'improvement' };
  const warning = `head needs ${gap.needs}, but its limit is off, so it does not fail the gate`;
  const warnings = side === 'head' ? [...subject.warnings, warning] : subject.warnings;
  return { ...sides, needs, verdict: 'unchanged', warnings };
}

/** @param change by how much it got worse */
function judge(base: number, change: number, resolution: number, limit: Limit): PairVerdict {
  if (change === 0 || limit === 'off') return 'unchanged';
  const growth = change / Math.abs(base);
  const threshold = Math.max(limit, resolution);
  if (growth > threshold) return 'regression';
  return growth < -threshold ? 'improvement' : 'unchanged';
}

// Time errors: judges two runs of a benchmark by Criterion's own rule. Pure.
//
// Based on criterion 0.7.0 `src/analysis/compare.rs`, `src/stats/univariate/mixed.rs` and `mod.rs`, `src/stats/mod.rs`
// and `compare_to_threshold` of `src/report.rs`; cargo-criterion 1.1.0 computes the same in `src/analysis.rs`.

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { Sample } from '../../src/bench/measurement.ts';

export interface CriterionChange {
  /** `regressed`: "Performance has regressed."; `unchanged`: either message that nothing was found. */
  readonly verdict: 'regressed' | 'improved' | 'unchanged';
  /** Relative change of head's mean against base's: 0.1 is 10 % slower. */
  readonly change: number;
  /** Criterion's interval of the change at its default confidence of 95 %. */
  readonly interval: readonly [low: number, high: number];
  readonly pValue: number;
}

/** Criterion's defaults. */
export const significance = 0.05;
export const noiseThreshold = 0.01;
const confidence = 0.95;
/** Criterion's default is 100,000. With these the p-value at its limit is known to 0.4 points (standard error 0.2). */
const defaultResamples = 10_000;

/**
 * Runs a two-sided t-test at 5 %, whose distribution is a bootstrap of both samples pooled. If that finds a difference,
 * the bootstrapped interval of the mean's relative change must lie entirely beyond 1 %.
 *
 * @param base samples of one run, at least two, each with a count above 0
 * @param seed seed of the resampling, a whole number from 0 to 2^32 - 1; Criterion uses the time
 * @param resamples resamples in each of the two bootstraps, default 10,000
 */
export function judgeAsCriterion(
  base: readonly Sample[],
  head: readonly Sample[],
  seed: number,
  resamples = defaultResamples,
): CriterionChange {
  const generator = mersenne(seed);
  const draw = (from: Float64Array, into: Float64Array) => {
    for (let index = 0; index < into.length; index++)
      into[index] = from[uniformInt(generator, 0, from.length - 1)] ?? 0;
    return into;
  };
  const [old, recent] = [perIteration(base), perIteration(head)];

  const pooled = Float64Array.from([...recent, ...old]);
  const both = new Float64Array(pooled.length);
  const nulls: number[] = [];
  for (let count = 0; count < resamples; count++) {
    draw(pooled, both);
    const t = tOf(both.subarray(0, recent.length), both.subarray(recent.length));
    // As in Criterion: samples of equal values have no t.
    if (Number.isFinite(t)) nulls.push(t);
  }
  const t = tOf(recent, old);
  const below = nulls.filter((value) => value < t).length;
  const pValue = (Math.min(below, nulls.length - below) / nulls.length) * 2;

  // As in Criterion: one resample of head for many of base; the number of each is the root of the number of resamples.
  const changes: number[] = [];
  const chunks = Math.ceil(Math.sqrt(resamples));
  const perChunk = Math.ceil(resamples / chunks);
  const [ofOld, ofRecent] = [new Float64Array(old.length), new Float64Array(recent.length)];
  for (let chunk = 0; chunk < chunks; chunk++) {
    const mean = meanOf(draw(recent, ofRecent));
    const end = Math.min((chunk + 1) * perChunk, resamples);
    for (let place = chunk * perChunk; place < end; place++) changes.push(mean / meanOf(draw(old, ofOld)) - 1);
  }
  changes.sort((a, b) => a - b);
  const interval = [percentile(changes, (1 - confidence) / 2), percentile(changes, (1 + confidence) / 2)] as const;

  const isDifferent = pValue < significance;
  return {
    verdict:
      isDifferent && interval[0] > noiseThreshold
        ? 'regressed'
        : isDifferent && interval[1] < -noiseThreshold
          ? 'improved'
          : 'unchanged',
    change: meanOf(recent) / meanOf(old) - 1,
    interval,
    pValue,
  };
}

/** The mean of the samples' times per iteration, which Criterion and tools that read its output compare. */
export function meanTime(samples: readonly Sample[]): number {
  return meanOf(perIteration(samples));
}

function perIteration(samples: readonly Sample[]): Float64Array {
  return Float64Array.from(samples, ({ count, total }) => total / count);
}

function meanOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Welch's t. */
function tOf(a: Float64Array, b: Float64Array): number {
  const [meanA, meanB] = [meanOf(a), meanOf(b)];
  return (meanA - meanB) / Math.sqrt(varianceOf(a, meanA) / a.length + varianceOf(b, meanB) / b.length);
}

function varianceOf(values: Float64Array, mean: number): number {
  let sum = 0;
  for (const value of values) sum += (value - mean) ** 2;
  return sum / (values.length - 1);
}

/** The percentile, interpolated linearly between ranks. */
function percentile(sorted: readonly number[], share: number): number {
  const rank = share * (sorted.length - 1);
  const low = sorted[Math.floor(rank)] ?? Number.NaN;
  const high = sorted[Math.ceil(rank)] ?? Number.NaN;
  return low + (high - low) * (rank - Math.floor(rank));
}

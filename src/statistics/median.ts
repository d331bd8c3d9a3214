// Statistics: the centre of one side's times, for a table. Verdicts come from the rounds' ratios, not from this.

import { checkConfidence, checkValues } from './rounds.ts';

/** @throws RangeError when there are no values, or one is not finite */
export function estimateMedian(values: readonly number[]): number {
  checkValues(values);
  return middleOf(values.toSorted((a, b) => a - b));
}

/** Middle value, or the mean of the two in the middle. */
export function middleOf(sorted: ArrayLike<number>): number {
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/**
 * Two of the values between which the true median lies with at least `confidence`, whatever the distribution; null if
 * there are too few for it. The number of values below the median is binomial with 1/2. From its middle outwards values
 * are included, the lower first of two that add as much, until they suffice. That is benchstat's interval
 * (golang.org/x/perf), which beyond 30 values approximates where this stays exact.
 *
 * David & Nagaraja, "Order Statistics", 3rd edition, section 7.1.
 *
 * @param confidence between 0 and 1, such as 0.95
 * @throws RangeError when there are no values, one is not finite, or `confidence` is out of range
 */
export function boundMedian(
  values: readonly number[],
  confidence: number,
): readonly [low: number, high: number] | null {
  checkConfidence(confidence);
  checkValues(values);
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  const probabilities = countBelow(count);
  // The median is between the order statistics `low` and `high`, counted from 1, when low to high - 1 values are below
  // it.
  let low = Math.floor(count / 2);
  let high = low + 1;
  let covered = probabilities[low] ?? 0;
  while (covered < confidence && (low > 0 || high <= count)) {
    const takesLower = count / 2 - (low - 1) <= high - count / 2;
    covered += probabilities[takesLower ? --low : high++] ?? 0;
  }
  const bounds = [sorted[low - 1], sorted[high - 1]] as const;
  return bounds[0] === undefined || bounds[1] === undefined ? null : [bounds[0], bounds[1]];
}

/** The chance that 0 to `count` values are below the median, from the likeliest outwards so that none vanishes. */
function countBelow(count: number): number[] {
  const weights = new Array<number>(count + 1).fill(0);
  const middle = Math.floor(count / 2);
  weights[middle] = 1;
  for (let below = middle; below > 0; below--) {
    weights[below - 1] = ((weights[below] ?? 0) * below) / (count - below + 1);
  }
  for (let below = middle; below < count; below++) {
    weights[below + 1] = ((weights[below] ?? 0) * (count - below)) / (below + 1);
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

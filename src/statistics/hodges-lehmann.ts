// Statistics: the difference of head from base, and its bounds.

import { middleOf } from './median.ts';
import { normalQuantile } from './normal.ts';
import { checkConfidence, checkValues } from './rounds.ts';
import { countSums, mostExactRanks } from './signed-rank-distribution.ts';

/**
 * The pseudo-median: the median of the averages of all pairs of values, each with itself included (Walsh averages). It
 * is the centre at which the signed-rank test is balanced; for log ratios its exponential is the typical ratio.
 *
 * Hodges & Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical Statistics 34 (1963) 598-611.
 *
 * @throws RangeError when there are no values, or one is not finite
 */
export function estimatePseudoMedian(values: readonly number[]): number {
  return middleOf(averagePairs(values));
}

/**
 * The interval that holds the centre of symmetry with at least this confidence, both ends included; null if there are
 * too few values for it. It holds every centre that one-sided signed-rank tests at (1 - confidence) / 2 do not reject.
 * So it is exact whatever the noise, and errs on the safe side where values are tied. Above 200 values the ranks are
 * approximated.
 *
 * Tukey's interval: Hollander, Wolfe & Chicken, "Nonparametric Statistical Methods", 3rd edition, section 3.3.
 *
 * @param confidence between 0 and 1, such as 0.95
 * @throws RangeError when there are no values, one is not finite, or `confidence` is out of range
 */
export function boundPseudoMedian(
  values: readonly number[],
  confidence: number,
): readonly [low: number, high: number] | null {
  checkConfidence(confidence);
  const averages = averagePairs(values);
  const cut = countCut(values.length, (1 - confidence) / 2);
  const low = averages[cut - 1];
  const high = averages[averages.length - cut];
  return low === undefined || high === undefined ? null : [low, high];
}

/** Walsh averages in ascending order: n (n + 1) / 2 of them. */
function averagePairs(values: readonly number[]): Float64Array {
  checkValues(values);
  const averages = new Float64Array((values.length * (values.length + 1)) / 2);
  let place = 0;
  for (let first = 0; first < values.length; first++) {
    for (let second = first; second < values.length; second++) {
      averages[place++] = ((values[first] ?? 0) + (values[second] ?? 0)) / 2;
    }
  }
  return averages.sort();
}

/** The number of sums of signed ranks, from 0 upwards, whose probabilities together are below `tail`. */
function countCut(count: number, tail: number): number {
  if (count > mostExactRanks) {
    const mean = (count * (count + 1)) / 4;
    const deviation = Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24);
    return Math.max(0, Math.ceil(mean + normalQuantile(tail) * deviation + 0.5) - 1);
  }
  const probabilities = countSums(Array.from({ length: count }, (_, index) => index + 1));
  let cut = 0;
  for (let sum = probabilities[0] ?? 1; sum < tail; sum += probabilities[cut] ?? 1) cut++;
  return cut;
}

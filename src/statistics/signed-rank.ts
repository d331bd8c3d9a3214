// Statistics: the Wilcoxon signed-rank test, which distinguishes head from base.
//
// It assumes nothing about the noise except that a round's two runs could have changed places. That makes their log
// ratio symmetric about the true one. Outliers count by their rank, so one slow run cannot decide.

import { checkValues } from './rounds.ts';
import { readTails } from './signed-rank-distribution.ts';

/** Log ratios nearer to each other than this are equal: so small a difference is the rounding of a logarithm. */
export const tieTolerance = 1e-12;

export interface SignedRankTest {
  /** W+, the sum of the ranks of the values above 0; R's V. */
  readonly statistic: number;
  /** One-sided p-value against the values lying below 0 or around it: small when they lie above. */
  readonly greater: number;
  /** One-sided p-value that is small when the values lie below 0. */
  readonly less: number;
  /** Twice the smaller of the two, at most 1. */
  readonly twoSided: number;
}

/**
 * Wilcoxon's signed-rank test of whether `values` are symmetric about 0; to test another centre, subtract it first.
 *
 * Ranks are of the absolute values, equal ones sharing their mid-rank. Zeros are Pratt's: they take part in the ranking
 * and their ranks are then left out. With Wilcoxon's own rule, which drops them first, values that grow could find
 * less; with this one only ties can do that. The p-values are exact under ties and zeros, by counting all signs, up to
 * 200 values other than 0. They are 1 if all are 0.
 *
 * Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945) 80-83; Pratt, "Remarks on Zeros
 * and Ties in the Wilcoxon Signed Rank Procedures", JASA 54 (1959) 655-667.
 *
 * @param values differences, such as the log ratios of rounds; nearer than 1e-12 is a tie
 * @throws RangeError when there are none, or one is not finite
 */
export function testSignedRanks(values: readonly number[]): SignedRankTest {
  checkValues(values);
  const ranked = rankAbsolutes(values).filter(({ value }) => Math.abs(value) > tieTolerance);
  const statistic = ranked.reduce((sum, { value, rank }) => (value > 0 ? sum + rank : sum), 0);
  const { atMost, atLeast } = readTails(
    ranked.map(({ rank }) => rank),
    statistic,
  );
  return { statistic, greater: atLeast, less: atMost, twoSided: Math.min(1, 2 * Math.min(atLeast, atMost)) };
}

interface Ranked {
  readonly value: number;
  readonly rank: number;
}

/** Ranks values by their absolute value, the smallest first; ranks from 1. */
function rankAbsolutes(values: readonly number[]): Ranked[] {
  const sorted = values.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  const ranked: Ranked[] = [];
  for (let start = 0; start < sorted.length; ) {
    let end = start + 1;
    while (end < sorted.length && Math.abs(sorted[end] ?? 0) - Math.abs(sorted[end - 1] ?? 0) <= tieTolerance) end++;
    const rank = (start + 1 + end) / 2;
    for (const value of sorted.slice(start, end)) ranked.push({ value, rank });
    start = end;
  }
  return ranked;
}

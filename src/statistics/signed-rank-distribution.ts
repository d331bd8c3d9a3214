// Statistics: the distribution of the sum of signed ranks when each sign is a fair coin's.

import { normalCdf } from './normal.ts';

/** Up to this many ranks every outcome is counted; beyond, the normal approximation is off by less than 0.0001. */
export const mostExactRanks = 200;

export interface Tails {
  /** Probability of the sum or less. */
  readonly atMost: number;
  /** Probability of the sum or more. */
  readonly atLeast: number;
}

/**
 * Both tails of the sum of those `ranks` that get a positive sign.
 *
 * Exact up to 200 ranks: dynamic programming over all 2^n signs, on doubled ranks, which are whole numbers also where
 * ties share a mid-rank; so it is exact under ties. Beyond, the normal approximation with the same mean and variance
 * and a continuity correction (Lehmann, "Nonparametrics", 1975, chapter 3).
 *
 * @param ranks multiples of 1/2 above 0
 */
export function readTails(ranks: readonly number[], sum: number): Tails {
  if (ranks.length > mostExactRanks) return approximateTails(ranks, sum);
  // Without ties every other doubled sum is out of reach, so whole ranks stay as they are.
  const scale = ranks.every(Number.isInteger) ? 1 : 2;
  const probabilities = countSums(ranks.map((rank) => rank * scale));
  const place = sum * scale;
  let atMost = 0;
  for (let index = 0; index <= place; index++) atMost += probabilities[index] ?? 0;
  let atLeast = 0;
  // From the far end, so that small numbers are added first.
  for (let index = probabilities.length - 1; index >= place; index--) atLeast += probabilities[index] ?? 0;
  return { atMost: Math.min(1, atMost), atLeast: Math.min(1, atLeast) };
}

/** The probability of each sum, from 0 to the sum of all `ranks`, which are whole numbers. */
export function countSums(ranks: readonly number[]): Float64Array {
  const probabilities = new Float64Array(ranks.reduce((sum, rank) => sum + rank, 0) + 1);
  probabilities[0] = 1;
  let reached = 0;
  for (const rank of ranks) {
    reached += rank;
    for (let sum = reached; sum >= rank; sum--) {
      probabilities[sum] = ((probabilities[sum] ?? 0) + (probabilities[sum - rank] ?? 0)) / 2;
    }
    for (let sum = rank - 1; sum >= 0; sum--) probabilities[sum] = (probabilities[sum] ?? 0) / 2;
  }
  return probabilities;
}

function approximateTails(ranks: readonly number[], sum: number): Tails {
  const mean = ranks.reduce((total, rank) => total + rank, 0) / 2;
  const deviation = Math.sqrt(ranks.reduce((total, rank) => total + rank * rank, 0)) / 2;
  return {
    atMost: normalCdf((sum + 0.5 - mean) / deviation),
    atLeast: normalCdf((mean - sum + 0.5) / deviation),
  };
}

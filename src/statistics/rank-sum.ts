// Statistics: the Wilcoxon-Mann-Whitney rank-sum test, for readings of base and head that are not paired.

/** The most values of a sample: the readings that the agent takes in three boots (`vm/measure-in-guest.ts`). */
export const maxRanked = 30;

export interface RankSumTest {
  /** One-sided p-value: small when the values of `head` lie above those of `base`. */
  readonly greater: number;
  /** One-sided p-value that is small when they lie below. */
  readonly less: number;
}

/**
 * Tests whether two samples are of one distribution. Exact, also under ties: equal values share their mid-rank, and the
 * p-value is the share of all ways to choose which readings are head's that give a rank sum at least as extreme.
 *
 * Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945) 80-83; Mann and Whitney, "On a
 * Test of Whether One of Two Random Variables is Stochastically Larger than the Other", Annals of Mathematical
 * Statistics 18 (1947) 50-60.
 *
 * @param base at most `maxRanked` values, like `head`: the time grows with the fourth power of their number, to some ms
 * @throws RangeError when a sample has no value, too many, or one that is not finite
 */
export function testRankSum(base: readonly number[], head: readonly number[]): RankSumTest {
  for (const values of [base, head]) {
    if (values.length === 0) throw new RangeError('a sample has no value');
    const bad = values.find((value) => !Number.isFinite(value));
    if (bad !== undefined) throw new RangeError(`a value is ${bad}, which is not finite`);
    if (values.length > maxRanked) throw new RangeError(`a sample has more than ${maxRanked} values`);
  }
  const all = [...base, ...head];
  // Twice the mid-ranks, which are whole numbers.
  const ranks = all.map((value) => {
    const below = all.filter((other) => other < value).length;
    return 2 * below + all.filter((other) => other === value).length + 1;
  });
  const sum = ranks.slice(base.length).reduce((total, rank) => total + rank, 0);
  const ways = countSums(ranks, head.length);
  const share = (isExtreme: (other: number) => boolean) => {
    let [extreme, total] = [0, 0];
    for (const [other, count] of ways.entries()) {
      total += count;
      if (isExtreme(other)) extreme += count;
    }
    return extreme / total;
  };
  return { greater: share((other) => other >= sum), less: share((other) => other <= sum) };
}

/** Counts, for each sum, the choices of `size` of the ranks that have it. */
function countSums(ranks: readonly number[], size: number): Float64Array {
  const largest = ranks.reduce((sum, rank) => sum + rank, 0);
  const bySize = Array.from({ length: size + 1 }, () => new Float64Array(largest + 1));
  bySize[0]?.fill(1, 0, 1);
  // The range of sums of each size so far. In rising order, the last rank is part of the highest.
  const lowest = [0, ...new Array<number>(size).fill(largest + 1)];
  const highest = new Array<number>(size + 1).fill(0);
  for (const [index, rank] of ranks.toSorted((a, b) => a - b).entries()) {
    // Downwards, so that no rank is chosen twice.
    for (let chosen = Math.min(size, index + 1); chosen > 0; chosen--) {
      const [from, to] = [bySize[chosen - 1], bySize[chosen]];
      if (from === undefined || to === undefined) continue;
      const [low, high] = [lowest[chosen - 1] ?? 0, highest[chosen - 1] ?? 0];
      for (let sum = low; sum <= high; sum++) to[sum + rank] = (to[sum + rank] ?? 0) + (from[sum] ?? 0);
      lowest[chosen] = Math.min(lowest[chosen] ?? 0, low + rank);
      highest[chosen] = high + rank;
    }
  }
  return bySize[size] ?? new Float64Array();
}

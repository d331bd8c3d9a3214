// Statistics: the number of rounds that a comparison would need, for when the present rounds cannot decide.

import { normalCdf, normalQuantile } from './normal.ts';
import { checkValues } from './rounds.ts';
import { tieTolerance } from './signed-rank.ts';

/** The largest answer. It stands for this many rounds or more, too many to run. */
export const mostRounds = 1000;

/** The chance of a decision that the needed rounds should give. */
const targetPower = 0.8;

/**
 * The least number of rounds with which a one-sided signed-rank test can give a p-value below `level` at all: all signs
 * are one way with a probability of 2^-n. For a two-sided test give half the level, for a family alpha over its size.
 *
 * @throws RangeError when `level` is not between 0 and 1
 */
export function countLeastRounds(level: number): number {
  if (!(level > 0 && level < 1)) throw new RangeError(`level is ${level}, which is not between 0 and 1`);
  let rounds = 1;
  while (2 ** -rounds >= level) rounds++;
  return rounds;
}

/**
 * Counts the rounds that would show, with a chance of 80 %, that each of `samples` lies above 0, if further rounds are
 * like the present ones. Several samples are for an equivalence, which has to be shown against both bounds.
 *
 * The power is the normal approximation of Lehmann, "Nonparametrics" (1975), chapter 4: mean and variance of W+. It
 * depends on three probabilities of the noise: that a value is above 0, that the sum of a pair is, and that both sums
 * of two pairs with a value in common are. They are estimated by how often that is so. No shape of the noise is
 * assumed.
 *
 * @param samples log ratios, less the bound to lie above
 * @param level of each one-sided test, between 0 and 1
 * @returns from `countLeastRounds(level)` to 1000, which stands for that many or more
 * @throws RangeError when a sample is empty or a value not finite
 */
export function countRoundsNeeded(samples: readonly (readonly number[])[], level: number): number {
  const chances = samples.map(estimateChances);
  const quantile = normalQuantile(1 - level);
  const isEnough = (rounds: number): boolean => {
    // Each bound may be missed: at worst never at the same time (Bonferroni).
    const missed = chances.reduce((sum, chance) => sum + 1 - estimatePower(chance, rounds, quantile), 0);
    return 1 - missed >= targetPower;
  };
  let low = countLeastRounds(level);
  if (low >= mostRounds || isEnough(low)) return Math.min(low, mostRounds);
  // Power grows with the rounds, so halving finds where it suffices, if it ever does.
  let high = mostRounds;
  while (high - low > 1 && isEnough(high)) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

interface Chances {
  readonly value: number;
  readonly pair: number;
  readonly twoPairs: number;
}

function estimateChances(values: readonly number[]): Chances {
  checkValues(values);
  const count = values.length;
  const above = values.filter((value) => value > tieTolerance).length / count;
  // One or two values have no two pairs.
  if (count < 3) return { value: above, pair: above, twoPairs: above };
  let pairs = 0;
  let twoPairs = 0;
  for (const [index, value] of values.entries()) {
    const partners = values.filter((other, place) => place !== index && value + other > tieTolerance).length;
    pairs += partners;
    twoPairs += partners * (partners - 1);
  }
  return {
    value: above,
    pair: pairs / (count * (count - 1)),
    twoPairs: twoPairs / (count * (count - 1) * (count - 2)),
  };
}

function estimatePower({ value, pair, twoPairs }: Chances, rounds: number, quantile: number): number {
  const mean = rounds * value + (rounds * (rounds - 1) * pair) / 2;
  const variance =
    rounds * value * (1 - value) +
    (rounds * (rounds - 1) * (2 * (value - pair) ** 2 + 3 * pair * (1 - pair))) / 2 +
    rounds * (rounds - 1) * (rounds - 2) * (twoPairs - pair ** 2);
  const most = (rounds * (rounds + 1)) / 2;
  // There are enough rounds for all of one sign to suffice, so the critical sum is never more than that.
  const critical = Math.min(most, most / 2 + quantile * Math.sqrt((most * (2 * rounds + 1)) / 12) + 0.5);
  if (variance <= 0) return mean >= critical ? 1 : 0;
  return normalCdf((mean + 0.5 - critical) / Math.sqrt(variance));
}

// Statistics: whether the boots of a comparison agree.
//
// A boot can shift head against base for as long as it lasts, because of where things lie in memory. Its rounds then
// agree with each other but not with those of other boots. Pooling them would pass off one accident as many rounds.

import { estimatePseudoMedian } from './hodges-lehmann.ts';
import type { BootRatio, PairVerdict } from './judgement.ts';
import type { Round } from './rounds.ts';
import { takeLogRatios } from './rounds.ts';
import { testSignedRanks } from './signed-rank.ts';

interface Boot {
  readonly boot: number;
  readonly logRatios: readonly number[];
}

/** The log ratios of each boot, in the order first seen. */
export function splitBoots(rounds: readonly Round[]): Boot[] {
  const boots = new Map<number, Round[]>();
  for (const round of rounds) {
    const known = boots.get(round.boot);
    if (known === undefined) boots.set(round.boot, [round]);
    else known.push(round);
  }
  return [...boots].map(([boot, ownRounds]) => ({ boot, logRatios: takeLogRatios(ownRounds) }));
}

export function describeBoots(boots: readonly Boot[]): BootRatio[] {
  return boots.map(({ boot, logRatios }) => ({
    boot,
    rounds: logRatios.length,
    ratio: Math.exp(estimatePseudoMedian(logRatios)),
  }));
}

/**
 * Whether one boot by itself shows that `verdict` does not hold in it: a one-sided signed-rank test at `alpha` over the
 * number of boots. It only takes verdicts back, so it adds no false ones. If the boots are alike, it takes a true one
 * back with a chance of at most `alpha` (for `unchanged`, twice that).
 *
 * @param logLimit the largest log ratio that is unchanged
 */
export function contradictsABoot(
  verdict: PairVerdict,
  boots: readonly Boot[],
  logLimit: number,
  alpha: number,
): boolean {
  if (boots.length < 2) return false;
  const level = alpha / boots.length;
  return boots.some(({ logRatios }) => {
    const fromUpper = testSignedRanks(logRatios.map((value) => value - logLimit));
    const fromLower = testSignedRanks(logRatios.map((value) => value + logLimit));
    if (verdict === 'regression') return fromUpper.less < level;
    if (verdict === 'improvement') return fromLower.greater < level;
    return verdict === 'unchanged' && (fromUpper.greater < level || fromLower.less < level);
  });
}

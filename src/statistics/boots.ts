// Statistics: whether the boots of a comparison agree.
//
// A boot can shift head against base for as long as it lasts, because of where things lie in memory. Its rounds then
// agree with each other but not with those of other boots. Pooling them would pass off one accident as many rounds.

import { groupBy } from '../common/group-by.ts';
import type { PairVerdict } from './judgement.ts';
import { type Round, takeLogRatios } from './rounds.ts';
import { testSignedRanks } from './signed-rank.ts';

/**
 * Whether one boot by itself shows that `verdict` does not hold in it: a one-sided signed-rank test at `alpha` over the
 * number of boots. It only takes verdicts back, so it adds no false ones. If the boots are alike, it takes a true one
 * back with a chance of at most `alpha` (for `unchanged`, twice that).
 *
 * @param logLimit the largest log ratio that is unchanged
 */
export function contradictsABoot(
  verdict: PairVerdict,
  rounds: readonly Round[],
  logLimit: number,
  alpha: number,
): boolean {
  const boots = groupBy(rounds, ({ boot }) => String(boot)).map(takeLogRatios);
  if (boots.length < 2) return false;
  const level = alpha / boots.length;
  return boots.some((logRatios) => {
    const fromUpper = testSignedRanks(logRatios.map((value) => value - logLimit));
    const fromLower = testSignedRanks(logRatios.map((value) => value + logLimit));
    if (verdict === 'regression') return fromUpper.less < level;
    if (verdict === 'improvement') return fromLower.greater < level;
    return verdict === 'unchanged' && (fromUpper.greater < level || fromLower.less < level);
  });
}

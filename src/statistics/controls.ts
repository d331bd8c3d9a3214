// Statistics: pairs in which nothing differs. When such a control moves, the machine cannot be trusted in that run.

import { estimatePseudoMedian } from './hodges-lehmann.ts';
import { adjustByHolm } from './holm.ts';
import { checkAlpha, type Round, takeLogRatios } from './rounds.ts';
import { countLeastRounds } from './rounds-needed.ts';
import { testSignedRanks, tieTolerance } from './signed-rank.ts';

export interface Control {
  /** One program against itself: base against base again, or the fixed control program in base's and head's places. */
  readonly rounds: readonly Round[];
  /** A shift up to this does no harm: 0.02 is 2 %. `tolerateHalf` proposes half the limit of what it guards. */
  readonly tolerance: number;
}

/** `blind`: it did not move, but has too few rounds to be sure of showing even the clearest shift. */
export type ControlState = 'steady' | 'moved' | 'blind';

export interface ControlJudgement {
  readonly state: ControlState;
  /** Typical second run / first run; 1 when nothing moves. */
  readonly ratio: number;
  /** P-value of the two-sided signed-rank test against a ratio of 1, not corrected. */
  readonly pValue: number;
  /** The same after Holm's correction over all controls. */
  readonly adjustedPValue: number;
}

/**
 * Judges all controls of a run as one family. A control has `moved` when the two-sided signed-rank test against no
 * shift, Holm-adjusted over all controls, has p < alpha, and its estimated shift is larger than its tolerance, either
 * way.
 *
 * Both are required. Without the p-value noise alone would move controls. Without the tolerance, with many rounds, a
 * shift that could not change any verdict would withhold all. The test is against no shift and not against the
 * tolerance, because a guard should rather speak too early.
 *
 * The chance that even one control of a run moves when nothing shifts is at most alpha. 0.01 is proposed: at most one
 * run in a hundred then loses its verdict for nothing. A control that moves says nothing about base and head, so it
 * only ever withholds a verdict.
 *
 * @throws RangeError when alpha is not between 0 and 0.5, a tolerance no finite number of at least 0, or rounds are bad
 */
export function judgeControls(controls: readonly Control[], { alpha }: { readonly alpha: number }): ControlJudgement[] {
  checkAlpha(alpha);
  const tested = controls.map(({ rounds, tolerance }) => {
    if (!Number.isFinite(tolerance) || tolerance < 0) {
      throw new RangeError(`tolerance is ${tolerance}, which is not a finite number of at least 0`);
    }
    const logRatios = takeLogRatios(rounds);
    const shift = estimatePseudoMedian(logRatios);
    return {
      rounds: rounds.length,
      ratio: Math.exp(shift),
      isLarge: Math.abs(shift) > Math.log1p(tolerance) + tieTolerance,
      pValue: testSignedRanks(logRatios).twoSided,
    };
  });
  const adjusted = adjustByHolm(tested.map(({ pValue }) => pValue));
  // Each of the two sides gets half of what Holm's first step leaves.
  const least = tested.length === 0 ? 0 : countLeastRounds(alpha / tested.length / 2);
  return tested.map(({ rounds, ratio, isLarge, pValue }, index) => {
    const adjustedPValue = adjusted[index] ?? 1;
    const hasMoved = isLarge && adjustedPValue < alpha;
    return { state: hasMoved ? 'moved' : rounds < least ? 'blind' : 'steady', ratio, pValue, adjustedPValue };
  });
}

/**
 * Proposes the tolerance for a comparison that is judged by `limit`: half of it. A machine that shifts by less cannot
 * turn equal programs into a regression, and leaves a verdict right to within half the limit. With a limit of 0 any
 * shift counts.
 */
export function tolerateHalf(limit: number): number {
  return limit / 2;
}

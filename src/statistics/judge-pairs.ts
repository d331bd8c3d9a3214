// Statistics: one verdict for each comparison of the time lane, with a known rate of false ones over all of them.

import { contradictsABoot } from './boots.ts';
import { boundPseudoMedian, estimatePseudoMedian } from './hodges-lehmann.ts';
import { adjustByHolm } from './holm.ts';
import type { Judgement, JudgeOptions, PairedComparison, PairVerdict } from './judgement.ts';
import { checkAlpha, takeLogRatios } from './rounds.ts';
import { countLeastRounds, countRoundsNeeded, mostRounds } from './rounds-needed.ts';
import { testSignedRanks, tieTolerance } from './signed-rank.ts';

/**
 * Judges all comparisons of a run as one family; the result is in their order and does not depend on it, nor on that of
 * the rounds.
 *
 * With L = log(1 + limit) and d the log ratios of the rounds:
 * - `regression`: the one-sided signed-rank test of d - L, Holm-adjusted over all comparisons, has p < alpha;
 * - `improvement`: the same of -d - L, so a ratio below 1 / (1 + limit), adjusted as a family of its own. Swapping base
 *   and head therefore swaps the two;
 * - `unchanged`: the interval lies within -L to L. This is the equivalence test by two one-sided tests at alpha each
 *   (Schuirmann 1987), for one comparison: it is not corrected;
 * - `inconclusive`: none of these, or one that a boot by itself contradicts.
 *
 * For the first two the interval has to lie beyond L, too. That follows from p < alpha except where values are tied,
 * and keeps a ratio of 1 from being called a regression there. So a verdict and its interval never contradict each
 * other.
 *
 * The chance of even one false regression in the run is at most alpha; that of even one false improvement likewise;
 * that of a growth beyond the limit being called unchanged is at most alpha for each comparison. This holds while a
 * round's two runs could change places and rounds do not depend on each other: docs/statistics.md says what that leaves
 * out.
 *
 * @throws RangeError when alpha is not between 0 and 0.5, a limit not a finite number of at least 0, or rounds are bad
 */
export function judgePairs(comparisons: readonly PairedComparison[], { alpha }: JudgeOptions): Judgement[] {
  checkAlpha(alpha);
  const tested = comparisons.map((comparison) => testComparison(comparison));
  const slower = adjustByHolm(tested.map(({ pSlower }) => pSlower));
  const faster = adjustByHolm(tested.map(({ pFaster }) => pFaster));
  return tested.map((test, index) =>
    judge(test, { slower: slower[index] ?? 1, faster: faster[index] ?? 1 }, alpha, alpha / tested.length),
  );
}

type Tested = ReturnType<typeof testComparison>;

function testComparison({ rounds, limit }: PairedComparison) {
  if (!Number.isFinite(limit) || limit < 0) {
    throw new RangeError(`limit is ${limit}, which is not a finite number of at least 0`);
  }
  const logLimit = Math.log1p(limit);
  const logRatios = takeLogRatios(rounds);
  const beyondUpper = logRatios.map((value) => value - logLimit);
  const beyondLower = logRatios.map((value) => -value - logLimit);
  return {
    rounds,
    logLimit,
    logRatios,
    beyondUpper,
    beyondLower,
    pSlower: testSignedRanks(beyondUpper).greater,
    pFaster: testSignedRanks(beyondLower).greater,
  };
}

function judge(
  { rounds, logLimit, logRatios, beyondUpper, beyondLower, pSlower, pFaster }: Tested,
  adjusted: { readonly slower: number; readonly faster: number },
  alpha: number,
  strictest: number,
): Judgement {
  const center = estimatePseudoMedian(logRatios);
  const bounds = boundPseudoMedian(logRatios, 1 - 2 * alpha);
  const facts = {
    ratio: Math.exp(center),
    interval: bounds === null ? null : ([Math.exp(bounds[0]), Math.exp(bounds[1])] as const),
    ...(pSlower < pFaster || (pSlower === pFaster && adjusted.slower < adjusted.faster)
      ? { pValue: pSlower, adjustedPValue: adjusted.slower }
      : { pValue: pFaster, adjustedPValue: adjusted.faster }),
  };

  const found = decide(bounds, logLimit, adjusted.slower < alpha, adjusted.faster < alpha);
  if (found !== 'inconclusive') {
    return contradictsABoot(found, rounds, logLimit, alpha)
      ? { ...facts, verdict: 'inconclusive', doubt: 'boots-differ', roundsNeeded: null }
      : { ...facts, verdict: found, doubt: null, roundsNeeded: null };
  }

  const beyond = logLimit + tieTolerance;
  const level = Math.abs(center) > beyond ? strictest : alpha;
  const needed = countRoundsNeeded(
    center > beyond
      ? [beyondUpper]
      : center < -beyond
        ? [beyondLower]
        : [beyondUpper.map((value) => -value), beyondLower.map((value) => -value)],
    level,
  );
  return {
    ...facts,
    verdict: 'inconclusive',
    doubt: logRatios.length < countLeastRounds(level) ? 'too-few-rounds' : 'too-noisy',
    // These rounds did not decide, so it takes at least one more.
    roundsNeeded: Math.min(mostRounds, Math.max(needed, logRatios.length + 1)),
  };
}

function decide(
  bounds: readonly [low: number, high: number] | null,
  logLimit: number,
  isSlower: boolean,
  isFaster: boolean,
): PairVerdict {
  if (bounds === null) return 'inconclusive';
  const [low, high] = bounds;
  if (isSlower && low > logLimit + tieTolerance) return 'regression';
  if (isFaster && high < -logLimit - tieTolerance) return 'improvement';
  return low >= -logLimit - tieTolerance && high <= logLimit + tieTolerance ? 'unchanged' : 'inconclusive';
}

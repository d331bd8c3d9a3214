// Statistics: types of the questions about paired rounds, and of the answers.

import type { Round } from './rounds.ts';

/** One benchmark on one kernel. Lower is better: for a throughput, give its sides swapped. */
export interface PairedComparison {
  readonly rounds: readonly Round[];
  /** Growth that is still allowed: 0.05 is 5 %. At least 0. With 0, nothing but equal times can be `unchanged`. */
  readonly limit: number;
}

export interface JudgeOptions {
  /** The accepted chance of even one false regression over everything compared, such as 0.05. */
  readonly alpha: number;
}

export type PairVerdict = 'regression' | 'improvement' | 'unchanged' | 'inconclusive';

/** Why it is inconclusive: too few rounds to decide anything, too much noise for this many, or boots that differ. */
export type Doubt = 'too-few-rounds' | 'too-noisy' | 'boots-differ';

export interface Judgement {
  readonly verdict: PairVerdict;
  /** Typical head / base: the exponential of the Hodges-Lehmann estimate of the log ratio. */
  readonly ratio: number;
  /** Range of the true ratio, ends included, with a confidence of 1 - 2 alpha; null with too few rounds for it. */
  readonly interval: readonly [low: number, high: number] | null;
  /** P-value of the signed-rank test against the limit, in the direction in which the rounds lean; not corrected. */
  readonly pValue: number;
  /** The same after Holm's correction over all comparisons. */
  readonly adjustedPValue: number;
  /** Null unless inconclusive. */
  readonly doubt: Doubt | null;
  /**
   * Rounds, including the present ones, that would decide with a chance of 80 %; 1000 is that many or more. Null unless
   * inconclusive, and if boots differ, because more rounds in them would not help.
   */
  readonly roundsNeeded: number | null;
}

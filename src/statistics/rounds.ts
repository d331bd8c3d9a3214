// Statistics: measurements of the time lane, as the numbers that all tests work on.
//
// The round is the unit of replication. Within one, base and head run close together, so the machine affects both
// alike. A ratio takes that out, and its logarithm makes growth and shrinking mirror images.

/** One round: each side ran once. For a control, `head` is the second run of the same program. */
export interface Round {
  /** Which boot it ran in; rounds of one boot share its number. */
  readonly boot: number;
  /** Nanoseconds per run or iteration, above 0. */
  readonly base: number;
  /** Nanoseconds per run or iteration, above 0. */
  readonly head: number;
}

/**
 * log(head / base) of each round, in their order: 0 where both took the same time.
 *
 * @throws RangeError without rounds, or where a time is not a finite number above 0, or a boot not a whole number
 */
export function takeLogRatios(rounds: readonly Round[]): number[] {
  if (rounds.length === 0) throw new RangeError('there are no rounds');
  return rounds.map(({ boot, base, head }, index) => {
    if (!Number.isInteger(boot)) throw new RangeError(`round ${index} has a boot of ${boot}`);
    checkTime('base', base, index);
    checkTime('head', head, index);
    // Not the logarithm of the quotient, which can overflow and is not the exact opposite when the sides are swapped.
    return Math.log(head) - Math.log(base);
  });
}

function checkTime(side: 'base' | 'head', timeNs: number, index: number): void {
  if (!Number.isFinite(timeNs) || timeNs <= 0) {
    throw new RangeError(`round ${index} has a ${side} of ${timeNs} ns, which is not a finite number above 0`);
  }
}

/** @throws RangeError when `alpha` is not between 0 and 0.5 */
export function checkAlpha(alpha: number): void {
  if (!(alpha > 0 && alpha < 0.5)) throw new RangeError(`alpha is ${alpha}, which is not between 0 and 0.5`);
}

/** @throws RangeError when `confidence` is not between 0 and 1 */
export function checkConfidence(confidence: number): void {
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`confidence is ${confidence}, which is not between 0 and 1`);
  }
}

/** @throws RangeError when there are none, or one is not finite */
export function checkValues(values: readonly number[]): void {
  if (values.length === 0) throw new RangeError('there are no values');
  const bad = values.find((value) => !Number.isFinite(value));
  if (bad !== undefined) throw new RangeError(`a value is ${bad}, which is not finite`);
}

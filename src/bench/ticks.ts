// Bench: the instructions that timer ticks add to the totals of a program's readings. Pure.
//
// The guest agent gets the numbers by its plan, and takes more readings where ticks do not explain what it read.

/** Properties of timer ticks. The unit is an instruction, unless another is named. */
export const ticks = {
  /**
   * The lower bound of a timer interrupt. The least seen among some hundred readings with one was 969. A smaller
   * difference between totals is the program's own doing, such as a hash of changing keys. Then a lowest total that
   * came twice proves nothing, unless such differences are rare.
   */
  least: 500,
  /**
   * The upper bound of a timer interrupt with what the kernel does right after it. The most seen is 5,858. A total that
   * lies further above the lowest comes from something else.
   */
  most: 50_000,
  /** Between two ticks at `HZ` of 1000, the most of any measured kernel. */
  period: 1_000_000,
  /**
   * The number of readings of the lowest total that make one stray total a rare one, so that the lowest is the
   * program's. A stray total lies above the lowest by less or by more than ticks add. It can come from a tick right
   * before a run, which leaves a request to reschedule: kernels with `PREEMPT_DYNAMIC` then take two instructions more
   * where the run enables preemption again. Of 3,960 test runs of a program of two instructions on 6.1, 7 counted 53
   * instead of 51.
   */
  clean_per_stray: 4,
  /** The probability below which totals are the program's own doing, not of ticks. */
  rarest: 0.001,
} as const;

/** The most that ticks can add to a reading, in instructions. */
export function mostByTicks(least: number): number {
  return (Math.floor(least / ticks.period) + 1) * ticks.most;
}

/**
 * Selects the totals that no tick distinguishes from the lowest, which is included. Their differences are the program's
 * own doing.
 */
export function ownTotals(totals: readonly number[]): number[] {
  const least = Math.min(...totals);
  const isOfTicks = (total: number) => total - least >= ticks.least && total - least <= mostByTicks(least);
  const far = totals.filter(isOfTicks).length;
  return canBeTicks(far, totals.length, least) ? totals.filter((total) => !isOfTicks(total)) : [...totals];
}

/** Leaves out totals that lie further above the lowest than ticks add, if they are rare. */
export function withoutStrays(totals: readonly number[]): number[] {
  const least = Math.min(...totals);
  const near = totals.filter((total) => total - least <= mostByTicks(least));
  return (totals.length - near.length) * ticks.clean_per_stray <= near.length ? near : [...totals];
}

/**
 * Whether ticks explain that `far` of the totals lie a tick or more above the lowest. With one tick in each period of
 * the clock, `far` readings or more are hit by chance with at most the computed probability: the binomial's, by the sum
 * over all choices of `far` readings. One is never too many.
 *
 * @param least the lowest total, in instructions
 */
function canBeTicks(far: number, readings: number, least: number): boolean {
  if (far < 2) return true;
  const hit = Math.min(1, least / ticks.period);
  let probability = 1;
  for (let each = 0; each < far; each++) probability *= (hit * (readings - each)) / (each + 1);
  return probability >= ticks.rarest;
}

// Bench: the instructions that timer ticks add to the totals of a program's readings. Pure.
//
// `vm/agent/src/converge.rs` has the same numbers. It takes more readings where they do not explain what it read.

/**
 * The lower bound of a timer interrupt, in instructions. The least seen among some hundred readings with one was 969. A
 * smaller difference between totals is the program's own doing, such as a hash of changing keys. Then a lowest total
 * that came twice proves nothing, unless such differences are rare. `LEAST_TICK` there.
 */
export const leastTick = 500;
/**
 * The upper bound of a timer interrupt with what the kernel does right after it, in instructions. The most seen is
 * 5,858. A total that lies further above the lowest comes from something else. `MOST_TICK` there.
 */
export const mostTick = 50_000;
/**
 * Readings of the lowest total for each total that lies above it by less or more than ticks add. With at least so many,
 * the others are rare and the lowest total is what the program does. A tick right before a run leaves a request to
 * reschedule. By it, kernels with `PREEMPT_DYNAMIC` take two instructions more wherever the run enables preemption
 * again, as at its first reading of the clock: 7 of 3,960 test runs of a program of two instructions counted 53 instead
 * of 51 on 6.1. `CLEAN_PER_STRAY` there.
 */
export const cleanPerStray = 4;
/** Instructions between two ticks at `HZ` of 1000: no kernel that is measured ticks more often. `TICK_PERIOD` there. */
export const tickPeriod = 1_000_000;
/** The probability below which totals do not come from ticks but are the program's own doing. `RAREST_TICKS` there. */
export const rarestTicks = 0.001;

/** The most that ticks can add to a reading, in instructions. */
export function mostByTicks(least: number): number {
  return (Math.floor(least / tickPeriod) + 1) * mostTick;
}

/**
 * Selects the totals that no tick distinguishes from the lowest, which is included. Their differences are the program's
 * own doing.
 */
export function ownTotals(totals: readonly number[]): number[] {
  const least = Math.min(...totals);
  const isOfTicks = (total: number) => total - least >= leastTick && total - least <= mostByTicks(least);
  const far = totals.filter(isOfTicks).length;
  return canBeTicks(far, totals.length, least) ? totals.filter((total) => !isOfTicks(total)) : [...totals];
}

/** Leaves out totals that lie further above the lowest than ticks add, if they are rare. */
export function withoutStrays(totals: readonly number[]): number[] {
  const least = Math.min(...totals);
  const near = totals.filter((total) => total - least <= mostByTicks(least));
  return (totals.length - near.length) * cleanPerStray <= near.length ? near : [...totals];
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
  const hit = Math.min(1, least / tickPeriod);
  let probability = 1;
  for (let each = 0; each < far; each++) probability *= (hit * (readings - each)) / (each + 1);
  return probability >= rarestTicks;
}

// Bench: what timer ticks add to the totals of a program's readings. Pure.
//
// `vm/agent/src/converge.rs` has the same numbers, and takes more readings where they do not explain what it read.

/**
 * In instructions: no timer interrupt takes fewer. The least seen among some hundred readings with one was 969. What
 * totals differ by below that is the program's own doing, a hash of changing keys say, and a lowest one that came twice
 * proves nothing then; unless it is rare. `LEAST_TICK` there.
 */
export const leastTick = 500;
/**
 * In instructions: no timer interrupt takes more, with what the kernel does right after it. The most seen is 5,858. A total
 * that lies further above the lowest was read of something else. `MOST_TICK` there.
 */
export const mostTick = 50_000;
/**
 * Of the lowest total, for each that lies above it by less or more than ticks: then that is rare and the lowest one is what
 * the program does. A tick right before a run leaves a request to reschedule, by which kernels with `PREEMPT_DYNAMIC` take two
 * instructions more wherever the run turns preemption on again, as at its first reading of the clock: 7 of 3,960 test runs
 * of a program of two instructions counted 53 instead of 51 on 6.1. `CLEAN_PER_STRAY` there.
 */
export const cleanPerStray = 4;
/** Instructions between two ticks at `HZ` of 1000: no kernel that is measured ticks more often. `TICK_PERIOD` there. */
export const tickPeriod = 1_000_000;
/** Totals that come by ticks with a smaller probability than this are the program's own doing. `RAREST_TICKS` there. */
export const rarestTicks = 0.001;

/** The most that ticks can add to a reading, in instructions. */
export function mostByTicks(least: number): number {
  return (Math.floor(least / tickPeriod) + 1) * mostTick;
}

/**
 * Those of a program's totals that no tick distinguishes from the lowest, itself included. What they differ by is the
 * program's own doing.
 */
export function ownTotals(totals: readonly number[]): number[] {
  const least = Math.min(...totals);
  const isOfTicks = (total: number) => total - least >= leastTick && total - least <= mostByTicks(least);
  const far = totals.filter(isOfTicks).length;
  return canBeTicks(far, totals.length, least) ? totals.filter((total) => !isOfTicks(total)) : [...totals];
}

/** Leaves out totals that lie further above the lowest than ticks add, where these are rare. */
export function withoutStrays(totals: readonly number[]): number[] {
  const least = Math.min(...totals);
  const near = totals.filter((total) => total - least <= mostByTicks(least));
  return (totals.length - near.length) * cleanPerStray <= near.length ? near : [...totals];
}

/**
 * Whether ticks explain that so many of the totals lie a tick or more above the lowest. By chance, one tick in a period of
 * the clock, `far` readings or more are hit with at most this probability: the binomial's, by the sum over all choices of
 * `far` readings. One is never too many.
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

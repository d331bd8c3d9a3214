// Time errors: which runs are made, in which order. Pure.

import { randomFrom, shuffle } from '../statistics.ts';

/** Tags of the project, by their additional work relative to base, as a fraction. */
export const growths = { base: 0, 'slower-10': 0.1, 'slower-25': 0.25 } as const;
/** Revision that base is compared with. */
export type Head = keyof typeof growths;
export const heads: readonly Head[] = ['base', 'slower-10', 'slower-25'];

/**
 * Shuffles the heads of all runs, so that the machine's load affects all kinds alike. If the runs end early, those made
 * are still a fair sample.
 *
 * @param runs number of runs of base against itself
 * @param powerRuns number of runs of each other head
 * @param seed a whole number from 0 to 2^32 - 1
 */
export function scheduleRuns(runs: number, powerRuns: number, seed: number): Head[] {
  const wanted = heads.flatMap((head) => Array.from({ length: head === 'base' ? runs : powerRuns }, () => head));
  return shuffle(wanted, randomFrom(seed));
}

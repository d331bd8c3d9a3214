// Which runs are made, in which order. Pure.

import { randomFrom, shuffle } from '../boot-times/statistics.ts';

/** Tags of the project, by how much more work they do than base, as a fraction. */
export const growths = { base: 0, 'slower-10': 0.1, 'slower-25': 0.25 } as const;
/** What base is compared with. */
export type Head = keyof typeof growths;
export const heads: readonly Head[] = ['base', 'slower-10', 'slower-25'];

/**
 * The heads of all runs in an order that is drawn, so that what the machine does meanwhile meets all kinds alike. If it
 * ends early, what there is is still a fair draw.
 *
 * @param runs of base against itself
 * @param powerRuns of each of the others
 * @param seed a whole number from 0 to 2^32 - 1
 */
export function scheduleRuns(runs: number, powerRuns: number, seed: number): Head[] {
  const wanted = heads.flatMap((head) => Array.from({ length: head === 'base' ? runs : powerRuns }, () => head));
  return shuffle(wanted, randomFrom(seed));
}

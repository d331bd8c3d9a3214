// Rounds of a machine that is noisier than most: it drifts, its noise is skewed, and one run in ten is hit by something
// that takes up to several times as long as the run itself.

import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { Round } from '../../src/statistics/rounds.ts';

export type Random = () => number;

/** Numbers from 0 to below 1. */
export function seedRandom(seed: number): Random {
  const generator = mersenne(seed);
  return () => uniformFloat64(generator);
}

export interface SimulatedRounds {
  readonly random: Random;
  readonly rounds: number;
  /** True head / base. */
  readonly ratio: number;
  readonly boots?: number;
  /** True head / base of each boot, relative to `ratio`. Default 1. */
  readonly bootRatios?: readonly number[];
}

export function simulateRounds({ random, rounds, ratio, boots = 1, bootRatios = [] }: SimulatedRounds): Round[] {
  let drift = 1;
  return Array.from({ length: rounds }, (_, index) => {
    const boot = index % boots;
    drift *= 1 + 0.1 * (random() - 0.5);
    const base = 1000 * drift * simulateNoise(random);
    const head = 1000 * drift * simulateNoise(random) * ratio * (bootRatios[boot] ?? 1);
    return { boot, base, head };
  });
}

/** At least 1; a Pareto tail of index 1, which has no mean. */
function simulateNoise(random: Random): number {
  const usual = 1 + 0.03 * -Math.log(1 - random());
  return random() < 0.1 ? usual + 0.1 / (1 - random()) : usual;
}

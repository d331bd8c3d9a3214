// Criterion under icount, simulated: a virtual clock, a timer tick every 4 ms, and criterion's own choice of counts.

import type { Sample } from '../../src/bench/measurement.ts';

export interface Simulation {
  /** Instructions per iteration. */
  readonly cost: number;
  readonly seed: number;
  readonly measurementTimeNs: number;
  readonly sampleSize?: number;
  /** `auto` is criterion's default: flat where linear sampling would take more than twice the time. */
  readonly sampling?: 'auto' | 'linear';
}

const tickPeriod = 4_000_000;
const clockReading = 60;

/** Simulates criterion's samples of a benchmark of exactly `cost` instructions, begun at random between two ticks. */
export function simulateSamples(simulation: Simulation): Sample[] {
  const random = seedRandom(simulation.seed);
  let now = random() * tickPeriod;
  let nextTick = tickPeriod;
  return iterationCounts(simulation).map((count) => {
    // Criterion's own work between samples.
    now += 500 + Math.floor(random() * 5000);
    while (nextTick <= now) nextTick += tickPeriod;
    let total = clockReading + count * simulation.cost;
    while (nextTick <= now + total) {
      total += 5000 + Math.floor(random() * 4001);
      nextTick += tickPeriod;
    }
    now += total;
    return { count, total };
  });
}

/** criterion 0.7 `src/lib.rs`, ActualSamplingMode::iteration_counts and SamplingMode::choose_sampling_mode. */
function iterationCounts({ cost, measurementTimeNs, sampleSize = 10, sampling = 'auto' }: Simulation): number[] {
  const runs = (sampleSize * (sampleSize + 1)) / 2;
  const step = Math.max(1, Math.ceil(measurementTimeNs / cost / runs));
  if (sampling === 'linear' || runs * step * cost <= 2 * measurementTimeNs) {
    return Array.from({ length: sampleSize }, (_, index) => (index + 1) * step);
  }
  return new Array<number>(sampleSize).fill(Math.max(1, Math.ceil(measurementTimeNs / sampleSize / cost)));
}

/** Mulberry32: numbers from 0 to below 1. */
export function seedRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

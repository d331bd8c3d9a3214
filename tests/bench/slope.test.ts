import { describe, expect, test } from 'vitest';
import type { Sample } from '../../src/bench/measurement.ts';
import { estimatePerIteration } from '../../src/bench/slope.ts';
import { seedRandom, simulateSamples } from './simulate-samples.ts';

const costs = [5, 20, 300, 20_000, 150_000, 2_000_000];
/** The time that the plan asks of criterion. */
const plannedTimeNs = 5_000_000;
const seeds = Array.from({ length: 200 }, (_, seed) => seed);

function worstError(cost: number, simulate: (seed: number) => Sample[]): number {
  return Math.max(...seeds.map((seed) => Math.abs(estimatePerIteration(simulate(seed)) / cost - 1)));
}

describe.each(costs)('a benchmark of %i instructions per iteration', (cost) => {
  test('is within 0.1 % wherever the ticks occur', () => {
    expect(worstError(cost, (seed) => simulateSamples({ cost, seed, measurementTimeNs: plannedTimeNs }))).toBeLessThan(
      0.001,
    );
  });

  test('is within 0.1 % over three pooled readings', () => {
    const simulate = (seed: number) =>
      [0, 1, 2].flatMap((reading) =>
        simulateSamples({ cost, seed: seed * 3 + reading, measurementTimeNs: plannedTimeNs }),
      );
    expect(worstError(cost, simulate)).toBeLessThan(0.001);
  });

  test('takes at most 20 ms of virtual time to measure', () => {
    for (const seed of seeds) {
      const samples = simulateSamples({ cost, seed, measurementTimeNs: plannedTimeNs });
      expect(samples.reduce((sum, { total }) => sum + total, 0)).toBeLessThan(20_100_000);
    }
  });
});

test.each([5, 20, 300, 20_000])('of %i instructions is within 0.1 percent with four times the planned time', (cost) => {
  const simulate = (seed: number) => simulateSamples({ cost, seed, measurementTimeNs: 4 * plannedTimeNs });
  expect(worstError(cost, simulate)).toBeLessThan(0.001);
});

test.each([0.5, 5, 19_825, 1 / 3])('is exact on clean samples: %f', (cost) => {
  const samples = Array.from({ length: 10 }, (_, index) => {
    const count = (index + 1) * 275;
    return { count, total: 91 + count * cost };
  });
  expect(estimatePerIteration(samples)).toBeCloseTo(cost, 9);
});

test('is exact to the digit on clean whole numbers with ticks in 6 of 10 samples', () => {
  const ticks = [0, 6400, 0, 7100, 5300, 0, 12_700, 8000, 0, 5900];
  const samples = ticks.map((tick, index) => ({
    count: (index + 1) * 100,
    total: 60 + (index + 1) * 100 * 321 + tick,
  }));
  expect(estimatePerIteration(samples)).toBe(321);
});

test('is not affected by readings that repeat each other, ticks included', () => {
  const reading = [60 + 321, 60 + 642, 60 + 963, 60 + 1284 + 7000].map((total, index) => ({ count: index + 1, total }));
  expect(estimatePerIteration([...reading, ...reading, ...reading])).toBe(321);
});

test('does not depend on the order of the samples', () => {
  const random = seedRandom(1);
  for (const seed of seeds.slice(0, 20)) {
    const samples = simulateSamples({ cost: 300, seed, measurementTimeNs: 4 * plannedTimeNs });
    const shuffled = samples.map((sample) => ({ sample, key: random() })).toSorted((a, b) => a.key - b.key);
    expect(estimatePerIteration(shuffled.map(({ sample }) => sample))).toBe(estimatePerIteration(samples));
  }
});

test('shows one added instruction in a thousand', () => {
  const simulate = (cost: number) =>
    estimatePerIteration(simulateSamples({ cost, seed: 7, measurementTimeNs: plannedTimeNs }));
  expect(simulate(1001) - simulate(1000)).toBeCloseTo(1, 6);
});

test('is the least total over its count if all counts are equal', () => {
  expect(
    estimatePerIteration([
      { count: 4, total: 4100 },
      { count: 4, total: 4000 },
      { count: 4, total: 9000 },
    ]),
  ).toBe(1000);
  expect(estimatePerIteration([{ count: 2, total: 10 }])).toBe(5);
});

test('is the least total if the totals do not grow', () => {
  expect(
    estimatePerIteration([
      { count: 1, total: 900 },
      { count: 2, total: 800 },
    ]),
  ).toBe(400);
});

test('handles a large sample', () => {
  const samples = simulateSamples({
    cost: 300,
    seed: 3,
    measurementTimeNs: plannedTimeNs,
    sampleSize: 1000,
    sampling: 'linear',
  });
  expect(estimatePerIteration(samples)).toBeCloseTo(300, 6);
});

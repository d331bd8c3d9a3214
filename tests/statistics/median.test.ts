import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { boundMedian, estimateMedian } from '../../src/statistics/median.ts';
import { fixtures, readFixtureTimes } from './fixture-rounds.ts';

const lines = readFileSync(join(fixtures, 'benchstat.csv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split(','))
  .map(([rounds, confidence, benchmark, base, baseRange, head, headRange]) => ({
    rounds: Number(rounds),
    confidence: Number(confidence),
    benchmark: benchmark ?? '',
    sides: { base: { center: base, range: baseRange }, head: { center: head, range: headRange } },
  }));

test.each(lines)("is benchstat's median and interval: $benchmark, $rounds rounds at $confidence", (line) => {
  for (const side of ['base', 'head'] as const) {
    const expected = line.sides[side];
    const times = readFixtureTimes(side, line.benchmark).slice(0, line.rounds);
    const center = estimateMedian(times);
    const bounds = boundMedian(times, line.confidence);
    expect(center).toBeCloseTo(Number(expected.center) * 1e9, 9);
    // As benchstat prints it: the farther bound, in percent of the median.
    const range =
      bounds === null ? '∞' : `${(100 * Math.max(bounds[1] / center - 1, 1 - bounds[0] / center)).toFixed(0)}%`;
    expect(range).toBe(expected.range);
  }
});

test('is between the 40th and the 61st of 100 values at 95 %', () => {
  // scipy 1.17.1: stats.binom.cdf(60, 100, 0.5) - stats.binom.cdf(39, 100, 0.5) is 0.9648; one value less a side 0.9540
  const values = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(boundMedian(values, 0.96)).toEqual([40, 61]);
  expect(boundMedian(values, 0.95)).toEqual([40, 60]);
});

test('handles thousands of values', () => {
  const values = Array.from({ length: 5001 }, (_, index) => index);
  const [low, high] = boundMedian(values, 0.95) ?? [0, 0];
  expect(2500 - low).toBeGreaterThan(65);
  expect(high - 2500).toBeLessThan(72);
});

test('refuses no values, one that is not finite, and an invalid confidence', () => {
  expect(() => estimateMedian([])).toThrow(RangeError);
  expect(() => estimateMedian([Number.NaN])).toThrow(RangeError);
  expect(() => boundMedian([1], 0)).toThrow(RangeError);
});

import { expect, test } from 'vitest';
import { countLeastRounds, countRoundsNeeded } from '../../src/statistics/rounds-needed.ts';

test.each([
  [0.05, 5],
  [0.01, 7],
  [0.05 / 160, 12],
  [0.01 / 160 / 2, 15],
  // Below the level, not at it.
  [2 ** -6, 7],
])('a one-sided p-value below %d takes at least %i rounds', (level, rounds) => {
  expect(countLeastRounds(level)).toBe(rounds);
});

test('gives the minimum if every round agrees', () => {
  expect(countRoundsNeeded([[1, 2, 3]], 0.05 / 160)).toBe(12);
  expect(countRoundsNeeded([[1]], 0.05)).toBe(5);
});

test('gives the maximum if the rounds show nothing, or the opposite', () => {
  expect(countRoundsNeeded([[1, -1, 2, -2, 3, -3]], 0.05)).toBe(1000);
  expect(countRoundsNeeded([[-1, -2, -3]], 0.05)).toBe(1000);
  expect(countRoundsNeeded([[0, 0, 0]], 0.05)).toBe(1000);
});

test('gives more for a smaller shift, a lower level and a larger limit', () => {
  const noise = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5];
  const shift = (by: number) => noise.map((value) => value + by);
  const byShift = [4, 3, 2, 1].map((by) => countRoundsNeeded([shift(by)], 0.05));
  expect(byShift).toEqual(byShift.toSorted((a, b) => a - b));
  expect(new Set(byShift).size).toBe(4);
  expect(countRoundsNeeded([shift(2)], 0.01)).toBeGreaterThan(countRoundsNeeded([shift(2)], 0.05));
  expect(countRoundsNeeded([shift(2), shift(2)], 0.05)).toBeGreaterThan(countRoundsNeeded([shift(2)], 0.05));
});

test('refuses an invalid level and an empty sample', () => {
  expect(() => countLeastRounds(0)).toThrow(RangeError);
  expect(() => countLeastRounds(Number.NaN)).toThrow(RangeError);
  expect(() => countRoundsNeeded([[]], 0.05)).toThrow(RangeError);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundPseudoMedian, estimatePseudoMedian } from '../../src/statistics/hodges-lehmann.ts';
import { testSignedRanks } from '../../src/statistics/signed-rank.ts';
import { assertAlways } from './assert-always.ts';
import { darwinDifferences, depressionDifferences } from './published-data.ts';

test('gives the published estimate and interval for the depression scores', () => {
  // R: wilcox.test(x, y, paired = TRUE, conf.int = TRUE)
  expect(estimatePseudoMedian(depressionDifferences)).toBeCloseTo(0.46, 12);
  expect(round(boundPseudoMedian(depressionDifferences, 0.95))).toEqual([0.01, 0.786]);
});

// From the definition with numpy: the sorted Walsh averages cut by the exact distribution.
test.each([
  [depressionDifferences, 0.9, [0.175, 0.726]],
  [depressionDifferences, 0.99, [-0.1135, 0.987]],
  [depressionDifferences, 0.996, [-0.147, 1.022]],
  [darwinDifferences, 0.95, [4, 41.5]],
  [darwinDifferences, 0.9, [8, 39.5]],
] as const)('gives the interval of example %# at %d', (values, confidence, interval) => {
  expect(round(boundPseudoMedian(values, confidence))).toEqual(interval);
});

test('has no interval with too few values for the confidence', () => {
  // All nine on one side has a probability of 2 / 512, so that 99.6 % is the most that nine values give.
  expect(boundPseudoMedian(depressionDifferences, 0.997)).toBeNull();
  expect(boundPseudoMedian([1, 2, 3, 4], 0.9)).toBeNull();
  expect(boundPseudoMedian([1, 2, 3, 4, 5], 0.9)).toEqual([1, 5]);
});

test('contains the centres that the test does not reject', () => {
  const values = fc.uniqueArray(fc.integer({ min: -1000, max: 1000 }), { minLength: 5, maxLength: 25 });
  const confidences = fc.constantFrom(0.8, 0.9, 0.95, 0.99);
  assertAlways(
    fc.property(values, confidences, fc.integer({ min: -1000, max: 1000 }), (whole, confidence, center) => {
      const interval = boundPseudoMedian(whole, confidence);
      // Between the averages of pairs, so that nothing is tied.
      const { twoSided } = testSignedRanks(whole.map((value) => value - center - 0.3));
      const isInside = interval !== null && interval[0] <= center + 0.3 && center + 0.3 <= interval[1];
      expect(isInside || interval === null).toBe(twoSided >= 1 - confidence);
    }),
  );
});

test('shifts with the values and is mirrored with their sign', () => {
  const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 5, maxLength: 25 });
  assertAlways(
    fc.property(values, fc.integer({ min: -1000, max: 1000 }), (whole, shift) => {
      const [low, high] = boundPseudoMedian(whole, 0.9) ?? [Number.NaN, Number.NaN];
      const center = estimatePseudoMedian(whole);
      const moved = whole.map((value) => value + shift);
      expect(estimatePseudoMedian(moved)).toBe(center + shift);
      expect(boundPseudoMedian(moved, 0.9)).toEqual([low + shift, high + shift]);
      const turned = whole.map((value) => -value);
      expect(estimatePseudoMedian(turned) + center).toBe(0);
      expect(boundPseudoMedian(turned, 0.9)?.map((value) => value + 0)).toEqual([-high + 0, -low + 0]);
    }),
  );
});

test('is continuous where the exact distribution ends', () => {
  const values = Array.from({ length: 201 }, (_, index) => ((index * 37) % 201) / 100 - 1);
  const [low, high] = boundPseudoMedian(values.slice(0, 200), 0.95) ?? [0, 0];
  const [nextLow, nextHigh] = boundPseudoMedian(values, 0.95) ?? [0, 0];
  expect(nextLow).toBeCloseTo(low, 1);
  expect(nextHigh).toBeCloseTo(high, 1);
  expect(nextLow).toBeLessThan(0);
});

test('refuses no values, one that is not finite, and an invalid confidence', () => {
  expect(() => estimatePseudoMedian([])).toThrow(RangeError);
  expect(() => boundPseudoMedian([1, Number.POSITIVE_INFINITY], 0.9)).toThrow(RangeError);
  expect(() => boundPseudoMedian([1], 1)).toThrow(new RangeError('confidence is 1, which is not between 0 and 1'));
});

function round(interval: readonly number[] | null): number[] | undefined {
  return interval?.map((value) => Number(value.toFixed(9)));
}

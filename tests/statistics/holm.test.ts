import fc from 'fast-check';
import { expect, test } from 'vitest';
import { adjustByHolm } from '../../src/statistics/holm.ts';
import { assertAlways } from './assert-always.ts';

const families = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 });

test('matches statsmodels', () => {
  // statsmodels 0.15.0: multipletests([0.01, 0.04, 0.03, 0.005, 0.2, 0.03], method='holm')[1]
  const adjusted = adjustByHolm([0.01, 0.04, 0.03, 0.005, 0.2, 0.03]);
  expect(adjusted.map((value) => Number(value.toFixed(12)))).toEqual([0.05, 0.12, 0.12, 0.03, 0.2, 0.12]);
});

test('does not change a single p-value', () => {
  expect(adjustByHolm([0.03])).toEqual([0.03]);
  expect(adjustByHolm([])).toEqual([]);
});

test('keeps the order of the p-values, and lies between no correction and Bonferroni', () => {
  assertAlways(
    fc.property(families, (pValues) => {
      const adjusted = adjustByHolm(pValues);
      for (const [index, pValue] of pValues.entries()) {
        const own = adjusted[index] ?? Number.NaN;
        expect(own).toBeGreaterThanOrEqual(pValue);
        expect(own).toBeLessThanOrEqual(Math.min(1, pValue * pValues.length));
        for (const [other, otherPValue] of pValues.entries()) {
          if (pValue <= otherPValue) expect(own).toBeLessThanOrEqual(adjusted[other] ?? Number.NaN);
        }
      }
    }),
  );
});

test('never falls when a p-value rises', () => {
  assertAlways(
    fc.property(families, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (pValues, place, by) => {
      const raised = pValues.with(place % pValues.length, Math.min(1, (pValues[place % pValues.length] ?? 0) + by));
      const adjusted = adjustByHolm(pValues);
      for (const [index, value] of adjustByHolm(raised).entries()) {
        expect(value).toBeGreaterThanOrEqual(adjusted[index] ?? Number.NaN);
      }
    }),
  );
});

test('does not depend on the order of the comparisons', () => {
  assertAlways(
    fc.property(families, fc.nat(), (pValues, turn) => {
      const start = turn % pValues.length;
      const rotate = (values: readonly number[]) => [...values.slice(start), ...values.slice(0, start)];
      expect(adjustByHolm(rotate(pValues))).toEqual(rotate(adjustByHolm(pValues)));
    }),
  );
});

test.each([Number.NaN, -0.1, 1.1])('refuses a p-value of %d', (pValue) => {
  expect(() => adjustByHolm([0.5, pValue])).toThrow(RangeError);
});

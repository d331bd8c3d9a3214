import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testSignedRanks } from '../../src/statistics/signed-rank.ts';
import { assertAlways } from './assert-always.ts';
import { darwinDifferences, depressionDifferences } from './published-data.ts';

// All p-values are scipy 1.17.1's, stats.wilcoxon(values, alternative=...).pvalue for greater, less and two-sided. With
// ties or zeros: method=stats.PermutationMethod(n_resamples=numpy.inf), which counts all signs. Else: method='exact'.
describe.each([
  {
    name: "R's ?wilcox.test: V = 40, p-value = 0.01953",
    values: depressionDifferences,
    statistic: 40,
    greater: 0.01953125,
    less: 0.986328125,
    twoSided: 0.0390625,
  },
  {
    name: "Darwin's maize, scipy's example: 96, p-value = 0.0413",
    values: darwinDifferences,
    statistic: 96,
    greater: 0.0206298828125,
    less: 0.982330322265625,
    twoSided: 0.041259765625,
  },
  {
    name: 'ties',
    values: [1, 1, -1, 2, 2, 3, -3, 4, 5, 5, -2],
    statistic: 51.5,
    greater: 0.05712890625,
    less: 0.95458984375,
    twoSided: 0.1142578125,
  },
  {
    name: "ties and zeros, zero_method='pratt'",
    values: [0, 0, 1, -1, 2, 2, 3, 0, 4, -1, 5, 6],
    statistic: 62,
    greater: 0.021484375,
    less: 0.986328125,
    twoSided: 0.04296875,
  },
  {
    name: "one zero, zero_method='pratt'",
    values: [0, 2, 3, 4, 5, 6],
    statistic: 20,
    greater: 0.03125,
    less: 1,
    twoSided: 0.0625,
  },
  {
    name: '50 values',
    values: spread(50, 101, 40, 1000),
    statistic: 862,
    greater: 0.014863657541007491,
    less: 0.9855078618320929,
    twoSided: 0.029727315082014982,
  },
  {
    name: '200 values, the most that are exact',
    values: spread(200, 101, 44, 1000),
    statistic: 12652,
    greater: 0.0007074967112802311,
    less: 0.9992955492717484,
    twoSided: 0.0014149934225604621,
  },
  // method='approx', correction=True
  {
    name: '300 values, approximated',
    values: spread(300, 401, 180, 10_000),
    statistic: 26490,
    greater: 0.004618446211966446,
    less: 0.995390504825704,
    twoSided: 0.009236892423932892,
  },
  // method='approx', correction=True, zero_method='pratt'
  {
    name: '300 values with ties and zeros, approximated',
    values: Array.from({ length: 300 }, (_, index) => ((index * 37) % 41) - 18),
    statistic: 26762.5,
    greater: 0.002599415531874082,
    less: 0.9974059271524959,
    twoSided: 0.005198831063748164,
  },
])('$name', ({ values, statistic, greater, less, twoSided }) => {
  test('gives the published statistic and p-values', () => {
    const result = testSignedRanks(values);
    expect(result.statistic).toBe(statistic);
    expect(result.greater).toBeCloseTo(greater, 12);
    expect(result.less).toBeCloseTo(less, 12);
    expect(result.twoSided).toBeCloseTo(twoSided, 12);
  });
});

test('is nearly exact where it approximates', () => {
  // scipy 1.17.1, the same 300 values with method='exact'
  expect(Math.abs(testSignedRanks(spread(300, 401, 180, 10_000)).greater - 0.004551902125055296)).toBeLessThan(1e-4);
});

test('counts all signs, ties and zeros included', () => {
  const small = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 9 });
  assertAlways(
    fc.property(small, (values) => {
      const { statistic, greater, less } = testSignedRanks(values);
      let atLeast = 0;
      let atMost = 0;
      for (let signs = 0; signs < 2 ** values.length; signs++) {
        const sum = testSignedRanks(values.map((value, place) => ((signs >> place) & 1 ? value : -value))).statistic;
        if (sum >= statistic) atLeast++;
        if (sum <= statistic) atMost++;
      }
      expect(greater).toBeCloseTo(atLeast / 2 ** values.length, 12);
      expect(less).toBeCloseTo(atMost / 2 ** values.length, 12);
    }),
  );
});

test('does not depend on the order of the values', () => {
  const shuffled = fc
    .array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 40 })
    .chain((values) => fc.tuple(fc.constant(values), fc.shuffledSubarray(values, { minLength: values.length })));
  assertAlways(
    fc.property(shuffled, ([values, others]) => {
      expect(testSignedRanks(others)).toEqual(testSignedRanks(values));
    }),
  );
});

test('is mirrored with the sign of the values', () => {
  const values = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 40 });
  assertAlways(
    fc.property(values, (ones) => {
      const { greater, less, twoSided } = testSignedRanks(ones);
      const negated = testSignedRanks(ones.map((value) => -value));
      expect(negated.greater).toBeCloseTo(less, 12);
      expect(negated.less).toBeCloseTo(greater, 12);
      expect(negated.twoSided).toBeCloseTo(twoSided, 12);
    }),
  );
});

test('never finds less in larger values, zeros included', () => {
  const sizes = fc.uniqueArray(fc.integer({ min: -30, max: 30 }), { maxLength: 12, selector: Math.abs });
  assertAlways(
    fc.property(sizes, fc.integer({ min: 1, max: 4 }), fc.nat(), fc.nat(40), (ones, zeros, place, by) => {
      const values = [...ones, ...new Array<number>(zeros).fill(0)];
      // The half keeps it from equalling another value.
      const grown = values.with(place % values.length, (values[place % values.length] ?? 0) + by + 0.5);
      expect(testSignedRanks(grown).greater).toBeLessThanOrEqual(testSignedRanks(values).greater + 1e-12);
    }),
  );
});

test('treats rounding errors of logarithms as ties', () => {
  const ulp = 2 ** -52;
  expect(testSignedRanks([ulp, -ulp, 1, -1 - ulp, 1 + ulp])).toEqual(testSignedRanks([0, 0, 1, -1, 1]));
});

test('has a p-value of 1 if every value is 0', () => {
  expect(testSignedRanks([0, 0, 0])).toEqual({ statistic: 0, greater: 1, less: 1, twoSided: 1 });
});

test('refuses no values, and one that is not finite', () => {
  expect(() => testSignedRanks([])).toThrow(new RangeError('there are no values'));
  expect(() => testSignedRanks([1, Number.NaN])).toThrow(new RangeError('a value is NaN, which is not finite'));
});

/** Values without ties or zeros, not too far to either side. */
function spread(count: number, modulus: number, center: number, step: number): number[] {
  return Array.from({ length: count }, (_, index) => (((index * 37) % modulus) - center) / 10 + index / step);
}

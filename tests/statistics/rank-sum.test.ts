import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRankSum } from '../../src/statistics/rank-sum.ts';

describe('the rank-sum test', () => {
  // One over the number of choices; the last two counted by hand.
  test.each([
    ['all of five above all of five', [1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 1 / 252],
    [
      'all of ten above all of ten',
      Array.from({ length: 10 }, (_, i) => i),
      Array.from({ length: 10 }, (_, i) => 10 + i),
      1 / 184_756,
    ],
    [
      'all of thirty above all of ten',
      Array.from({ length: 10 }, (_, i) => i),
      Array.from({ length: 30 }, (_, i) => 10 + i),
      1 / 847_660_528,
    ],
    ['one pair', [1], [2], 1 / 2],
    ['no difference at all', [3, 3, 3], [3, 3, 3], 1],
    ['three of four above', [1, 2, 3, 7], [4, 5, 6, 8], 0.1],
  ])('%s', (_, base, head, p) => {
    expect(testRankSum(base, head).greater).toBeCloseTo(p, 10);
    expect(testRankSum(head, base).less).toBeCloseTo(p, 10);
  });

  const sample = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 });

  test('equals the enumeration of all choices, including ties', () => {
    fc.assert(
      fc.property(sample, sample, (base, head) => {
        const all = [...base, ...head];
        // The Mann-Whitney count, which orders choices as the rank sum does.
        const wins = (own: readonly number[], others: readonly number[]) =>
          own
            .flatMap((a) => others.map((b) => (a > b ? 2 : a === b ? 1 : 0)))
            .reduce((sum: number, one) => sum + one, 0);
        const choices = Array.from({ length: 2 ** all.length }, (_, bits) =>
          all.map((_, index) => (bits >> index) & 1),
        ).filter((bits) => bits.filter((bit) => bit === 1).length === head.length);
        const observed = wins(head, base);
        const split = (bits: readonly number[], bit: number) => all.filter((_, index) => bits[index] === bit);
        const extreme = choices.filter((bits) => wins(split(bits, 1), split(bits, 0)) >= observed).length;
        expect(testRankSum(base, head).greater).toBeCloseTo(extreme / choices.length, 12);
      }),
    );
  });

  test('refuses an invalid sample', () => {
    expect(() => testRankSum([], [1])).toThrow(RangeError);
    expect(() => testRankSum([1], [Number.NaN])).toThrow(RangeError);
    expect(() => testRankSum([1], Array(31).fill(1))).toThrow(RangeError);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeControls, tolerateHalf } from '../../src/statistics/controls.ts';
import type { Round } from '../../src/statistics/rounds.ts';
import { assertAlways } from './assert-always.ts';

const alpha = 0.01;
const tolerance = 0.02;

test('a control that is slower in every round, by more than its tolerance, has moved', () => {
  const [slower, faster] = judgeControls(
    [
      { rounds: makeRounds(10, 1.03), tolerance },
      { rounds: makeRounds(10, 1 / 1.03), tolerance },
    ],
    { alpha },
  );
  expect(slower).toMatchObject({ state: 'moved', pValue: 2 ** -9, adjustedPValue: 2 ** -8 });
  expect(slower?.ratio).toBeGreaterThan(1.03);
  expect(faster).toMatchObject({ state: 'moved' });
});

test('a shift within the tolerance is steady, however significant', () => {
  expect(judgeControls([{ rounds: makeRounds(50, 1.01), tolerance }], { alpha })[0]).toMatchObject({ state: 'steady' });
});

test('a shift within the noise is steady', () => {
  const rounds = [...makeRounds(6, 1.2), ...makeRounds(4, 0.9)];
  expect(judgeControls([{ rounds, tolerance }], { alpha })[0]).toMatchObject({ state: 'steady' });
});

test('a control with too few rounds to move is blind', () => {
  // Two-sided, 2 / 2^8 is the first p below 1 %; for two controls it is 2 / 2^9.
  const judgeOf = (rounds: number, count: number) =>
    judgeControls(
      Array.from({ length: count }, () => ({ rounds: makeRounds(rounds, 1.5), tolerance })),
      { alpha },
    )[0]?.state;
  expect(judgeOf(7, 1)).toBe('blind');
  expect(judgeOf(8, 1)).toBe('moved');
  expect(judgeOf(8, 2)).toBe('blind');
  expect(judgeOf(9, 2)).toBe('moved');
});

test('without controls none is judged', () => {
  expect(judgeControls([], { alpha })).toEqual([]);
});

test('equal times never move, at any tolerance', () => {
  const times = fc.array(fc.double({ min: 1, max: 1e9, noNaN: true }), { minLength: 8, maxLength: 40 });
  assertAlways(
    fc.property(times, (own) => {
      const rounds = own.map((time) => ({ boot: 0, base: time, head: time }));
      expect(judgeControls([{ rounds, tolerance: 0 }], { alpha })).toEqual([
        { state: 'steady', ratio: 1, pValue: 1, adjustedPValue: 1 },
      ]);
    }),
  );
});

test('the suggested tolerance is half the limit', () => {
  expect(tolerateHalf(0.05)).toBe(0.025);
});

test('invalid input is refused', () => {
  expect(() => judgeControls([{ rounds: [], tolerance }], { alpha })).toThrow(RangeError);
  expect(() => judgeControls([{ rounds: makeRounds(8, 1), tolerance: -1 }], { alpha })).toThrow(
    new RangeError('tolerance is -1, which is not a finite number of at least 0'),
  );
  expect(() => judgeControls([], { alpha: 1 })).toThrow(RangeError);
});

/** Rounds whose ratios differ a little, and are never closer to 1 than `ratio`. */
function makeRounds(count: number, ratio: number): Round[] {
  return Array.from({ length: count }, (_, index) => ({
    boot: 0,
    base: 1000,
    head: 1000 * ratio * (1 + (Math.sign(ratio - 1) * index) / 100_000),
  }));
}

import { expect, test } from 'vitest';
import { takeLogRatios } from '../../src/statistics/rounds.ts';

test('gives the logarithm of head over base, in the order of the rounds', () => {
  const [double, same, half] = takeLogRatios([
    { boot: 0, base: 100, head: 200 },
    { boot: 0, base: 7, head: 7 },
    { boot: 1, base: 200, head: 100 },
  ]);
  expect(double).toBeCloseTo(Math.LN2, 14);
  expect(same).toBe(0);
  expect(half).toBe(-(double ?? 0));
});

test('is finite even if the quotient would not be', () => {
  expect(takeLogRatios([{ boot: 0, base: 1e-300, head: 1e300 }])[0]).toBeCloseTo(600 * Math.LN10, 9);
});

test('refuses an empty list of rounds', () => {
  expect(() => takeLogRatios([])).toThrow(new RangeError('there are no rounds'));
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 0, -1, undefined as unknown as number])(
  'refuses a time of %s',
  (time) => {
    expect(() =>
      takeLogRatios([
        { boot: 0, base: 1, head: 1 },
        { boot: 0, base: 1, head: time },
      ]),
    ).toThrow(new RangeError(`round 1 has a head of ${time} ns, which is not a finite number above 0`));
    expect(() => takeLogRatios([{ boot: 0, base: time, head: 1 }])).toThrow(/^round 0 has a base of/);
  },
);

test('refuses a boot that is not a whole number', () => {
  expect(() => takeLogRatios([{ boot: 0.5, base: 1, head: 1 }])).toThrow(RangeError);
});

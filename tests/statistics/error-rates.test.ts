// Promises of the statistics, tried on thousands of simulated runs. The seeds are fixed, so no test fails by chance.

import { describe, expect, test } from 'vitest';
import { judgeControls, tolerateHalf } from '../../src/statistics/controls.ts';
import { judgePairs } from '../../src/statistics/judge-pairs.ts';
import type { PairVerdict } from '../../src/statistics/judgement.ts';
import { takeLogRatios } from '../../src/statistics/rounds.ts';
import { countRoundsNeeded } from '../../src/statistics/rounds-needed.ts';
import { testSignedRanks } from '../../src/statistics/signed-rank.ts';
import { seedRandom, simulateRounds } from './simulate-rounds.ts';

const alpha = 0.05;
const limit = 0.05;
const families = 2000;
const size = 8;

/** Three standard deviations above a true share of `rate`. */
function mostOf(rate: number, tries: number): number {
  return rate + 3 * Math.sqrt((rate * (1 - rate)) / tries);
}

function judgeFamilies(ratio: number, ownLimit: number, seed: number, count = families): PairVerdict[][] {
  const random = seedRandom(seed);
  return Array.from({ length: count }, () =>
    judgePairs(
      Array.from({ length: size }, () => ({ rounds: simulateRounds({ random, rounds: 12, ratio }), limit: ownLimit })),
      { alpha },
    ).map(({ verdict }) => verdict),
  );
}

function shareWith(verdicts: readonly PairVerdict[][], sought: PairVerdict): number {
  return verdicts.filter((family) => family.includes(sought)).length / verdicts.length;
}

describe('of 2000 runs of 8 comparisons with heavy-tailed noise', () => {
  test('at most 5 % have a false verdict when nothing changed and the limit is 0', () => {
    const verdicts = judgeFamilies(1, 0, 11);
    expect(shareWith(verdicts, 'regression')).toBeLessThan(mostOf(alpha, families));
    expect(shareWith(verdicts, 'improvement')).toBeLessThan(mostOf(alpha, families));
    // The test is exact, so it uses most of the allowed error rate.
    expect(shareWith(verdicts, 'regression')).toBeGreaterThan(alpha / 2);
  });

  test('at most 5 % have a false regression when everything grew by the limit', () => {
    const verdicts = judgeFamilies(1 + limit, limit, 12);
    expect(shareWith(verdicts, 'regression')).toBeLessThan(mostOf(alpha, families));
    expect(shareWith(verdicts, 'improvement')).toBe(0);
    // The error rate of `unchanged` is promised for each comparison, not for all together.
    const unchanged = verdicts.flat().filter((verdict) => verdict === 'unchanged').length / (families * size);
    expect(unchanged).toBeLessThan(mostOf(alpha, families * size));
  });

  test('none of 500 has a false regression when nothing changed and the limit is 5 %', () => {
    expect(shareWith(judgeFamilies(1, limit, 13, 500), 'regression')).toBe(0);
  });
});

test('at most 1 % of 2000 runs have a control that moves when nothing shifts', () => {
  const random = seedRandom(14);
  const moved = Array.from({ length: families }, () =>
    judgeControls(
      Array.from({ length: size }, () => ({ rounds: simulateRounds({ random, rounds: 16, ratio: 1 }), tolerance: 0 })),
      { alpha: 0.01 },
    ).some(({ state }) => state === 'moved'),
  ).filter(Boolean).length;
  expect(moved / families).toBeLessThan(mostOf(0.01, families));
});

test('a control moves when the second place in a round is 10 % slower', () => {
  const random = seedRandom(15);
  const controls = Array.from({ length: size }, () => ({
    rounds: simulateRounds({ random, rounds: 30, ratio: 1.1 }),
    tolerance: tolerateHalf(limit),
  }));
  expect(judgeControls(controls, { alpha: 0.01 }).map(({ state }) => state)).toContain('moved');
});

test('a shift that lasts a boot is not covered by the rate, but by a limit that is larger', () => {
  const share = (ratio: number, boots: number) => {
    const random = seedRandom(21);
    const runs = 1000;
    // Normal (Box-Muller), with a standard deviation of 1 %.
    const shiftBoot = () => Math.exp(0.01 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
    return (
      Array.from({ length: runs }, () => {
        const bootRatios = Array.from({ length: boots }, shiftBoot);
        const rounds = simulateRounds({ random, rounds: 24, ratio, boots, bootRatios });
        return judgePairs([{ rounds, limit }], { alpha })[0]?.verdict;
      }).filter((verdict) => verdict === 'regression').length / runs
    );
  };
  expect(share(1 + limit, 1)).toBeCloseTo(0.11, 1);
  expect(share(1 + limit, 1)).toBeGreaterThan(mostOf(alpha, 1000));
  expect(share(1 + limit, 3)).toBeLessThan(share(1 + limit, 1));
  expect(share(1, 1)).toBe(0);
});

test('nine in ten intervals hold the true ratio', () => {
  const random = seedRandom(16);
  const runs = 2000;
  const held = Array.from({ length: runs }, () => {
    const rounds = simulateRounds({ random, rounds: 12, ratio: 1.3 });
    const [low, high] = judgePairs([{ rounds, limit: 0 }], { alpha })[0]?.interval ?? [0, 0];
    return low <= 1.3 && 1.3 <= high;
  }).filter(Boolean).length;
  expect(1 - held / runs).toBeLessThan(mostOf(0.1, runs));
});

test('more is detected with larger changes and with more rounds', () => {
  const share = (ratio: number, rounds: number) => {
    const random = seedRandom(17);
    const runs = 300;
    return (
      Array.from(
        { length: runs },
        () => judgePairs([{ rounds: simulateRounds({ random, rounds, ratio }), limit }], { alpha })[0]?.verdict,
      ).filter((verdict) => verdict === 'regression').length / runs
    );
  };
  const bySize = [1.05, 1.07, 1.1, 1.15, 1.25].map((ratio) => share(ratio, 12));
  expect(bySize).toEqual(bySize.toSorted((a, b) => a - b));
  expect(bySize.at(0)).toBeLessThan(0.1);
  expect(bySize.at(-1)).toBeGreaterThan(0.95);
  const byRounds = [6, 12, 24, 48].map((rounds) => share(1.1, rounds));
  expect(byRounds).toEqual(byRounds.toSorted((a, b) => a - b));
  expect(byRounds.at(-1)).toBeGreaterThan(0.95);
});

test.each([1.08, 1.1, 1.15])(
  'the suggested number of rounds for a ratio of %d decides about as often as promised',
  (ratio) => {
    const logLimit = Math.log1p(limit);
    const level = alpha / size;
    const shift = (rounds: number, random: () => number) =>
      takeLogRatios(simulateRounds({ random, rounds, ratio })).map((value) => value - logLimit);
    const random = seedRandom(18);
    // Computed from many rounds, as if the noise were known.
    const needed = countRoundsNeeded([shift(1000, random)], level);
    const runs = 1000;
    const decided = Array.from({ length: runs }, () => testSignedRanks(shift(needed, random)).greater < level);
    const power = decided.filter(Boolean).length / runs;
    expect(power).toBeGreaterThan(0.7);
    expect(power).toBeLessThan(0.92);
  },
);

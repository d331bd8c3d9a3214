import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgePairs } from '../../src/statistics/judge-pairs.ts';
import type { Judgement, PairedComparison } from '../../src/statistics/judgement.ts';
import type { Round } from '../../src/statistics/rounds.ts';
import { assertAlways } from './assert-always.ts';
import { readFixtureRounds } from './fixture-rounds.ts';
import { seedRandom, simulateRounds } from './simulate-rounds.ts';

const alpha = 0.05;

describe('one comparison', () => {
  test('is a regression when head is beyond the limit in every round', () => {
    const judgement = judgeOne(makeRounds(Array.from({ length: 10 }, (_, index) => 1.1 + index / 1000)), 0.05);
    expect(judgement).toMatchObject({ verdict: 'regression', pValue: 2 ** -10, adjustedPValue: 2 ** -10 });
    expect(judgement).toMatchObject({ doubt: null, roundsNeeded: null });
    expect(judgement.ratio).toBeCloseTo(1.1045, 4);
    expect(judgement.interval?.[0]).toBeGreaterThan(1.1);
    expect(judgement.interval?.[1]).toBeLessThan(1.109);
  });

  test('is an improvement with the sides swapped', () => {
    const ratios = Array.from({ length: 10 }, (_, index) => 1 / (1.1 + index / 1000));
    expect(judgeOne(makeRounds(ratios), 0.05)).toMatchObject({ verdict: 'improvement', pValue: 2 ** -10 });
  });

  test('is unchanged if the growth is proven to be within the limit', () => {
    const ratios = Array.from({ length: 10 }, (_, index) => 1.01 + index / 1000);
    expect(judgeOne(makeRounds(ratios), 0.05)).toMatchObject({ verdict: 'unchanged', doubt: null, roundsNeeded: null });
  });

  test('is no regression if it grew exactly by the limit', () => {
    expect(judgeOne(makeRounds(Array.from({ length: 10 }, () => 1.05)), 0.05).verdict).toBe('unchanged');
  });

  test('is unchanged at a limit of 0 only when nothing differs', () => {
    expect(judgeOne(makeRounds(Array.from({ length: 10 }, () => 1)), 0)).toMatchObject({
      verdict: 'unchanged',
      ratio: 1,
      interval: [1, 1],
      pValue: 1,
    });
    const balanced = makeRounds(Array.from({ length: 10 }, (_, index) => (index % 2 ? 1.01 : 1 / 1.01)));
    expect(judgeOne(balanced, 0)).toMatchObject({ verdict: 'inconclusive', doubt: 'too-noisy', roundsNeeded: 1000 });
  });

  test('has the number of rounds needed if there are too few for any verdict', () => {
    // 2^-5 is the first power below 5 %.
    expect(judgeOne(makeRounds([1.2, 1.21, 1.22, 1.23]), 0.05)).toMatchObject({
      verdict: 'inconclusive',
      interval: null,
      doubt: 'too-few-rounds',
      roundsNeeded: 5,
    });
  });

  test('asks for more rounds if the noise is too large', () => {
    const rounds = simulateRounds({ random: seedRandom(1), rounds: 12, ratio: 1 });
    const judgement = judgeOne(rounds, 0.01);
    expect(judgement).toMatchObject({ verdict: 'inconclusive', doubt: 'too-noisy' });
    expect(judgement.roundsNeeded).toBeGreaterThan(12);
  });

  test('is no regression if a few rounds differ among equal ones', () => {
    // Of 20 rounds 5 are slower and none faster: a signed-rank p of 2^-5, and a typical ratio of 1.
    const ratios = Array.from({ length: 20 }, (_, index) => (index < 5 ? 1.1 : 1));
    const judgement = judgeOne(makeRounds(ratios), 0);
    expect(judgement).toMatchObject({ verdict: 'inconclusive', ratio: 1, pValue: 2 ** -5 });
    expect(judgement.interval?.[0]).toBe(1);
  });
});

describe('a family', () => {
  test('needs more evidence of each comparison', () => {
    const slower = { rounds: makeRounds([1.2, 1.21, 1.22, 1.23, 1.24, 1.25]), limit: 0.05 };
    const same = { rounds: makeRounds([1, 1.01, 0.99, 1.02, 0.98, 1]), limit: 0.05 };
    expect(judgePairs([slower, same], { alpha })[0]).toMatchObject({ verdict: 'regression', adjustedPValue: 2 ** -5 });
    // 2^-6 times 20, while 2^-9 is the first power below a twentieth of 5 %.
    const [first, second] = judgePairs([slower, ...Array.from({ length: 19 }, () => same)], { alpha });
    expect(first).toMatchObject({ verdict: 'inconclusive', pValue: 2 ** -6, adjustedPValue: 20 * 2 ** -6 });
    expect(first).toMatchObject({ doubt: 'too-few-rounds', roundsNeeded: 9 });
    // The test for equivalence is not corrected.
    expect(second?.verdict).toBe('unchanged');
  });

  test('without comparisons has no judgements', () => {
    expect(judgePairs([], { alpha })).toEqual([]);
  });
});

describe('boots', () => {
  test.each([
    ['a regression', [1.3, 1.3, 1.3, 1.3, 1.3, 0.99]],
    ['an improvement', [0.7, 0.7, 0.7, 0.7, 0.7, 1.01]],
    ['unchanged', [1, 1, 1.001, 1.2]],
  ])('that differ withdraw %s', (_, ratios) => {
    const boots = ratios.flatMap((ratio, boot) =>
      makeRounds(
        Array.from({ length: 10 }, (_, index) => ratio + index / 10_000),
        boot,
      ),
    );
    expect(judgeOne(boots, 0.15)).toMatchObject({ verdict: 'inconclusive', doubt: 'boots-differ', roundsNeeded: null });
  });

  test('are each tested at alpha over their number', () => {
    // In the last boot all 5 or 6 rounds are below the limit; 2^-6 is below a third of 5 %, 2^-5 is not.
    const judgeWithLast = (count: number) =>
      judgeOne(
        [1.3, 1.3, 1.1].flatMap((ratio, boot) =>
          makeRounds(
            Array.from({ length: boot === 2 ? count : 12 }, (_, index) => ratio + index / 10_000),
            boot,
          ),
        ),
        0.15,
      );
    expect(judgeWithLast(5)).toMatchObject({ verdict: 'regression' });
    expect(judgeWithLast(6)).toMatchObject({ verdict: 'inconclusive', doubt: 'boots-differ' });
  });

  test('that differ only in how much slower they are keep a regression', () => {
    const rounds = [1.3, 1.2, 1.1].flatMap((ratio, boot) =>
      makeRounds(
        Array.from({ length: 10 }, (_, index) => ratio + index / 10_000),
        boot,
      ),
    );
    expect(judgeOne(rounds, 0.05).verdict).toBe('regression');
  });
});

describe('a recorded benchmark', () => {
  const judgeAt = (limit: number) =>
    judgePairs(
      ['Join', 'Upper'].map((benchmark) => ({ rounds: readFixtureRounds(benchmark), limit })),
      { alpha },
    );

  test('that is slower by more than the limit is a regression, and equal code is not', () => {
    expect(judgeAt(0.05)).toMatchObject([
      { verdict: 'regression', pValue: 0.0085906982421875 },
      { verdict: 'inconclusive', doubt: 'too-noisy' },
    ]);
  });

  test('in which equal code always ran second is a regression without a limit, also for benchstat', () => {
    // Pairing removes what a round's runs share, not effects of their order: hence random orders, controls and limits.
    expect(judgeAt(0)[1]).toMatchObject({ verdict: 'regression' });
  });
});

describe('always', () => {
  const times = fc.oneof(fc.integer({ min: 90, max: 110 }), fc.double({ min: 1, max: 1e6, noNaN: true }));
  const rounds = fc.array(fc.record({ boot: fc.nat(2), base: times, head: times }), { minLength: 1, maxLength: 24 });
  const limits = fc.constantFrom(0, 0.01, 0.05, 0.5);
  const comparison: fc.Arbitrary<PairedComparison> = fc.record({ rounds, limit: limits });
  // Slower or faster as a whole, for verdicts that noise alone seldom gives.
  const shifted = fc
    .record({
      ratio: fc.double({ min: 0.5, max: 2, noNaN: true }),
      noise: fc.array(fc.nat(30), { minLength: 4, maxLength: 24 }),
      limit: limits,
    })
    .map(({ ratio, noise, limit }) => ({
      rounds: noise.map((percent) => ({ boot: 0, base: 1000, head: 1000 * ratio * (1 + percent / 1000) })),
      limit,
    }));
  const families = fc.array(fc.oneof(comparison, shifted), { minLength: 1, maxLength: 6 });

  test('the order of the rounds does not matter', () => {
    assertAlways(
      fc.property(families, fc.nat(), (family, turn) => {
        const turned = family.map(({ rounds, limit }) => ({ rounds: rotate(rounds, turn), limit }));
        expectAlike(judgePairs(turned, { alpha }), judgePairs(family, { alpha }));
      }),
    );
  });

  test('the order of the comparisons does not matter', () => {
    assertAlways(
      fc.property(families, fc.nat(), (family, turn) => {
        expectAlike(judgePairs(rotate(family, turn), { alpha }), rotate(judgePairs(family, { alpha }), turn));
      }),
    );
  });

  test('the unit of time does not matter', () => {
    assertAlways(
      fc.property(families, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (family, factor) => {
        const scaled = family.map(({ rounds, limit }) => ({
          rounds: rounds.map(({ boot, base, head }) => ({ boot, base: base * factor, head: head * factor })),
          limit,
        }));
        expectAlike(judgePairs(scaled, { alpha }), judgePairs(family, { alpha }));
      }),
    );
  });

  test('swapping base and head swaps the verdicts and inverts the ratio', () => {
    const opposite = {
      regression: 'improvement',
      improvement: 'regression',
      unchanged: 'unchanged',
      inconclusive: 'inconclusive',
    } as const;
    assertAlways(
      fc.property(families, (family) => {
        const swapped = family.map(({ rounds, limit }) => ({
          rounds: rounds.map(({ boot, base, head }) => ({ boot, base: head, head: base })),
          limit,
        }));
        const expected = judgePairs(family, { alpha }).map((judgement) => ({
          ...judgement,
          verdict: opposite[judgement.verdict],
          ratio: 1 / judgement.ratio,
          interval: judgement.interval && ([1 / judgement.interval[1], 1 / judgement.interval[0]] as const),
        }));
        expectAlike(judgePairs(swapped, { alpha }), expected);
      }),
    );
  });

  test('equal times give no difference', () => {
    assertAlways(
      fc.property(
        fc.array(fc.array(times, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 6 }),
        limits,
        (family, limit) => {
          const equal = family.map((own) => ({
            rounds: own.map((time) => ({ boot: 0, base: time, head: time })),
            limit,
          }));
          for (const [index, { verdict, ratio }] of judgePairs(equal, { alpha }).entries()) {
            expect(ratio).toBe(1);
            expect(verdict).toBe((family[index]?.length ?? 0) < 5 ? 'inconclusive' : 'unchanged');
          }
        },
      ),
    );
  });

  test('a verdict, its interval and its p-value are consistent', () => {
    assertAlways(
      fc.property(families, (family) => {
        for (const [index, judgement] of judgePairs(family, { alpha }).entries()) {
          const { verdict, ratio, interval, pValue, adjustedPValue, doubt, roundsNeeded } = judgement;
          const upper = 1 + (family[index]?.limit ?? 0);
          const [low, high] = interval ?? [0, Number.POSITIVE_INFINITY];
          expect(adjustedPValue).toBeGreaterThanOrEqual(pValue);
          expect(low).toBeLessThanOrEqual(ratio);
          expect(high).toBeGreaterThanOrEqual(ratio);
          if (verdict === 'regression') expect(low).toBeGreaterThan(upper);
          if (verdict === 'improvement') expect(high).toBeLessThan(1 / upper);
          if (verdict === 'regression' || verdict === 'improvement') expect(adjustedPValue).toBeLessThan(alpha);
          if (verdict === 'unchanged') expect(Math.max(high, 1 / low)).toBeLessThanOrEqual(upper + 1e-11);
          expect(doubt === null).toBe(verdict !== 'inconclusive');
          expect(roundsNeeded === null).toBe(verdict !== 'inconclusive' || doubt === 'boots-differ');
          if (roundsNeeded !== null) expect(roundsNeeded).toBeGreaterThan(family[index]?.rounds.length ?? 0);
        }
      }),
    );
  });
});

describe('invalid input', () => {
  const rounds = makeRounds([1]);

  test.each([0, 0.5, -1, Number.NaN])('an alpha of %d is refused', (bad) => {
    expect(() => judgePairs([{ rounds, limit: 0 }], { alpha: bad })).toThrow(RangeError);
  });

  test.each([-0.1, Number.NaN, Number.POSITIVE_INFINITY])('a limit of %d is refused', (limit) => {
    expect(() => judgePairs([{ rounds, limit }], { alpha })).toThrow(RangeError);
  });

  test('no rounds are refused', () => {
    expect(() => judgePairs([{ rounds: [], limit: 0 }], { alpha })).toThrow(new RangeError('there are no rounds'));
  });
});

function judgeOne(rounds: readonly Round[], limit: number): Judgement {
  const [judgement] = judgePairs([{ rounds, limit }], { alpha });
  if (judgement === undefined) throw new Error('one comparison gives one judgement');
  return judgement;
}

function makeRounds(ratios: readonly number[], boot = 0): Round[] {
  return ratios.map((ratio) => ({ boot, base: 1000, head: 1000 * ratio }));
}

function rotate<T>(items: readonly T[], turn: number): T[] {
  const start = turn % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Expects equality, except for the last digits, in which a logarithm may differ. */
function expectAlike(actual: readonly Judgement[], expected: readonly Judgement[]): void {
  const summarize = (judgements: readonly Judgement[]) =>
    judgements.map((judgement) =>
      JSON.parse(JSON.stringify(judgement), (_, value) =>
        typeof value === 'number' ? expect.closeTo(value, 9 - Math.ceil(Math.log10(Math.max(1, value)))) : value,
      ),
    );
  expect(actual).toEqual(summarize(expected));
}

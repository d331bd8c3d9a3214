import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSteps, maxSkips } from '../../src/compare/find-steps.ts';

/** Searches values, of which null cannot be measured; the ends can. Lists the points measured, ends not included. */
async function search(values: readonly (number | null)[], all = false) {
  const tried: number[] = [];
  const reading = (at: number) => ({ at, value: values[at] ?? 0 });
  const measure = async (at: number) => {
    tried.push(at);
    return values[at] ?? undefined;
  };
  return { steps: await findSteps(reading(0), reading(values.length - 1), measure, all), tried };
}

/** A value that only grows: at each of the points by 1 or more. */
const growing = fc
  .tuple(
    fc.integer({ min: 1, max: 200 }),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 9 })), { maxLength: 5 }),
  )
  .map(([last, drawn]) => {
    const grows = new Map(drawn.map(([point, by]) => [1 + (point % last), by]));
    let value = 100;
    return Array.from({ length: last + 1 }, (_, at) => {
      value += grows.get(at) ?? 0;
      return value;
    });
  });

/** The same, some of whose points between the ends cannot be measured. */
const withGaps = growing.chain((values) =>
  fc
    .array(fc.nat(2), { minLength: values.length, maxLength: values.length })
    .map((draws) => values.map((value, at) => (draws[at] === 0 && at > 0 && at < values.length - 1 ? null : value))),
);

/** Pairs of measurable points, one after the other, whose values differ. */
function stepsOf(values: readonly (number | null)[]): [number, number][] {
  const known = values.flatMap((value, at) => (value === null ? [] : [{ at, value }]));
  return known.flatMap((to, index) => {
    const from = known[index - 1];
    return from === undefined || from.value === to.value ? [] : [[from.at, to.at] as [number, number]];
  });
}

const pointsOf = (steps: Awaited<ReturnType<typeof search>>['steps']) => steps.map(({ from, to }) => [from.at, to.at]);

describe('findSteps', () => {
  test('finds the first step, in log2 measurements where every point can be measured', async () => {
    await fc.assert(
      fc.asyncProperty(growing, async (values) => {
        const { steps, tried } = await search(values);
        expect(pointsOf(steps)).toEqual(stepsOf(values).slice(0, 1));
        expect(tried.length).toBeLessThanOrEqual(Math.ceil(Math.log2(values.length)));
      }),
    );
  });

  test('finds the first step, or all, between points that can be measured, and measures none twice', async () => {
    await fc.assert(
      fc.asyncProperty(withGaps, fc.boolean(), async (values, all) => {
        const { steps, tried } = await search(values, all);
        expect(pointsOf(steps)).toEqual(stepsOf(values).slice(0, all ? undefined : 1));
        expect(new Set(tried).size).toBe(tried.length);
      }),
    );
  });

  test('follows the direction of the end: what grew although it is less in between is no step', async () => {
    expect(pointsOf((await search([5, 5, 3, 3, 3, 3, 9, 9])).steps)).toEqual([[5, 6]]);
    expect(pointsOf((await search([9, 9, 9, 5, 5])).steps)).toEqual([[2, 3]]);
  });

  test('leaves a long run of points that cannot be measured after a few', async () => {
    const values = Array.from({ length: 1025 }, (_, at) => (at > 300 && at < 800 ? null : at < 100 ? 1 : 2));
    const { steps, tried } = await search(values);
    expect(pointsOf(steps)).toEqual([[99, 100]]);
    expect(tried.length).toBeLessThan(40);
  });

  test('gives up a range of which many points cannot be measured', async () => {
    const values = [1, ...Array.from({ length: 2000 }, () => null), 2];
    const { steps, tried } = await search(values);
    expect(pointsOf(steps)).toEqual([[0, 2001]]);
    expect(tried).toHaveLength(maxSkips);
  });

  test('finds nothing where the ends are equal', async () => {
    expect(await search([1, 2, 1], true)).toEqual({ steps: [], tried: [] });
  });
});

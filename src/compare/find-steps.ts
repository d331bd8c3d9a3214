// Compare: finds where an exact value changes between two points of a sequence, of commits or kernels. Pure.

/** The value at one point of the sequence. */
export interface Reading {
  /** Index in the sequence. */
  readonly at: number;
  readonly value: number;
}

/** Points of one range that are tried in vain. At doubling distances, so many spread over 65,000. */
export const maxSkips = 32;

/** A change of the value. No point between the two could be measured, or {@link maxSkips} of them could not. */
export interface Step {
  readonly from: Reading;
  readonly to: Reading;
}

/** Measures one point; undefined if that is impossible. `left` is about how many more points will be measured. */
export type MeasurePoint = (at: number, left: number) => Promise<number | undefined>;

/**
 * Finds, by bisection, the point from which on the value differs from `good` in the direction of `bad`; it is the first
 * such point if the value crosses `good` only once. With `all`, finds all steps, largest or not, by dividing every range
 * whose ends differ: a change that is undone before the end of its range is not seen. Either measures a point at most
 * once, and about log2 of the range for each step. A range of which {@link maxSkips} points cannot be measured is left.
 *
 * @returns in the order of the sequence; none if `good` and `bad` have the same value
 */
export async function findSteps(good: Reading, bad: Reading, measure: MeasurePoint, all = false): Promise<Step[]> {
  const direction = Math.sign(bad.value - good.value);
  const skipped = new Set<number>();
  return await search(good, bad);

  async function search(from: Reading, to: Reading): Promise<Step[]> {
    if (from.value === to.value) return [];
    const middle = await measureBetween(from.at, to.at);
    if (middle === undefined) return [{ from, to }];
    if (all) return [...(await search(from, middle)), ...(await search(middle, to))];
    const isPast = Math.sign(middle.value - good.value) === direction;
    return isPast ? await search(from, middle) : await search(middle, to);
  }

  async function measureBetween(from: number, to: number): Promise<Reading | undefined> {
    const untried = outwards(from, to).filter((at) => !skipped.has(at));
    const skips = to - from - 1 - untried.length;
    for (const at of untried.slice(0, Math.max(0, maxSkips - skips))) {
      const value = await measure(at, Math.ceil(Math.log2(to - from)) - 1);
      if (value !== undefined) return { at, value };
      skipped.add(at);
    }
    return undefined;
  }
}

/**
 * Lists the points between two, the middle first. The next ones are at doubling distances from it, so that a long run of
 * points that cannot be measured is soon left.
 */
function outwards(from: number, to: number): number[] {
  const middle = Math.floor((from + to) / 2);
  const rank = (at: number) => {
    const distance = Math.abs(at - middle);
    return Number.isInteger(Math.log2(distance)) || distance === 0 ? distance : distance + to;
  };
  const points = Array.from({ length: to - from - 1 }, (_, index) => from + 1 + index);
  return points.toSorted((a, b) => rank(a) - rank(b));
}

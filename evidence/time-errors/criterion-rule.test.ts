import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { judgeAsCriterion, meanTime } from './criterion-rule.ts';

interface Recorded {
  readonly base: { readonly counts: readonly number[]; readonly totals: readonly number[] };
  readonly head: Recorded['base'];
  /** The change of the mean and its interval, from Criterion's `change/estimates.json`. */
  readonly change: number;
  readonly low: number;
  readonly high: number;
  /** The p-value as Criterion printed it, to two digits, and its conclusion. */
  readonly p: number;
  readonly said: string;
}

/**
 * Two runs of a benchmark of evidence/time-errors/project with criterion 0.7.0 on a busy host. Criterion itself compared
 * the second with the first: --sample-size 10 --warm-up-time 0.01 --measurement-time 0.03, and defaults otherwise.
 */
const recorded: Recorded[] = JSON.parse(
  readFileSync(new URL('fixtures/criterion-changes.json', import.meta.url), 'utf8'),
);

const samplesOf = ({ counts, totals }: Recorded['base']) =>
  counts.map((count, index) => ({ count, total: totals[index] ?? Number.NaN }));

const verdicts = {
  'Performance has regressed.': 'regressed',
  'Performance has improved.': 'improved',
  'No change in performance detected.': 'unchanged',
  'Change within noise threshold.': 'unchanged',
} as const;

describe('gives the same answer as criterion', () => {
  test('there are examples of each answer', () => {
    const said = new Set(recorded.map((each) => verdicts[each.said as keyof typeof verdicts]));
    expect([...said].sort()).toEqual(['improved', 'regressed', 'unchanged']);
  });

  test.each(recorded.map((example, index) => ({ ...example, index })))('$index: p = $p, $said', (example) => {
    const found = judgeAsCriterion(samplesOf(example.base), samplesOf(example.head), 1, 30_000);
    expect(found.change).toBeCloseTo(example.change, 10);
    // Both are estimated by random draws: four standard errors of ours, and of Criterion's, which has only two digits.
    expect(Math.abs(found.pValue - example.p)).toBeLessThan(0.03);
    const [low, high] = found.interval;
    const width = example.high - example.low;
    expect(Math.abs(low - example.low)).toBeLessThan(0.15 * width);
    expect(Math.abs(high - example.high)).toBeLessThan(0.15 * width);
    expect(found.verdict).toBe(verdicts[example.said as keyof typeof verdicts]);
  });
});

const steady = (time: number) => Array.from({ length: 10 }, (_, index) => ({ count: 1, total: time + index / 100 }));

test('a significant difference below the noise threshold is no difference', () => {
  const found = judgeAsCriterion(steady(100), steady(100.5), 1);
  expect(found.pValue).toBeLessThan(0.05);
  expect(found.verdict).toBe('unchanged');
  expect(judgeAsCriterion(steady(100), steady(102), 1).verdict).toBe('regressed');
  expect(judgeAsCriterion(steady(102), steady(100), 1).verdict).toBe('improved');
});

test('equal times have no t, and so no difference', () => {
  const equal = Array.from({ length: 10 }, () => ({ count: 3, total: 30 }));
  expect(judgeAsCriterion(equal, equal, 1).verdict).toBe('unchanged');
});

test('equal seeds give equal draws', () => {
  const [first] = recorded;
  if (first === undefined) throw new Error('nothing was recorded');
  const [base, head] = [samplesOf(first.base), samplesOf(first.head)];
  expect(judgeAsCriterion(base, head, 5)).toEqual(judgeAsCriterion(base, head, 5));
  expect(judgeAsCriterion(base, head, 5)).not.toEqual(judgeAsCriterion(base, head, 6));
});

test('the mean is of the times per iteration, with equal weight for each sample', () => {
  expect(
    meanTime([
      { count: 1, total: 10 },
      { count: 4, total: 80 },
    ]),
  ).toBe(15);
});

// @module-tag hostile

import { expect, test } from 'vitest';
import { findMisjudged } from '../../src/report/check-comparisons.ts';
import { type ComparisonRecord, recordMeasurement } from '../../src/report/results.ts';
import { kernelResult, pair, resultsOf } from './results-fixtures.ts';

const results = resultsOf([...pair(70, 90), ...pair(5, 5, { benchmark: 'macro/other' })], [kernelResult('6.1')]);
const [first, second] = results.comparisons as readonly [ComparisonRecord, ComparisonRecord];
const written = (comparisons: readonly ComparisonRecord[]) => findMisjudged({ ...results, comparisons });

test('comparisons made from the measurements are accepted', () => {
  expect(first).toMatchObject({ verdict: 'regression', base: 70, head: 90 });
  expect(findMisjudged(results)).toBeUndefined();
});

test.each([
  ['another verdict', { verdict: 'unchanged' }, /is `unchanged`, and its measurements that it is `regression`$/],
  ['other values', { head: 70, verdict: 'unchanged' }, /is 70 and 70, and its measurements that it is 70 and 90$/],
  ['none of a benchmark', null, /^has measurements of `.*` and no comparison of them$/],
] as const)('%s is found', (_, change, problem) => {
  expect(written(change === null ? [second] : [{ ...first, ...change }, second])).toMatch(problem);
});

test('a comparison without measurements is found', () => {
  expect(written([first, second, { ...first, kernel: '9.9' }])).toMatch(
    /^compares `.*`, of which it has no measurement$/,
  );
});

test('a change proven in its own run is accepted in a report joined from several runs', () => {
  const vary = { exact: false, resolution: 0.0001, runCount: 1, empty: null };
  const readings = (from: number, length = 10) =>
    Array.from({ length }, (_, index) => ({ count: 1, total: from + index }));
  const run = (kernel: string) => {
    const subjects = Array.from({ length: 6 }, (_, index) => {
      const [base, head] = pair(70, 80, { ...vary, kernel, benchmark: `macro/${index}`, samples: readings(80) });
      if (base === undefined || head === undefined) throw new Error('fixture');
      // p is 1 of 792.
      const few = [
        { ...base, samples: readings(60, 5) },
        { ...head, samples: readings(80, 7) },
      ];
      return index === 0 ? few : [base, head];
    });
    return resultsOf(subjects.flat(), [kernelResult(kernel)]);
  };
  const [one, other] = [run('6.1'), run('6.12')];
  expect(one.comparisons[0]?.verdict).toBe('regression');
  const joined = {
    measurements: [...one.measurements, ...other.measurements],
    comparisons: [...one.comparisons, ...other.comparisons],
    gaps: [],
  };
  expect(findMisjudged(joined)).toBeUndefined();
  const forged = joined.comparisons.map((each) => ({ ...each, verdict: 'regression' as const }));
  expect(findMisjudged({ ...joined, comparisons: forged })).toMatch(/is `regression`, and its measurements/);
});

test('the limit is the one in the comparison, which the project chose', () => {
  expect(written([{ ...first, limit: 0.5, verdict: 'unchanged' }, second])).toBeUndefined();
});

test('programs that vary, with as many readings as fit, are checked in linear time', () => {
  const samples = Array.from({ length: 10_000 }, (_, index) => ({ count: 1, total: 70 + (index % 9) }));
  const vary = { exact: false, resolution: 0.0001, runCount: 1, samples: samples.slice(0, 10) };
  const many = Array.from({ length: 5000 }, (_, index) => pair(70, 90, { ...vary, benchmark: `macro/${index}` }));
  const forged = pair(70, 90, { ...vary, samples, benchmark: 'macro/forged' });
  const infinite = { ...vary, runCount: null, samples: [{ count: 1e-300, total: 1e10 }] };
  const all = [...many.flat(), ...forged, ...pair(70, 90, { ...infinite, benchmark: 'macro/infinite' })];
  expect(findMisjudged(resultsOf(all, [kernelResult('6.1')]))).toBeUndefined();
  // A table of sums for each pair, built from maps of numbers, would take minutes.
}, 20_000);

test('as many gaps as comparisons are checked in linear time', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `macro/${index}`);
  const measurements = many.flatMap((benchmark) => pair(null, 5, { benchmark })).map(recordMeasurement);
  const added = { ...first, base: null, head: 5, verdict: 'added' } as const;
  const comparisons = many.map((benchmark) => ({ ...added, benchmark }));
  const gap = { kernel: '6.1', lane: 'instructions', revision: 'base', needs: '9.9' } as const;
  const gaps = many.map((benchmark) => ({ ...gap, benchmark: `other/${benchmark}` }));
  expect(findMisjudged({ measurements, comparisons, gaps })).toBeUndefined();
  // Searching every gap for every comparison would take a minute.
}, 10_000);

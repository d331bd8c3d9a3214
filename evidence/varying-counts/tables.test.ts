import { expect, test } from 'vitest';
import { kernelResult, pair, resultsOf, strictGate } from '../../tests/report/results-fixtures.ts';
import { type VaryingRun, varyingTables } from './tables.ts';

/** A program of around 209 instructions a run, with ten readings each of base and head. */
function varying(benchmark: string, spread: number) {
  const samples = (offset: number) =>
    Array.from({ length: 10 }, (_, index) => ({ count: 1000, total: 209_000 + ((index * 7 + offset) % 10) * spread }));
  const own = { benchmark, exact: false, resolution: (9 * spread) / 209_000, gross: 209, empty: 49, runCount: 1000 };
  return [...pair(160, null, { ...own, samples: samples(0) }), ...pair(null, 160, { ...own, samples: samples(3) })];
}

test('counts false verdicts, and finds the smallest change that is nearly always called a regression', () => {
  const measurements = [...varying('varying/wide0', 1000), ...varying('varying/narrow0', 50), ...pair(160, 160)];
  const runs: VaryingRun[] = Array.from({ length: 3 }, () => resultsOf(measurements, [kernelResult('6.1')]));
  const { totals, kinds = [] } = varyingTables(runs, strictGate);
  expect(totals).toMatchObject([{ runs: 3, comparisons: 9, 'not exact': 6, 'false regressions': 0 }]);
  const rowOf = (kind: string) => kinds.find((row) => row.kind === kind);
  expect(rowOf('wide')).toMatchObject({ comparisons: 3, 'not exact': 3, 'false regressions': 0, found: '5 %' });
  expect(rowOf('narrow')).toMatchObject({ found: '0.5 %' });
});

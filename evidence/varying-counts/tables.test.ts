import { expect, test } from 'vitest';
import { kernelResult, pair, resultsOf } from '../../tests/report/results-fixtures.ts';
import { varyingTables } from './tables.ts';

test('counts verdicts, and says by how much each kind of program grew', () => {
  const inexact = { benchmark: 'varying/timer1', exact: false, resolution: 0.1 };
  const run = (more: string, head: number) => {
    const measurements = [...pair(160, head, { benchmark: 'varying/timer0' }), ...pair(160, 160, inexact)];
    return { more, results: resultsOf(measurements, [kernelResult('6.1')]), inside: [] };
  };
  const { totals, kinds } = varyingTables([run('nothing', 160), run('nothing', 160), run('call', 166)]);
  const counted = { 'not exact': 1, 'seen run by run': 0, regressions: 1, improvements: 0, inconclusive: 0 };
  expect(totals).toEqual([
    { 'head has more': 'nothing', runs: 2, comparisons: 4, ...counted, 'not exact': 2, regressions: 0 },
    { 'head has more': 'call', runs: 1, comparisons: 2, ...counted },
  ]);
  expect(kinds).toEqual([{ kind: 'timer', more: 'call', kernel: '6.1', found: '1 of 2', delta: '+6' }]);
});

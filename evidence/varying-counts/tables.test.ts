import { expect, test } from 'vitest';
import { kernelResult, pair, resultsOf, strictGate } from '../../tests/report/results-fixtures.ts';
import { renderVaryingPage, type VaryingRun } from './tables.ts';

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
  const page = renderVaryingPage({
    command: 'npm run varying-counts',
    time: '2026-11-24 17:00 UTC',
    machine: { cpu: 'A CPU', cores: 2, memoryGiB: 24, virtual: true, system: 'Debian', qemu: '7.2.22' },
    minutes: 9,
    gate: strictGate,
    runs,
  });
  expect(page).toContain('3 runs: 9 comparisons, of which 6 are of counts that are not exact. 0 false regressions');
  const row = (kind: string) =>
    page
      .split('\n')
      .find((line) => line.includes(`\`${kind}\``))
      ?.split(/ *\| */);
  expect(row('wide')?.slice(3, 6)).toEqual(['3', '3', '0']);
  expect([row('narrow')?.at(-2), row('wide')?.at(-2)]).toEqual(['0.5 %', '5 %']);
});

import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { buildReport } from '../../src/report/report-model.ts';
import { renderText } from '../../src/report/text.ts';
import { fixtures, kernelResult, pair, resultsOf, strictGate } from './results-fixtures.ts';

const ids = ['5.8', '5.10', '5.15', '6.1', '6.6', '6.12', '6.18', '7.1'];
const manyKernels = resultsOf(
  ids.flatMap((kernel, index) => [
    ...pair(1640, 1668 + index, { kernel }),
    ...pair(612, 612, { kernel, benchmark: 'profiler/perf_profiler' }),
  ]),
  ids.map((id) => kernelResult(id)),
);

test.each([40, 60, 80, 100, 200])('many kernels fit in %d columns, and every kernel is shown', async (width) => {
  const text = renderText(buildReport(manyKernels), { width });
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
  for (const id of ids) expect(text).toContain(` ${id}`);
  await expect(text).toMatchFileSnapshot(`golden/many-kernels-${width}.txt`);
});

test.each(Object.entries(fixtures))('%s ends in its verdict, with and without colour', (_name, results) => {
  const plain = renderText(buildReport(results));
  const coloured = renderText(buildReport(results), { colour: true });
  expect(plain.trimEnd().split('\n').at(-1)).toBe(`verdict: ${results.verdict}`);
  expect(stripVTControlCharacters(coloured)).toBe(plain);
  expect(coloured).not.toBe(plain);
});

test.each([
  [100, true, true],
  [80, false, true],
  [60, false, false],
])(
  'with %d columns, ranges are shown: %s; and values: %s; symbols are explained if they are shown',
  (width, range, values) => {
    const text = renderText(buildReport(fixtures['regression-on-one-kernel'] ?? manyKernels), { width });
    expect(text.includes('(+1,718 to +1,864)')).toBe(range);
    expect(text.includes('(a to b)')).toBe(range);
    expect(text.includes('24,310 → 26,101')).toBe(values);
    expect(text).toContain('~ unchanged');
  },
);

test('of very many findings the last are only titles, and then only counted', () => {
  const measurements = Array.from({ length: 600 }, (_, index) =>
    pair(1, 2 + index, { benchmark: `b${index}/x${index}` }),
  );
  const lines = renderText(buildReport(resultsOf(measurements.flat(), [kernelResult('6.1')]))).split('\n');
  const titles = lines.filter((line) => /^`x\d+` \+.* on 6\.1$/.test(line));
  const rest = ['450 more findings, by title only:', 'and 100 more findings, in results.json', '  and 550 more lines'];
  expect([titles.length, ...rest.filter((line) => lines.includes(line))]).toEqual([500, ...rest]);
  expect(lines.filter((line) => line.startsWith('  To repeat: '))).toHaveLength(50);
});

test('no control or bidirectional character of a name reaches the terminal', () => {
  const text = renderText(buildReport(fixtures['hostile-names'] ?? manyKernels));
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text.split('\n').filter((line) => line.startsWith('verdict:'))).toEqual(['verdict: regression']);
});

test.each([99, 100, 101, 350])('a table of %d rows has one header, every row once, and aligned columns', (count) => {
  const names = Array.from({ length: count }, (_, index) => `bench/${'x'.repeat(index % 40)}${index}`);
  const measurements = names.flatMap((benchmark, index) => pair(1000, 1000 + index + 1, { benchmark }));
  // Rows that only say that nothing changed are not shown.
  const gate = { ...strictGate, limits: { ...strictGate.limits, instructions: 1 } };
  const lines = renderText(buildReport(resultsOf(measurements, [kernelResult('6.1')], gate))).split('\n');
  expect(lines.filter((line) => line.startsWith('benchmark '))).toHaveLength(1);
  const rows = lines.filter((line) => line.startsWith('bench/'));
  expect(rows.map((line) => line.split(' ')[0])).toHaveLength(count);
  // There are no empty lines between them.
  expect(lines.indexOf(rows.at(-1) ?? '') - lines.indexOf(rows[0] ?? '')).toBe(count - 1);
  expect(new Set(rows.map((line) => line.indexOf('bpf-instructions'))).size).toBe(1);
  expect(new Set(rows.map((line) => line.length)).size).toBe(1);
});

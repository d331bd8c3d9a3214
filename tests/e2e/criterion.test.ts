// Benchmarks of the oldest Criterion that is still in use, in a crate that does not know bpfgate. The example project
// has newer ones.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './bpfgate.ts';
import { gate, makeProject } from './gated-project.ts';

test('`cargo bench` and `cargo criterion` give the same results, at the same source lines', async () => {
  const folder = join(import.meta.dirname, 'fixtures', 'criterion');
  const toml = `[build]
command = "cargo bench --no-run --locked"
[[bench]]
name = "bench"
command = "cargo bench"
[[bench]]
name = "criterion"
command = "cargo criterion"
`;
  const edit = { file: 'src/lib.rs', from: '(0..numbers)', to: '(0..numbers + numbers / 100)' };
  const { outcome, results } = await gate(makeProject(temporaryFolder(), folder, toml, edit), '6.1');
  expect(outcome.code, outcome.stderr).toBe(1);
  const lines = readFileSync(join(folder, 'benches/sums.rs'), 'utf8').split('\n');
  const lineOf = (text: string) => lines.findIndex((line) => line.includes(text)) + 1;
  const rows = results.comparisons.map(({ benchmark, verdict, source }) => [benchmark, verdict, source]);
  expect(rows.toSorted()).toEqual(
    ['bench', 'criterion'].map((bench) => [
      `${bench}/sums/of/1000`,
      'regression',
      { file: 'benches/sums.rs', line: lineOf('from_parameter') },
    ]),
  );
  // Samples of a second have ticks in each: the values are close, but not equal.
  const baseOf = (name: string) => results.comparisons.find(({ benchmark }) => benchmark === name)?.base ?? 0;
  expect(baseOf('bench/sums/of/1000') / baseOf('criterion/sums/of/1000')).toBeCloseTo(1, 2);
  expect(outcome.stderr).toMatch(/bench `bench`: Criterion 0\.3 takes times in whole seconds/);
});

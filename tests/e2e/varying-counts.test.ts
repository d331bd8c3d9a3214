// A count that varies has changed if its runs have, as QEMU's plugin sees them.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './bpfgate.ts';
import { gate, makeProject } from './gated-project.ts';

const toml = `
[build]
command = "cc -O2 -o varies varies.c"
[[bench]]
name = "random"
command = "./varies"
format = "none"
`;

test('one instruction more is found in a program whose count varies by more', async () => {
  const edit = { file: 'varies.c', from: 'MORE = 0', to: 'MORE = 1' };
  const project = makeProject(temporaryFolder(), join(import.meta.dirname, 'fixtures', 'raw-bpf'), toml, edit);
  const { outcome, results } = await gate(project, '6.1');
  expect(outcome.code, outcome.stderr).toBe(1);
  const find = (benchmark: string) => results.comparisons.find((each) => each.benchmark === benchmark);
  expect(find('random/grown')).toMatchObject({ verdict: 'regression', delta: 1, interval: 'exact', warnings: [] });
  expect(find('random/same')).toMatchObject({ verdict: 'unchanged', delta: 0, interval: 'exact', warnings: [] });
  const counts = results.measurements.filter(({ measure }) => measure === 'bpf-instructions');
  expect(counts.map(({ exact }) => exact)).toEqual([false, false, false, false]);
});

// A count that varies is only called changed if further boots of both revisions show the change.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './bpfgate.ts';
import { gate, makeProject } from './gated-project.ts';

const toml = `
[build]
command = "cc -O2 -o varies varies.c"
[[bench]]
name = "many"
command = "for i in $(seq 1000); do (:); done; echo '{\\"many\\": {\\"started\\": {\\"value\\": 1000}}}'"
[[bench]]
name = "grown"
command = "./varies"
format = "none"
[[bench]]
name = "busy"
command = "./varies busy"
format = "none"
`;

test('a change of a varying count is measured in further boots, and reported if they confirm it', async () => {
  const edit = { file: 'varies.c', from: 'MORE = 0', to: 'MORE = 60' };
  const project = makeProject(temporaryFolder(), join(import.meta.dirname, 'fixtures', 'raw-bpf'), toml, edit);
  const { outcome, results } = await gate(project, '6.1');
  expect(outcome.code, outcome.stderr).toBe(1);
  expect(outcome.stderr).toContain(
    '6.1: measuring `grown`, `busy` again (1 of 2): an inexact count seems to have changed',
  );
  // The further boots do not run the bench that starts many processes.
  expect(outcome.stderr).toContain('6.1: measuring `grown` again (2 of 2)');
  const find = (benchmark: string) => results.comparisons.find((each) => each.benchmark === benchmark);
  expect(find('grown/varies')).toMatchObject({ verdict: 'regression', warnings: [] });
  expect(find('busy/varies')).toMatchObject({
    verdict: 'inconclusive',
    warnings: [expect.stringMatching(/^not every boot shows the change: base .+, .+, head .+, .+$/)],
  });
  // Including that nothing changed.
  expect(find('busy/varies')?.interval).toSatisfy(([least, most]: number[]) => Number(least) < 0 && Number(most) > 0);
  const confirmations = (benchmark: string) =>
    results.measurements.filter((each) => each.benchmark === benchmark).map((each) => each.confirmations.length);
  expect(confirmations('grown/varies')).toEqual([2, 2]);
  expect(confirmations('busy/varies')).toEqual([1, 1]);
});

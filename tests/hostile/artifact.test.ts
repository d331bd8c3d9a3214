// A forged result file, read by `bpfgate report` in its own process.
// @module-tag hostile

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { serializeResults } from '../../src/report/results-schema.ts';
import { kernelResult, pair, resultsOf } from '../report/results-fixtures.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-hostile-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const results = resultsOf(pair(70, 90), [kernelResult('6.1')]);

function report(text: string): { status: number | null; stdout: string; stderr: string } {
  writeFileSync(join(folder, 'results.json'), text);
  const args = ['--max-old-space-size=1024', join(packageRoot, 'src/cli.ts'), 'report', 'results.json'];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
}

test('a name of 60 MiB is refused without a crash', () => {
  const [name = ''] = results.comparisons.map(({ benchmark }) => benchmark);
  const { status, stderr } = report(serializeResults(results).replace(name, name.padEnd(60 * 2 ** 20, 'x')));
  expect(stderr).toMatch(/^bpfgate: .*benchmark` has \d+ characters, more than 262144/m);
  expect(stderr.length).toBeLessThan(10_000);
  expect(status).toBe(2);
});

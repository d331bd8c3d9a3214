// bpfgate started in a hostile workspace: its files must not be taken for the host's tools.
// @module-tag hostile

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'bpfgate-hostile-'));
});
afterEach(() => rmSync(workspace, { recursive: true }));

/** Evaluates a module in a Node that is started in the workspace. */
function evaluate(script: string): { status: number | null; stderr: string } {
  const args = ['--input-type=module', '--eval', script];
  return spawnSync(process.execPath, args, { cwd: workspace, encoding: 'utf8' });
}

test('a file in the workspace with the name of a Python module is not imported', () => {
  const canary = join(workspace, 'canary');
  writeFileSync(join(workspace, 'venv.py'), `open(${JSON.stringify(canary)}, 'w')\n`);
  const module = join(packageRoot, 'src/prerequisites/python-tools.ts');
  expect(
    evaluate(`import { canMakeVenv } from ${JSON.stringify(module)}; await canMakeVenv(process.env);`),
  ).toMatchObject({ status: 0 });
  expect(existsSync(canary)).toBe(false);
});

test('a relative folder of PATH is left out, with a warning', () => {
  const env = { ...process.env, PATH: `.::${process.env.PATH}` };
  const args = [join(packageRoot, 'src/cli.ts'), 'run', '--base', 'HEAD'];
  const { stderr } = spawnSync(process.execPath, args, { cwd: workspace, env, encoding: 'utf8' });
  expect(stderr).toContain('PATH has folders that are not absolute, in which no program is looked for: ".", ""');
});

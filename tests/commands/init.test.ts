// `bpfgate init` in its own process.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli.ts');
let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-init-')));
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  mkdirSync(join(root, 'app'));
  writeFileSync(join(root, 'app', 'Makefile'), 'all:\n');
});
afterEach(() => rmSync(root, { recursive: true }));

function init(...args: string[]) {
  return spawnSync(process.execPath, [cli, 'init', ...args], { cwd: root, encoding: 'utf8', timeout: 40_000 });
}

test('writes the configuration and a workflow for the project, once', () => {
  const first = init('--project', 'app');
  expect(first.stderr.split('\n')).toEqual([
    'bpfgate: wrote app/bpfgate.toml',
    'bpfgate: wrote .github/workflows/bpfgate.yml',
    "bpfgate: next: fill in OWNER and the commit of bpfgate in the workflow; try `bpfgate init --check --project 'app'`; commit both files",
    '',
  ]);
  expect(first.status).toBe(0);
  expect(first.stdout).toBe(readFileSync(join(root, 'app/bpfgate.toml'), 'utf8'));
  const workflow = readFileSync(join(root, '.github/workflows/bpfgate.yml'), 'utf8');
  expect(workflow).toMatch(/^ {6}- uses: OWNER\/bpfgate@.*\n {8}with:\n {10}project: "app"\n {10}kernels: /m);
  const again = init('--project', 'app');
  expect(again.stderr).toMatch(/app\/bpfgate\.toml exists already\n {2}hint: remove it first, or keep it\n$/);
  rmSync(join(root, '.github'), { recursive: true });
  const alone = init('--project', 'app');
  expect(alone.stderr).toMatch(/exists already\n {2}hint: .*; `bpfgate init --workflow` writes only the workflow\n$/);
  expect([again, alone].map(({ status }) => status)).toEqual([2, 2]);
});

test('writes what the build needs and a hosted runner does not have', () => {
  writeFileSync(join(root, 'app', 'Makefile'), 'all:\n\tbpftool gen skeleton x\nLDLIBS = -lbpf\n');
  expect(init('--project', 'app').status).toBe(0);
  const workflow = readFileSync(join(root, '.github/workflows/bpfgate.yml'), 'utf8');
  expect(workflow).toContain('packages: libbpf-dev linux-tools-common linux-tools-azure\n          kernels: ');
});

test('writes through no link, and only the workflow if asked', () => {
  symlinkSync('/tmp/bpfgate-elsewhere', join(root, 'app/bpfgate.toml'));
  expect(init('--project', 'app').stderr).toContain('app/bpfgate.toml exists already');
  expect(init('--project', 'app', '--workflow').status).toBe(0);
});

test('names what to give where there is nothing to detect', () => {
  const below = init();
  expect(below.stderr).toMatch(
    /^bpfgate: no Cargo\.toml, .* or meson\.build in \/.*\n {2}hint: found `app\/Makefile`: use --project app \(input project\)\n$/,
  );
  rmSync(join(root, 'app', 'Makefile'));
  const nothing = init();
  expect(nothing.stderr).toMatch(
    /^bpfgate: no Cargo\.toml, go\.mod, .* in \/.*\n {2}hint: `bpfgate count 'PATH\/\*\.bpf\.o'`/,
  );
  const nowhere = init('--project', 'nowhere');
  expect(nowhere.stderr).toMatch(/^bpfgate: --project: there is no folder \/.*\/nowhere\n {2}hint: /);
  expect([below, nothing, nowhere].map(({ status }) => status)).toEqual([2, 2, 2]);
});

// `bpfgate init` in its own process.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

test('keeps a workflow that is already there, unless asked for one', () => {
  mkdirSync(join(root, '.github/workflows'), { recursive: true });
  writeFileSync(join(root, '.github/workflows/bpfgate.yml'), 'mine');
  const kept = init('--project', 'app');
  expect(kept.stderr.split('\n')).toEqual([
    'bpfgate: wrote app/bpfgate.toml',
    'bpfgate: kept .github/workflows/bpfgate.yml, which exists already; it needs a job with `project: "app"`',
    "bpfgate: next: try `bpfgate init --check --project 'app'`; commit bpfgate.toml",
    '',
  ]);
  expect(kept.status).toBe(0);
  expect(init('--project', 'app', '--workflow').stderr).toMatch(
    /bpfgate\.yml exists already\n {2}hint: remove it first/,
  );
  expect(readFileSync(join(root, '.github/workflows/bpfgate.yml'), 'utf8')).toBe('mine');
});

test('writes through no link, and only the workflow if asked', () => {
  symlinkSync('/tmp/bpfgate-elsewhere', join(root, 'app/bpfgate.toml'));
  expect(init('--project', 'app').stderr).toContain('app/bpfgate.toml exists already');
  expect(init('--project', 'app', '--workflow').status).toBe(0);
});

test.each(['.github', '.github/workflows'])('writes no workflow through a link %s', (link) => {
  const elsewhere = join(root, 'elsewhere');
  for (const to of [elsewhere, join(elsewhere, 'nowhere')]) {
    rmSync(join(root, '.github'), { recursive: true, force: true });
    mkdirSync(dirname(join(root, link)), { recursive: true });
    mkdirSync(elsewhere, { recursive: true });
    symlinkSync(to, join(root, link));
    const { status, stderr } = init('--project', 'app', '--workflow');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining(`${link} is a link\n  hint: put a`),
    });
    expect(readdirSync(elsewhere)).toEqual([]);
  }
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

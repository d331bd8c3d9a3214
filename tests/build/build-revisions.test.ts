// Real builds of a repository whose every build is one file, and what is kept of them.

import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GitSession, openRepository } from '../../src/adapters/git.ts';
import type { Builds } from '../../src/build/build.ts';
import { onHost } from '../../src/build/build-place.ts';
import { type BuildRequest, buildRevisions } from '../../src/build/build-revisions.ts';
import type { Cache } from '../../src/cache/cache.ts';
import { isLocked, type Release } from '../../src/cache/lock.ts';
import { readInputs } from '../../src/inputs/read-inputs.ts';
import { commit } from '../e2e/gated-project.ts';

let folder: string;
let project: string;
let cache: Cache;
let said: string[];
let uses: Release[];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-builds-')));
  project = join(folder, 'project');
  cache = { root: join(folder, 'cache') };
  said = [];
  uses = [];
  const command = `echo built > made; echo built >> ${folder}/count`;
  commit(project, 'base', {
    'bpfgate.toml': `[build]\ncommand = "${command}"\n[[bench]]\nname = "b"\ncommand = "true"\n`,
    '.gitignore': 'made\n',
  });
  for (let index = 1; index <= 9; index++) commit(project, `head-${index}`, { version: `${index}` });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await release();
  rmSync(folder, { recursive: true, force: true });
});

async function release(): Promise<void> {
  await Promise.all(uses.splice(0).map((each) => each()));
}

async function build(head: string, given: Partial<BuildRequest> = {}): Promise<Builds> {
  const { config } = await readInputs({ project, kernels: '6.1', out: join(folder, 'out') }, (option) => option);
  const git = await GitSession.open(await openRepository(project));
  const log = { progress: (text: string) => said.push(text), warn: (text: string) => said.push(text) };
  try {
    return await buildRevisions({
      ...{ git, config, cache, log, place: onHost, environment: process.env },
      base: await git.commitTree('base'),
      head: await git.commitTree(head),
      onUse: (use) => uses.push(use),
      ...given,
    });
  } finally {
    await git.close();
  }
}

const countBuilds = () => readFileSync(join(folder, 'count'), 'utf8').split('\n').length - 1;
const home = () => join(cache.root, 'builds', readdirSync(join(cache.root, 'builds'))[0] ?? '');
const keptBuilds = () => readdirSync(home()).filter((name) => name !== 'lock');

test('the six builds used last are kept, and taken up', async () => {
  for (let index = 1; index <= 9; index++) {
    const { base, head } = await build(`head-${index}`);
    for (const { dir } of [base, head]) utimesSync(dir, index, index);
    await release();
  }
  expect(countBuilds()).toBe(10);
  expect(keptBuilds()).toHaveLength(6);
  await build('head-9');
  expect(said).toContain('base (base) is built already');
  expect(said).toContain('head (head-9) is built already');
  expect(countBuilds()).toBe(10);
});

test('a build in use stays, however old a clock that was set back makes it look, until it is released', async () => {
  const used = await build('head-1');
  const inUse = uses.splice(0);
  for (const { dir } of [used.base, used.head]) utimesSync(dir, 0, 0);
  for (let index = 2; index <= 9; index++) {
    await build(`head-${index}`);
    utimesSync(used.base.dir, 0, 0);
    await release();
  }
  for (const { dir } of [used.base, used.head]) expect(readFileSync(join(dir, 'made'), 'utf8')).toBe('built\n');

  await Promise.all(inUse.map((each) => each()));
  await build('head-9');
  expect(existsSync(used.head.dir)).toBe(false);
  expect(keptBuilds()).toHaveLength(6);
});

test('a gate that is killed keeps no build in use', async () => {
  const { base } = await build('head-1');
  await release();
  // Another process that says it uses a build, as a gate does.
  const lock = JSON.stringify(join(import.meta.dirname, '..', '..', 'src', 'cache', 'lock.ts'));
  const script = `const { shareLock } = await import(${lock});
const release = await shareLock(${JSON.stringify(base.dir)}, { log: { progress() {} }, waiting: '' });
console.log('held'); setInterval(() => release, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => other.stdout.once('data', resolve));
  expect(await isLocked(base.dir)).toBe(true);
  other.kill('SIGKILL');
  await vi.waitFor(async () => expect(await isLocked(base.dir)).toBe(false), { timeout: 30_000 });
});

test('what a run left that was cut short while it removed a build is removed, and is no build', async () => {
  await build('head-1');
  mkdirSync(join(home(), '.removed', 'half'), { recursive: true });
  await build('head-1');
  expect(keptBuilds().toSorted()).toHaveLength(2);
});

/** Has `sync` say what it was called for, and what was in the cache's place for builds by then. */
function watchSync(): () => string[] {
  const bin = join(folder, 'bin');
  const log = join(folder, 'synced');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'sync'),
    `#!/bin/sh\necho "$1 $2: $(ls "$2") of $(ls "$2/..")" | tr '\\n' ' ' >>${log}\necho >>${log}\n`,
  );
  chmodSync(join(bin, 'sync'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
  return () => readFileSync(log, 'utf8').trimEnd().split('\n');
}

test('a build is on the disk before it gets its name', async () => {
  const synced = watchSync();
  const { workDir, base, head } = await build('head-1');
  const calls = synced();
  expect(calls).toHaveLength(2);
  for (const [index, { dir }] of [base, head].entries()) {
    expect(calls[index]).toMatch(new RegExp(`^--file-system ${workDir}: bpfgate.toml made .*of .*work`));
    expect(calls[index]).not.toContain(dir.slice(-12));
  }
});

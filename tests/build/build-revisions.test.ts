// Builds: real builds of a repository, each of which makes one file, and what the cache keeps of them.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { GitSession, openRepository } from '../../src/adapters/git.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { inSandbox, onHost } from '../../src/build/build-place.ts';
import { type BuildRequest, buildRevisions } from '../../src/build/build-revisions.ts';
import type { Cache } from '../../src/cache/cache.ts';
import { isLocked, type Release } from '../../src/cache/lock.ts';
import type { Build, Builds } from '../../src/model/build.ts';
import { chooseSandbox } from '../../src/sandbox/choose-sandbox.ts';
import { findReadable } from '../../src/sandbox/readable-files.ts';
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
      git,
      config,
      cache,
      log,
      place: onHost,
      environment: process.env,
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
const keptBuilds = () => readdirSync(home()).filter((name) => /^[0-9a-f]{12,64}$/.test(name));

test('the six builds used last are kept and reused, and those of an earlier version are removed', async () => {
  for (let index = 1; index <= 9; index++) {
    const { base, head } = await build(`head-${index}`);
    // Its names were shorter.
    if (index === 1) cpSync(base.dir, join(home(), basename(base.dir).slice(0, 12)), { recursive: true });
    for (const { dir } of [base, head]) utimesSync(dir, index, index);
    await release();
  }
  expect(countBuilds()).toBe(10);
  expect(keptBuilds()).toHaveLength(6);
  await build('head-9');
  expect(said).toContain('base (base) is already built');
  expect(said).toContain('head (head-9) is already built');
  expect(countBuilds()).toBe(10);
});

test('what was built of a commit before it was merged is not used after, nor for another base', async () => {
  const tips = (tag: string) => [execFileSync('git', ['rev-parse', tag], { cwd: project, encoding: 'utf8' }).trim()];
  const open = { merged: tips('base') };
  await build('head-1', open);
  expect(countBuilds()).toBe(2);
  await build('head-1', open);
  expect(countBuilds()).toBe(2);
  const git = await GitSession.open(await openRepository(project));
  await build('head-1', { ...open, base: await git.commitTree('head-2') });
  expect(countBuilds()).toBe(4);
  await build('head-1', { merged: tips('head-1') });
  expect(countBuilds()).toBe(5);
  await build('head-9', { merged: tips('head-9'), base: await git.commitTree('head-1') });
  expect(countBuilds()).toBe(6);
  await git.close();
});

test('with `fresh` both are built again, and later runs do not use that', async () => {
  await build('head-1');
  await build('head-1', { fresh: true });
  expect(countBuilds()).toBe(4);
  await build('head-1');
  expect(countBuilds()).toBe(4);
});

test('a build in use stays until it is released, however old the clock makes it look', async () => {
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
  expect(readdirSync(home()).filter((name) => name.endsWith('.seal'))).toHaveLength(6);
});

test('the locks of a killed gate do not keep builds', async () => {
  const { base } = await build('head-1');
  await release();
  // Another process holds the build, as a gate does.
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

test('a build that was being removed when its run was killed is removed by the next one', async () => {
  await build('head-1');
  mkdirSync(join(home(), '.removed', 'half'), { recursive: true });
  await build('head-1');
  expect(keptBuilds().toSorted()).toHaveLength(2);
});

/** Makes `sync` log its arguments, and what its folder and that folder's parent held at that time. */
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

test('a build is synced to the disk before it gets its name', async () => {
  const synced = watchSync();
  const { workDir, base, head } = await build('head-1');
  const calls = synced();
  expect(calls).toHaveLength(2);
  for (const [index, { dir }] of [base, head].entries()) {
    expect(calls[index]).toMatch(new RegExp(`^--file-system ${workDir}: bpfgate.toml made .*of .*work`));
    expect(calls[index]).not.toContain(basename(dir));
  }
});

/** Commits this `[build]` table as `base`, and an unrelated change as `head`. */
function commitBuild(build: string, files: Readonly<Record<string, string | Uint8Array>> = {}): void {
  rmSync(project, { recursive: true });
  const toml = `[build]\n${build}\n[[bench]]\nname = "b"\ncommand = "true"\n`;
  commit(project, 'base', { ...files, 'bpfgate.toml': toml, '.gitignore': 'made\n' });
  commit(project, 'head', { changed: '' });
}

const madeBy = ({ dir }: Build) => readFileSync(join(dir, 'made'), 'utf8');

test('a variable of `[build] env` is set in the build, and each value makes another build', async () => {
  commitBuild('env = ["VERSION"]\ncommand = "echo $VERSION $OTHER > made"');
  const buildWith = async (VERSION: string) => build('head', { environment: { ...process.env, VERSION, OTHER: 'no' } });
  const { base, head } = await buildWith('v1');
  expect([madeBy(base), madeBy(head)]).toEqual(['v1\n', 'v1\n']);
  expect(madeBy((await buildWith('v2')).base)).toBe('v2\n');
  said = [];
  await buildWith('v1');
  expect(said).toContain('base (base) is already built');
});

test('the duration of the last build is logged when the next begins', async () => {
  const { config } = await readInputs({ project, kernels: '6.1', out: join(folder, 'out') }, (option) => option);
  const slow = { config: { ...config, build: { ...config.build, command: 'sleep 1.2' } } };
  await build('head-1', slow);
  expect(said).toContain('building head (head-1): sleep 1.2');
  await build('head-2', slow);
  expect(said).toContainEqual(
    expect.stringMatching(/^building head \(head-2\): sleep 1\.2, which took \d+ s last time$/),
  );
});

test('a build finds no git repository, also if the cache is inside one', async () => {
  commitBuild("command = '''git rev-parse HEAD > made 2>&1 || true'''");
  cache = { root: join(project, 'cache') };
  const { base } = await build('head');
  expect(madeBy(base)).toContain('not a git repository');
});

test("a link in the tree at the path of cargo's settings does not block", { tags: ['hostile'] }, async () => {
  rmSync(project, { recursive: true });
  for (const name of ['app', '.cargo']) mkdirSync(join(project, name), { recursive: true });
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync(join(folder, 'pipe'), join(project, '.cargo/config.toml'));
  const config = '[build]\ncommand = "echo built > ../made"\n[[bench]]\nname = "b"\ncommand = "true"\n';
  commit(project, 'base', { 'app/bpfgate.toml': config, '.gitignore': 'made\n' });
  commit(project, 'head', { changed: '' });
  project = join(project, 'app');
  expect(madeBy((await build('head')).head)).toBe('built\n');
});

test('a Go build in a sandbox starts from what Go compiled for its ancestors', async (context) => {
  const read = await findReadable({ cache, environment: process.env, own: [], caches: false });
  const sandbox = await chooseSandbox({ policy: 'auto', network: false, environment: process.env, read });
  if (sandbox.sandbox === undefined || spawnSync('go', ['version']).status !== 0)
    return context.skip('no sandbox or Go');
  const config = '[build]\ncommand = "go build"\n[[bench]]\nname = "b"\ncommand = "true"\n';
  commit(project, 'go', {
    'bpfgate.toml': config,
    'go.mod': 'module m\ngo 1.19\n',
    'm.go': 'package m\nfunc F() {}\n',
  });
  commit(project, 'after', { 'm.go': 'package m\nfunc F() { G() }\nfunc G() {}\n' });
  execFileSync('git', ['checkout', '--quiet', '-b', 'beside', 'go'], { cwd: project });
  commit(project, 'other', { 'm.go': 'package m\n' });
  const place = inSandbox(sandbox, read, false);
  const compiledAt = ({ dir }: Build) =>
    globSync('.bpfgate-go-cache/*/*-d', { cwd: dir }).map((name) => [name, statSync(join(dir, name)).mtimeMs]);
  const git = await GitSession.open(await openRepository(project));
  const { base, head } = await build('after', { place, base: await git.commitTree('go') });
  expect(compiledAt(base).length).toBeGreaterThan(0);
  expect(compiledAt(head)).toEqual(expect.arrayContaining(compiledAt(base)));
  const { head: other } = await build('other', { place, base: await git.commitTree('after') });
  expect(compiledAt(other)).not.toEqual(expect.arrayContaining(compiledAt(head)));
  await git.close();
});

test('a build that needs a repository creates one, equal for both revisions', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'building.md'), 'utf8');
  const [, recipe = ''] = /command = '''\n(.*?)make\n'''/s.exec(page) ?? [];
  expect(recipe).toContain('git init');
  commitBuild(`command = '''\n${recipe}git describe --tags --always --dirty > made; git rev-parse HEAD >> made\n'''`);
  const { base, head, warnings } = await build('head');
  expect(madeBy(base)).toMatch(/^v0\n[0-9a-f]{40}\n$/);
  expect(madeBy(head)).toBe(madeBy(base));
  expect(warnings).toEqual([]);
});

test('a head that changes only bpfgate.toml, as after `init`, is said to measure no change', async () => {
  commitBuild('command = "echo built > made"');
  expect((await build('head')).warnings).toEqual([]);
  const before = readFileSync(join(project, 'bpfgate.toml'), 'utf8');
  commit(project, 'limits', { 'bpfgate.toml': `${before}\n` });
  execFileSync('git', ['tag', '--force', 'base', 'head'], { cwd: project });
  const { warnings } = await build('limits');
  expect(warnings).toEqual([
    { about: ['bpfgate.toml'], reason: 'nothing else changed in head, so no change of the project was measured' },
  ]);
});

test('files in Git LFS are pointer files, and the report says so', { tags: ['hostile'] }, async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n';
  commitBuild('command = "cp data made"', { '.gitattributes': 'data filter=lfs\n', data: pointer, other: '' });
  const { base, warnings } = await build('head');
  expect(madeBy(base)).toBe(pointer);
  expect(warnings).toEqual(
    ['base', 'head'].map((revision) => ({
      about: ['data'],
      revision,
      reason: 'in Git LFS, so built as the pointer that the commit has',
    })),
  );
});

describe('a build that overwrites tracked files', () => {
  /** The beginning of a relocatable ELF file for BPF. */
  function object(bigEndian: boolean): Buffer {
    const start = Buffer.alloc(64);
    start.set([0x7f, 0x45, 0x4c, 0x46, 2, bigEndian ? 2 : 1, 1]);
    for (const [offset, value] of [
      [16, 1],
      [18, 247],
    ] as const) {
      if (bigEndian) start.writeUInt16BE(value, offset);
      else start.writeUInt16LE(value, offset);
    }
    return start;
  }

  const generated = {
    'probe_bpfel.o': object(false),
    'probe_bpfeb.o': object(true),
    'probe_bpfel.go': '// Code generated by bpf2go; DO NOT EDIT.\n//go:build 386 || amd64\n\npackage main\n',
    'probe.skel.h': '/* SPDX-License-Identifier: GPL-2.0 */\n\n/* THIS FILE IS AUTOGENERATED BY BPFTOOL! */\n',
    'pid_iter.skel.rs':
      '// SPDX-License-Identifier: BSD-2-Clause\n//\n// THIS FILE IS AUTOGENERATED BY CARGO-LIBBPF-GEN!\n',
    'proto.rs': '// This file is @generated by prost-build.\n',
    'bindings.rs': '/* automatically generated by rust-bindgen 0.72.0 */\n',
    'vmlinux.h': '#ifndef __VMLINUX_H__\n#define __VMLINUX_H__\n',
  };
  const rewrite = (names: readonly string[]) => `command = "for f in ${names.join(' ')}; do echo built >> $f; done"`;

  test('gives a warning for generated ones, also when the build is reused', async () => {
    const names = Object.keys(generated).toSorted();
    commitBuild(rewrite(names), generated);
    const reason = 'tracked by git and changed by the build; measured as built';
    const of = (revision: string) => ({ about: names, revision, reason });
    for (const run of ['built', 'kept']) {
      said = [];
      const { warnings, objects } = await build('head');
      expect(warnings, run).toEqual([of('base'), of('head')]);
      expect(said).toContainEqual(expect.stringMatching(/^`bindings\.rs`, .+ and 5 others: tracked by git/));
      expect(objects.map(({ name, revision }) => `${revision} ${name}`)).toEqual([
        'base probe_bpfel',
        'head probe_bpfel',
      ]);
    }
    expect(said).toContain('base (base) is already built');
  });

  test.each([
    ['a source', rewrite(['main.go', 'probe_bpfel.o']), 'main.go'],
    ["cargo's lock file", rewrite(['Cargo.lock']), 'Cargo.lock'],
    ['a link to a generated one', 'command = "ln -sf probe_bpfel.go main.go"', 'main.go'],
    ['a folder that leads outside', 'command = "cp -r sub ../outside; rm -r sub; ln -s ../outside sub"', 'sub/x.go'],
    ['an object that is gone', 'command = "rm probe_bpfel.o"', 'probe_bpfel.o'],
    ['a pipe', 'command = "rm probe_bpfel.o; mkfifo probe_bpfel.o"', 'probe_bpfel.o'],
  ])('is an error for %s', async (_, command, named) => {
    mkdirSync(join(folder, 'new', 'sub'), { recursive: true });
    rmSync(project, { recursive: true });
    cpSync(join(folder, 'new'), project, { recursive: true });
    writeFileSync(join(project, 'sub', 'x.go'), generated['probe_bpfel.go']);
    const toml = `[build]\n${command}\n[[bench]]\nname = "b"\ncommand = "true"\n`;
    const sources = {
      'main.go': 'package main\n',
      'Cargo.lock': '# This file is automatically @generated by Cargo.\n',
    };
    commit(project, 'base', { ...generated, ...sources, 'bpfgate.toml': toml });
    commit(project, 'head', { changed: '' });
    await expect(build('head')).rejects.toThrow(
      `the build of base (base) changed files that git tracks: ${named}; what was built is not what was committed`,
    );
  });
});

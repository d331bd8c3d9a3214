import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { downloadDependencies } from '../../src/build/download-dependencies.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-downloads-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  chmodSync(join(folder, path), 0o755);
}

test('fetches what the library of each toolchain needs that a build script runs, each once', async () => {
  const library = (name: string) => `${name}/lib/rustlib/src/rust/library/Cargo.toml`;
  write('bin/rustc', `#!/bin/sh\necho ${folder}/"\${RUSTUP_TOOLCHAIN:-stable}"\n`);
  write('bin/cargo', `#!/bin/sh\ntest "$1" = fetch || exit 1\necho "$@" >> ${folder}/started\n`);
  for (const name of ['stable', 'nightly']) write(library(name), '');
  write('tree/Cargo.toml', '');
  const project = join(folder, 'tree');
  await downloadDependencies({
    title: 'head',
    workDir: project,
    project,
    environment: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder },
    toolchains: ['nightly', 'nightly', 'without-source'],
    log: { progress: () => {}, warn: () => {} },
  });
  expect(readFileSync(join(folder, 'started'), 'utf8').trim().split('\n')).toEqual([
    `fetch --manifest-path ${project}/Cargo.toml`,
    `fetch --locked --manifest-path ${join(folder, library('stable'))}`,
    `fetch --locked --manifest-path ${join(folder, library('nightly'))}`,
  ]);
});

test('fetches what each lock file of the build names, and returns an error only when all were tried', async () => {
  write('bin/rustc', '#!/bin/sh\nexit 1\n');
  write(
    'bin/cargo',
    `#!/bin/sh\ntest "$1" = fetch || exit 1\necho "cargo $@" >> ${folder}/started\ncase $* in *tree/Cargo.toml) exit 1 ;; esac\n`,
  );
  write('bin/go', `#!/bin/sh\necho "go $@ in \${PWD##*/}" >> ${folder}/started\n`);
  for (const path of ['Cargo.toml', 'x-ebpf/Cargo.toml', 'x-ebpf/Cargo.lock', 'gen/go.mod']) write(`tree/${path}`, '');
  const project = join(folder, 'tree');
  const { error } = await downloadDependencies({
    title: 'head',
    workDir: project,
    project,
    environment: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder },
    cargo: [project, join(project, 'x-ebpf'), join(project, 'without')],
    go: [join(project, 'gen')],
    toolchains: [],
    log: { progress: () => {}, warn: () => {} },
  });
  expect(error?.message).toContain(`cargo fetch --manifest-path ${project}/Cargo.toml`);
  expect(readFileSync(join(folder, 'started'), 'utf8').trim().split('\n')).toEqual([
    `cargo fetch --manifest-path ${project}/Cargo.toml`,
    `cargo fetch --locked --manifest-path ${project}/x-ebpf/Cargo.toml`,
    expect.stringContaining('go env GOMODCACHE'),
    'go mod download in gen',
  ]);
});

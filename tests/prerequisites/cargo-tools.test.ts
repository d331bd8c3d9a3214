// A fake cargo that downloads what it is given and builds by copying. Tests what bpfgate builds from, and when it
// refuses to.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../src/adapters/log.ts';
import { openCache } from '../../src/cache/cache.ts';
import { isRoot } from '../../src/prerequisites/apt.ts';
import { installCargoTool } from '../../src/prerequisites/cargo-tools.ts';
import { prerequisites } from '../../src/prerequisites/prerequisite.ts';

const silent: Log = { progress: () => {}, warn: () => {} };

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-cargo-tools-'));
  await mkdir(join(scratch, 'bin'));
  await writeFile(
    join(scratch, 'bin/cargo'),
    `#!/bin/bash
set -e
echo "$*" >>'${scratch}/calls'
case $1 in
  info)
    [ -e '${scratch}/download.crate' ] || { echo 'error: no such crate' >&2; exit 101; }
    mkdir -p "$CARGO_HOME/registry/cache/mirror-1" 2>'${scratch}/mkdir' || {
      # What cargo 1.95 says.
      echo "error: failed to create directory '$CARGO_HOME/registry/cache/mirror-1'" >&2
      printf '\\nCaused by:\\n  %s (os error 30)\\n' "$(sed 's/.*: //' '${scratch}/mkdir')" >&2; exit 101; }
    cp '${scratch}/download.crate' "$CARGO_HOME/registry/cache/mirror-1/$(echo "$3" | tr @ -).crate" ;;
  install)
    while [ "$1" != --path ]; do shift; done
    cp "$2/Cargo.toml" '${scratch}/built-manifest'
    ls -A "$2" >'${scratch}/built-files'
    mkdir "$4/bin"
    cp "$2/program" "$4/bin/tool-x"
    mkdir -p "$CARGO_TARGET_DIR"
    # The linker's way to say that a disk is full is to be killed by SIGBUS.
    head -c 5000000 /dev/zero >"$CARGO_TARGET_DIR/object" || { echo 'error: linking failed' >&2; exit 101; } ;;
esac
`,
    { mode: 0o755 },
  );
});
afterEach(() => rm(scratch, { recursive: true }));

/** A `.crate` file with a program that prints `says`, and its SHA-256. */
async function makeCrate(file: string, says: string, { hasLock = true } = {}): Promise<string> {
  const folder = join(scratch, 'crate/tool-x-1.2.3');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await mkdir(join(folder, '.cargo'));
  await writeFile(join(folder, '.cargo/config.toml'), '[build]\nrustc-wrapper = "./program"\n');
  await writeFile(join(folder, 'Cargo.toml'), '[package]\nname = "tool-x"\n');
  if (hasLock) await writeFile(join(folder, 'Cargo.lock'), 'version = 4\n');
  await writeFile(join(folder, 'program'), `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
  await mkdir(join(file, '..'), { recursive: true });
  execFileSync('tar', ['--create', '--gzip', '--file', file, '--directory', join(scratch, 'crate'), 'tool-x-1.2.3']);
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

const install = (sha256: string, cargoHome = join(scratch, 'cargo-home')) =>
  installCargoTool({ name: 'tool-x', version: '1.2.3', sha256 }, undefined, {
    cache: openCache(join(scratch, 'cache')),
    log: silent,
    env: { PATH: `${join(scratch, 'bin')}:/usr/bin:/bin`, CARGO_HOME: cargoHome },
  });
const calls = () => readFileSync(join(scratch, 'calls'), 'utf8').trim().split('\n');
const entries = () => {
  const tools = join(scratch, 'cache/tools');
  return existsSync(tools) ? readdirSync(tools) : [];
};

test('every tool from crates.io is pinned by an exact version and the checksum of its crate', () => {
  const tools = prerequisites.filter((prerequisite) => prerequisite.kind === 'cargo-tool');
  expect(tools.map(({ name }) => name)).toEqual(['vmtest', 'bpf-linker', 'cargo-criterion']);
  for (const { version, sha256 } of tools) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  }
});

describe('a tool', () => {
  test('is built from the pinned crate and its lock file, and leaves only the program', async () => {
    const program = await install(await makeCrate(join(scratch, 'download.crate'), 'tool-x 1.2.3'));
    expect(execFileSync(program, { encoding: 'utf8' })).toBe('tool-x 1.2.3\n');
    expect(calls()).toEqual([
      'info --quiet tool-x@1.2.3',
      expect.stringMatching(/^install --locked --path \S+\/tool-x-1\.2\.3 --root \S+$/),
    ]);
    expect(readdirSync(join(program, '../..'))).toEqual(['bin']);
  });

  test('is its own workspace, whatever is in the folders above the cache', async () => {
    await install(await makeCrate(join(scratch, 'download.crate'), 'tool-x 1.2.3'));
    expect(readFileSync(join(scratch, 'built-manifest'), 'utf8')).toBe('[package]\nname = "tool-x"\n\n[workspace]\n');
  });

  test("is built without its developers' settings", async () => {
    await install(await makeCrate(join(scratch, 'download.crate'), 'tool-x 1.2.3'));
    expect(readFileSync(join(scratch, 'built-files'), 'utf8')).toBe('Cargo.lock\nCargo.toml\nprogram\n');
  });

  test('with another checksum is not built: the error has both checksums and the file', async () => {
    const pinned = await makeCrate(join(scratch, 'other.crate'), 'tool-x 1.2.3');
    const received = await makeCrate(join(scratch, 'download.crate'), 'something else');
    const failing = install(pinned);
    await expect(failing).rejects.toThrow('wrong SHA-256 of the crate of tool-x 1.2.3');
    await expect(failing).rejects.toThrow(`pinned:   ${pinned}\n  received: ${received}\n  from:     ${scratch}`);
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining('do not retry blindly') });
    expect(calls()).toEqual(['info --quiet tool-x@1.2.3']);
    expect(entries()).toEqual([]);
  });

  test('is taken from the registry with the pinned file', async () => {
    await makeCrate(join(scratch, 'download.crate'), 'tool-x 1.2.3 of mirror-1');
    const file = join(scratch, 'cargo-home/registry/cache/mirror-0/tool-x-1.2.3.crate');
    const program = await install(await makeCrate(file, 'tool-x 1.2.3 of mirror-0'));
    expect(execFileSync(program, { encoding: 'utf8' })).toBe('tool-x 1.2.3 of mirror-0\n');
  });

  test('without a lock file is not built, because its dependencies would not be pinned', async () => {
    const sum = await makeCrate(join(scratch, 'download.crate'), 'tool-x 1.2.3', { hasLock: false });
    await expect(install(sum)).rejects.toThrow('the crate of tool-x 1.2.3 holds no Cargo.lock');
    expect(entries()).toEqual([]);
  });

  test("that cannot be downloaded is an error with cargo's message", async () => {
    const failing = install('0'.repeat(64));
    await expect(failing).rejects.toThrow('`cargo info --quiet tool-x@1.2.3` failed:\nerror: no such crate');
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining('put tool-x 1.2.3 on PATH') });
  });

  test.runIf(isRoot())(
    "on a full disk of cargo's names that disk, and the next run succeeds with free space",
    async () => {
      const home = join(scratch, 'cargo-home');
      await mkdir(home);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', home]);
      await writeFile(join(home, 'another'), 'x');
      try {
        const sum = await makeCrate(join(scratch, 'download.crate'), 'tool-x 1.2.3');
        await expect(install(sum)).rejects.toMatchObject({
          message: expect.stringMatching(/^`cargo info .*` failed:\n[\s\S]*No space left/),
          hint: `free space on the disk of \`${home}\`, then try again`,
        });
        execFileSync('mount', ['-o', 'remount,size=20m', home]);
        expect(execFileSync(await install(sum), { encoding: 'utf8' })).toBe('tool-x 1.2.3\n');
      } finally {
        execFileSync('umount', [home]);
      }
    },
  );

  test.runIf(isRoot())(
    'on a full disk names that disk, leaves nothing, and the next run succeeds with free space',
    async () => {
      const disk = join(scratch, 'cache');
      await mkdir(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
      try {
        const sum = await makeCrate(join(scratch, 'download.crate'), 'tool-x 1.2.3');
        await expect(install(sum)).rejects.toMatchObject({
          message: expect.stringMatching(/^building tool-x 1\.2\.3 failed:\n/),
          hint: expect.stringMatching(`^free space on the disk of \`${disk}/`),
        });
        expect(entries()).toEqual([]);
        execFileSync('mount', ['-o', 'remount,size=20m', disk]);
        expect(execFileSync(await install(sum), { encoding: 'utf8' })).toBe('tool-x 1.2.3\n');
      } finally {
        execFileSync('umount', [disk]);
      }
    },
  );
});

// The real rustc writes the input. Fake programs that can read it, or cannot, stand in for bpf-linker; the demo and the
// end-to-end tests build the real one.

import { mkdir, mkdtemp, readFile, readlink, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Cache, openCache, publishEntry } from '../../src/cache/cache.ts';
import { findLlvm, makePrefix, newestLlvm, tryReading } from '../../src/prerequisites/bpf-linker.ts';
import { findCargoTool, toolKey } from '../../src/prerequisites/cargo-tools.ts';
import { type CargoToolPrerequisite, prerequisites } from '../../src/prerequisites/prerequisite.ts';
import { type RustToolchain, readRust } from '../../src/prerequisites/rust.ts';

const tool = prerequisites.find(({ name }) => name === 'bpf-linker') as CargoToolPrerequisite;
const library = 'libLLVM.so.22.1-rust-1.95.0-stable';

let scratch: string;
let cache: Cache;
beforeEach(async () => {
  scratch = await mkdtemp(join(await realpath(tmpdir()), 'bpfgate-bpf-linker-'));
  cache = openCache(join(scratch, 'cache'));
});
afterEach(() => rm(scratch, { recursive: true }));

async function installedRust(): Promise<RustToolchain> {
  const rust = await readRust(process.env);
  if (rust === undefined) throw new Error('rustc is missing');
  return rust;
}

/** A toolchain with the real rustc. */
async function makeToolchain(name: string, libraries: readonly string[]): Promise<RustToolchain> {
  const { sysroot: real, ...rust } = await installedRust();
  const sysroot = join(scratch, name);
  await mkdir(join(sysroot, 'lib'), { recursive: true });
  await symlink(join(real, 'bin'), join(sysroot, 'bin'));
  for (const each of libraries) await writeFile(join(sysroot, 'lib', each), '');
  return { ...rust, llvmVersion: '22.1.2', sysroot };
}

/** Writes a bpf-linker of this version; the last argument of `read` is the file to read. */
async function writeLinker(folder: string, version: string, read: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const script = `#!/bin/bash
case $1 in --version) echo bpf-linker ${version}; exit ;; esac
${read}
`;
  await writeFile(join(folder, 'bpf-linker'), script, { mode: 0o755 });
  return join(folder, 'bpf-linker');
}

const copying = 'for last; do :; done; cp "$last" out.bc';
const failing = `echo "ERROR llvm: Invalid record (Producer: 'LLVM23' Reader: 'LLVM 22')" >&2; exit 1`;

describe('a bpf-linker on PATH', () => {
  test("is accepted in any version that reads rustc's bitcode", async () => {
    await writeLinker(join(scratch, 'bin'), '0.9.15', `echo "$*" >${scratch}/read; ${copying}`);
    const rust = await installedRust();
    const env = { ...process.env, PATH: `${join(scratch, 'bin')}:${process.env.PATH}` };
    const path = join(scratch, 'bin/bpf-linker');
    expect(await findCargoTool(tool, [rust], cache, env)).toEqual({ path, version: '0.9.15', problem: null });
    // Not only a small library: many linkers that can read one cannot read what a project is made of.
    expect(await readFile(join(scratch, 'read'), 'utf8')).toMatch(/\/libcore-[0-9a-f]+\.rlib in\.bc\n$/);
  });

  test('is rejected if it cannot, and its message is kept', async () => {
    await writeLinker(join(scratch, 'bin'), '0.13.0', failing);
    const rust = await installedRust();
    const env = { ...process.env, PATH: `${join(scratch, 'bin')}:/usr/bin:/bin` };
    expect(await findCargoTool(tool, [rust], cache, env)).toMatchObject({
      problem: `cannot read what ${rust.line} writes (ERROR llvm: Invalid record (Producer: 'LLVM23' Reader: 'LLVM 22'))`,
    });
  });

  test('must read the bitcode of every toolchain that compiles eBPF programs', async () => {
    const rust = await installedRust();
    const program = await writeLinker(
      join(scratch, 'bin'),
      '0.13.0',
      `[ ! -e ${scratch}/read ] || exit 1; touch ${scratch}/read; ${copying}`,
    );
    expect(await tryReading(program, [rust], process.env)).toBe(null);
    await rm(join(scratch, 'read'));
    expect(await tryReading(program, [rust, rust], process.env)).toContain('cannot read what');
  });
});

describe('a cached bpf-linker', () => {
  /** Publishes a linker that runs only if its library is found next to it. */
  const publish = async (llvm: string, libraryOf: string) =>
    publishEntry(cache, 'tools', await toolKey(tool, llvm), async (entry) => {
      await writeLinker(join(entry, 'bin'), '0.13.0', `[ -f "$(dirname "$0")/../lib/${llvm}" ] && ${copying}`);
      await mkdir(join(entry, 'lib'));
      await symlink(libraryOf, join(entry, 'lib', llvm));
    });
  const env = { ...process.env, PATH: '/usr/bin:/bin' };

  test('from another machine or a moved toolchain uses the library of this one', async () => {
    const entry = await publish(library, '/home/somebody/.rustup/gone/lib/x');
    const rust = await makeToolchain('one', [library]);
    expect((await findCargoTool(tool, [rust], cache, env))?.problem).toBe(null);
    expect(await readlink(join(entry, 'lib', library))).toBe(join(scratch, 'one/lib', library));
    await rename(rust.sysroot, join(scratch, 'moved'));
    const moved = { ...rust, sysroot: join(scratch, 'moved') };
    expect((await findCargoTool(tool, [moved], cache, env))?.problem).toBe(null);
    expect(await readlink(join(entry, 'lib', library))).toBe(join(scratch, 'moved/lib', library));
  });

  test('is not used for a toolchain with another LLVM', async () => {
    const rust = await makeToolchain('one', [library]);
    await publish(library, join(rust.sysroot, 'lib', library));
    const updated = await makeToolchain('two', ['libLLVM.so.22.1-rust-1.96.0-stable']);
    expect(await findCargoTool(tool, [updated], cache, env)).toBeUndefined();
  });
});

describe('the LLVM to build with', () => {
  test('is the newest toolchain’s own, by both names', async () => {
    const old = await makeToolchain('old', ['libLLVM.so.21.1-rust-1.91.0-stable']);
    const rust = await makeToolchain('new', ['libLLVM-22-rust-1.95.0-stable.so', library, 'librustc_driver-1.so']);
    const newest = newestLlvm([{ ...old, llvmVersion: '21.1.2' }, rust]) ?? old;
    const path = join(rust.sysroot, 'lib', library);
    const llvm = { major: 22, name: library, library: path };
    expect(await findLlvm(newest)).toEqual(llvm);
    const prefix = await makePrefix(llvm, join(scratch, 'prefix'));
    for (const name of ['libLLVM.so', library]) expect(await readlink(join(prefix, 'lib', name))).toBe(path);
  });

  test('is missing in a toolchain without a library of its own, and where bpf-linker cannot be built with it', async () => {
    expect(await findLlvm(await makeToolchain('musl', []))).toBeUndefined();
    const newer = await makeToolchain('newer', ['libLLVM.so.24.1-rust-1.99.0-stable']);
    expect(await findLlvm({ ...newer, llvmVersion: '24.1.0' })).toBeUndefined();
  });
});

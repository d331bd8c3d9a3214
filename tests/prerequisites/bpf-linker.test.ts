// The real rustc writes the input. Fake programs that can read it, or cannot, stand in for bpf-linker; the demo and the
// end-to-end tests build the real one.

import { mkdir, mkdtemp, readFile, readlink, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Cache, openCache, publishEntry } from '../../src/cache/cache.ts';
import { readProducer } from '../../src/prerequisites/bitcode.ts';
import { chooseLlvm, makePrefix, newestLlvm, tryReading } from '../../src/prerequisites/bpf-linker.ts';
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
  test("is accepted in any version that reads rustc's bitcode, and is identified by its LLVM", async () => {
    await writeLinker(join(scratch, 'bin'), '0.9.15', `echo "$*" >${scratch}/read; ${copying}`);
    const rust = await installedRust();
    const env = { ...process.env, PATH: `${join(scratch, 'bin')}:${process.env.PATH}` };
    const channel = /^release: (\S+)$/m.exec(rust.about)?.[1];
    // A copy has the producer of the original, which is rustc's LLVM.
    expect(await findCargoTool(tool, [rust], cache, env)).toEqual({
      path: join(scratch, 'bin/bpf-linker'),
      version: '0.9.15',
      identity: expect.stringMatching(`^bpf-linker 0\\.9\\.15 with LLVM${rust.llvmVersion}(-rust-${channel}-stable)?$`),
      problem: null,
    });
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
    expect((await tryReading(program, [rust], process.env)).problem).toBe(null);
    await rm(join(scratch, 'read'));
    expect((await tryReading(program, [rust, rust], process.env)).problem).toContain('cannot read what');
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
    const llvm = await chooseLlvm(newest, { PATH: scratch });
    const path = join(rust.sysroot, 'lib', library);
    expect(llvm).toEqual({ major: 22, name: library, library: path, prefix: null, missingPackages: [] });
    const prefix = await makePrefix({ ...llvm, library: path }, join(scratch, 'prefix'));
    for (const name of ['libLLVM.so', library]) expect(await readlink(join(prefix, 'lib', name))).toBe(path);
  });

  test('is LLVM_PREFIX if no toolchain has a suitable one', async () => {
    const rust = await makeToolchain('musl', []);
    await mkdir(join(scratch, 'llvm/bin'), { recursive: true });
    await writeFile(join(scratch, 'llvm/bin/llvm-config'), '#!/bin/sh\necho 23.1.0\n', { mode: 0o755 });
    expect(await chooseLlvm(rust, { PATH: '/usr/bin:/bin', LLVM_PREFIX: join(scratch, 'llvm') })).toEqual({
      major: 23,
      name: 'llvm-23',
      library: null,
      prefix: join(scratch, 'llvm'),
      missingPackages: [],
    });
  });

  describe('of a distribution', () => {
    const script = (file: string, text: string) =>
      writeFile(join(scratch, file), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const choose = async (aptReady?: () => Promise<unknown>, variables: Record<string, string> = {}) => {
      const env = { PATH: join(scratch, 'bin'), ...variables };
      return await chooseLlvm(rust, env, aptReady, join(scratch, 'lib'));
    };
    const addLlvm = async (major: number) => {
      await mkdir(join(scratch, `lib/llvm-${major}/bin`), { recursive: true });
      await script(`lib/llvm-${major}/bin/llvm-config`, `echo ${major}.1.0`);
    };
    const dpkg = (installed: string) => script('bin/dpkg-query', `echo '${installed} installed'`);
    const llvm = (major: number, missingPackages: string[] = []) => ({
      major,
      name: `llvm-${major}`,
      library: null,
      missingPackages,
      prefix: join(scratch, `lib/llvm-${major}`),
    });
    let rust: RustToolchain;
    beforeEach(async () => {
      rust = await makeToolchain('musl', []);
      await mkdir(join(scratch, 'bin'));
    });

    test("is the oldest that reads rustc's bitcode, with the missing package", async () => {
      await addLlvm(21);
      await addLlvm(22);
      await addLlvm(23);
      expect(await choose()).toEqual(llvm(22));
      await dpkg('llvm-22');
      expect(await choose()).toEqual(llvm(22, ['llvm-22-dev']));
      await dpkg('llvm-22-dev');
      expect(await choose()).toEqual(llvm(22));
    });

    test('is not LLVM_PREFIX if that is too old', async () => {
      await addLlvm(21);
      await addLlvm(23);
      expect(await choose(undefined, { LLVM_PREFIX: join(scratch, 'lib/llvm-21') })).toEqual(llvm(23));
    });

    test('is one that apt can install, if it has package lists', async () => {
      await dpkg('bash');
      const aptReady = () =>
        script('bin/apt-cache', `[ "$2" = llvm-23-dev ] && echo '  Candidate: 1:23' || echo '  Candidate: (none)'`);
      expect(await choose(aptReady)).toEqual(llvm(23, ['llvm-23-dev']));
    });

    test('is missing without any of these, and the error says what is needed', async () => {
      await expect(choose()).rejects.toMatchObject({
        message: expect.stringContaining('neither /usr/lib/llvm-22 nor a package llvm-22-dev'),
        hint: expect.stringContaining('install LLVM 22 or 23 and set LLVM_PREFIX'),
      });
    });
  });
});

test('the producer is read from bitcode only', async () => {
  expect(readProducer(new Uint8Array())).toBeUndefined();
  expect(readProducer(Buffer.from('BC\xc0\xde', 'latin1'))).toBeUndefined();
  expect(readProducer(await readFile(process.execPath))).toBeUndefined();
  expect(readProducer(Buffer.alloc(1000, 0xff))).toBeUndefined();
});

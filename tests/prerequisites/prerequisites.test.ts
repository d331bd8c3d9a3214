import { chmod, mkdir, mkdtemp, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../src/adapters/log.ts';
import { openCache, publishEntry } from '../../src/cache/cache.ts';
import { MachineError } from '../../src/errors.ts';
import { cargoArguments, toolKey } from '../../src/prerequisites/cargo-tools.ts';
import { findExecutable, isStaticallyLinked } from '../../src/prerequisites/executables.ts';
import { llvmMissing, usableMajors } from '../../src/prerequisites/llvm.ts';
import {
  type CargoToolPrerequisite,
  optionalGroups,
  type PrerequisiteStatus,
  prerequisites,
} from '../../src/prerequisites/prerequisite.ts';
import {
  checkPrerequisites,
  installMissing,
  neededPackages,
  requirePrerequisites,
} from '../../src/prerequisites/prerequisites.ts';
import { renderPrerequisites } from '../../src/prerequisites/render.ts';
import { parseRustc, rustMissing, rustRemedy } from '../../src/prerequisites/rust.ts';
import { checkRustSrc, installRustSrc, rustSrcPackages } from '../../src/prerequisites/rust-src.ts';

const named = (name: string) => {
  const found = prerequisites.find((prerequisite) => prerequisite.name === name);
  if (found === undefined) throw new Error(`no prerequisite ${name}`);
  return found;
};
const rust = { version: '1.95.0', llvmMajor: 22, host: 'x86_64-unknown-linux-gnu', sysroot: '/nowhere' };

const silent: Log = { progress: () => {}, warn: () => {} };

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-prerequisites-'));
});
afterEach(() => rm(scratch, { recursive: true }));

describe('what to install', () => {
  test('all packages in one list, each once', () => {
    const llvm = { major: 22, prefix: '/usr/lib/llvm-22', missingPackages: ['llvm-22-dev', 'gcc'] };
    const missing = [named('cpio'), named('cc'), named('vmtest'), named('rust-src')];
    expect(neededPackages(missing, llvm, true)).toEqual(['cpio', 'gcc', 'libc6-dev', 'llvm-22-dev']);
    expect(neededPackages([named('vmtest')], undefined, false)).toEqual([]);
  });

  test("what bpfgate's own tests build projects with is needed by nobody else", () => {
    const own = prerequisites.filter(({ group }) => group === 'tests');
    expect(neededPackages(own, undefined, false)).toEqual(['clang', 'make', 'libbpf-dev', 'golang-go']);
    expect(optionalGroups).not.toContain('tests');
  });

  test('tools are built locked, bpf-linker with the chosen LLVM', () => {
    const llvm = { major: 22, prefix: '/usr/lib/llvm-22', missingPackages: [] };
    expect(cargoArguments('/source', '/root-dir', llvm).join(' ')).toBe(
      'install --locked --path /source --root /root-dir --no-default-features --features llvm-22',
    );
    expect(cargoArguments('/source', '/root-dir', undefined).join(' ')).toBe(
      'install --locked --path /source --root /root-dir',
    );
  });

  test('an LLVM older than rustc’s is not used', () => {
    expect(usableMajors(20)).toEqual([21, 22, 23]);
    expect(usableMajors(22)).toEqual([22, 23]);
    expect(usableMajors(24)).toEqual([]);
  });
});

describe('error messages', () => {
  test('no LLVM: what is needed and where it comes from', () => {
    const error = llvmMissing(rust);
    expect(error.message).toContain('bpf-linker needs LLVM 22 or 23, since rustc 1.95.0 writes LLVM 22 code');
    expect(error.hint).toContain('llvm-22-dev libpolly-22-dev zlib1g-dev libzstd-dev libxml2-dev');
  });

  test('a rustc newer than every LLVM bpf-linker knows', () => {
    expect(llvmMissing({ ...rust, llvmMajor: 24 }).message).toContain('bpf-linker reads LLVM 23 and older');
  });

  test('Rust missing or too old names the rustup command', () => {
    expect(rustMissing('rustc is missing', rustRemedy(false))).toMatchObject({
      message: 'rustc is missing; bpfgate does not install Rust',
      hint: expect.stringContaining('sh.rustup.rs'),
    });
    expect(rustRemedy(true)).toContain('rustup update stable');
  });

  test('on a machine without Rust nothing is installed', async () => {
    const options = { cache: openCache(join(scratch, 'cache')), log: silent, environment: { PATH: scratch } };
    // The administrators' folders are searched whatever PATH says; Rust is not there.
    await expect(installMissing(['example'], options)).rejects.toThrow(
      'rustc is missing; bpfgate does not install Rust',
    );
  });
});

test('reads what rustc prints', () => {
  const output = `rustc 1.95.0 (59807616e 2026-04-14)
binary: rustc
host: x86_64-unknown-linux-gnu
release: 1.95.0
LLVM version: 22.1.2
`;
  expect(parseRustc(output)).toEqual({ version: '1.95.0', llvmMajor: 22, host: 'x86_64-unknown-linux-gnu' });
  expect(parseRustc('error: rustup could not choose a version of rustc to run')).toBeUndefined();
});

describe('finding programs', () => {
  test('passes over folders and files that cannot be run', async () => {
    const [first, second, third] = ['1', '2', '3'].map((name) => join(scratch, name)) as [string, string, string];
    await mkdir(join(first, 'tool-x'), { recursive: true });
    await mkdir(second);
    await mkdir(third);
    await writeFile(join(second, 'tool-x'), '');
    await writeFile(join(third, 'tool-x'), '');
    await chmod(join(third, 'tool-x'), 0o755);
    const env = { PATH: [first, second, third].join(':') };
    expect(await findExecutable('tool-x', env)).toBe(join(third, 'tool-x'));
    expect(await findExecutable('tool-y', env)).toBeUndefined();
  });

  test('tells static from dynamic', async () => {
    expect(await isStaticallyLinked(process.execPath)).toBe(false);
    await writeFile(join(scratch, 'script'), '#!/bin/sh\n'.padEnd(100));
    expect(await isStaticallyLinked(join(scratch, 'script'))).toBe(false);
  });
});

describe('checkPrerequisites', () => {
  test('finds on this machine what these tests run with', async () => {
    const statuses = await checkPrerequisites(['vm'], { cache: openCache(join(scratch, 'cache')) });
    const bash = statuses.find(({ prerequisite }) => prerequisite.name === 'bash');
    expect(bash).toMatchObject({ present: true, version: expect.stringMatching(/^\d/), problem: null, remedy: null });
  });

  test('what is required and lacking is listed with its remedy, what is optional is not', async () => {
    const options = { cache: openCache(join(scratch, 'cache')), environment: { PATH: scratch } };
    const failing = requirePrerequisites(['agent'], { ...options, optional: ['example'] });
    await expect(failing).rejects.toThrow(MachineError);
    await expect(failing).rejects.toThrow(/rustc is missing: curl/);
    await expect(failing).rejects.not.toThrow(/bpf-linker/);
    const { env } = await requirePrerequisites([], { ...options, optional: ['example'] });
    expect(env.PATH).toBe(`${scratch}:/usr/local/sbin:/usr/sbin:/sbin`);
  });

  test('tools in the cache are found and lead PATH', async () => {
    const cache = openCache(join(scratch, 'cache'));
    await publishEntry(
      cache,
      'tools',
      await toolKey(named('vmtest') as CargoToolPrerequisite, undefined),
      async (dir) => {
        await mkdir(join(dir, 'bin'));
        await writeFile(join(dir, 'bin/vmtest'), '#!/bin/sh\necho vmtest 0.18.0\n', { mode: 0o755 });
      },
    );
    // No PATH but the one that has a shell: a vmtest that is installed here would come first.
    const tools = await requirePrerequisites([], { cache, environment: { PATH: '/bin' }, optional: ['vm'] });
    expect(tools.versions.vmtest).toBe('0.18.0');
    expect(tools.env.PATH).toMatch(/^\S+\/tools\/vmtest-0\.18\.0-[0-9a-f]{12}\/bin:\/bin:/);
  });

  test('a tool of another version is lacking, and told which', async () => {
    await writeFile(join(scratch, 'vmtest'), '#!/bin/sh\necho vmtest 0.1.0\n', { mode: 0o755 });
    const environment = { ...process.env, PATH: `${scratch}:${process.env.PATH}` };
    const statuses = await checkPrerequisites(['vm'], { cache: openCache(join(scratch, 'cache')), environment });
    expect(statuses.find(({ prerequisite }) => prerequisite.name === 'vmtest')).toMatchObject({
      present: false,
      version: '0.1.0',
      path: join(scratch, 'vmtest'),
      problem: 'is not 0.18.0',
      remedy: 'bpfgate doctor --install',
    });
  });
});

describe('landlock', () => {
  const check = async (printed: string | undefined) => {
    if (printed !== undefined) {
      await writeFile(join(scratch, 'perl'), `#!/bin/sh\nprintf '%s' '${printed}'\n`, { mode: 0o755 });
    }
    const options = { cache: openCache(join(scratch, 'cache')), environment: { PATH: scratch } };
    return renderPrerequisites(await checkPrerequisites(['isolation'], options));
  };

  test('is told by its version and what it keeps QEMU from', async () => {
    expect(await check('7')).toMatchInlineSnapshot(`
      "to keep guests from this host, without which they run as well:
        ok       landlock  7, keeps QEMU from opening files, truncating files, TCP, controlling devices, signalling processes

      nothing is lacking"
    `);
    expect(await check('3')).toMatchInlineSnapshot(`
      "to keep guests from this host, without which they run as well:
        ok       landlock  3, keeps QEMU from opening files, truncating files; not from TCP (Linux 6.7), controlling devices (Linux 6.10), signalling processes (Linux 6.12)

      nothing is lacking"
    `);
  });

  test.each(['-1', '0', ''])('is absent, which is no lack, where the kernel says %j', async (printed) => {
    expect(await check(printed)).toMatch(
      /^ {2}absent {3}landlock {2}is missing; .*\n.*mend: boot Linux 5\.13[\s\S]*nothing is lacking$/m,
    );
  });

  test('of a machine without perl nothing is known', async () => {
    expect(await check(undefined)).toMatch(
      /landlock {2}is there or not[\s\S]*mend: install `perl`[\s\S]*nothing is lacking$/m,
    );
  });
});

describe('rust-src', () => {
  const place = () => join(scratch, 'sysroot/lib/rustlib/src/rust');
  const sysroot = () => join(scratch, 'sysroot');
  // A PATH without rustup.
  const options = () => ({ cache: openCache(join(scratch, 'cache')), log: silent, env: { PATH: scratch } });
  beforeEach(() => mkdir(join(place(), '..'), { recursive: true }));

  test('is missing, then linked from the cache', async () => {
    expect(await checkRustSrc(sysroot())).toEqual({ state: 'missing', path: place(), target: null });
    const entry = join(scratch, 'cache/rust-src', rustSrcPackages['1.95.0']?.sha256 ?? '');
    await mkdir(join(entry, 'library/core'), { recursive: true });
    expect(await installRustSrc({ ...rust, sysroot: sysroot() }, options())).toBe('debian');
    expect(await readlink(place())).toBe(entry);
    expect(await checkRustSrc(sysroot())).toEqual({ state: 'present', path: place(), target: entry });
  });

  test('a link into a cache that was cleared is mended', async () => {
    const entry = join(scratch, 'cache/rust-src', rustSrcPackages['1.95.0']?.sha256 ?? '');
    await symlink(join(scratch, 'cache/rust-src/gone'), place());
    expect((await checkRustSrc(sysroot())).state).toBe('dangling');
    await mkdir(join(entry, 'library/core'), { recursive: true });
    await installRustSrc({ ...rust, sysroot: sysroot() }, options());
    expect(await readlink(place())).toBe(entry);
  });

  test('someone else’s dangling link is left alone, and named', async () => {
    await symlink('/nowhere/at-all', place());
    const failing = installRustSrc({ ...rust, sysroot: sysroot() }, options());
    await expect(failing).rejects.toThrow(MachineError);
    await expect(failing).rejects.toThrow('is a link to `/nowhere/at-all`');
    await expect(failing).rejects.toMatchObject({ hint: `rm ${place()}` });
  });

  test('a release without a known package names what to do', async () => {
    const failing = installRustSrc({ ...rust, version: '1.90.0', sysroot: sysroot() }, options());
    await expect(failing).rejects.toThrow('cannot add rust-src to rustc 1.90.0');
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining('rustup component add rust-src') });
  });
});

describe('renderPrerequisites', () => {
  const present = (name: string, version: string): PrerequisiteStatus => ({
    prerequisite: named(name),
    present: true,
    version,
    path: `/usr/bin/${name}`,
    problem: null,
    remedy: null,
  });

  test('says that nothing is lacking', () => {
    expect(renderPrerequisites([present('bash', '5.2.15')])).toMatchInlineSnapshot(`
      "to boot kernels:
        ok       bash  5.2.15

      nothing is lacking"
    `);
  });

  test('names the problem, the purpose and the remedy of each lack', () => {
    const lacks: PrerequisiteStatus[] = [
      {
        ...present('qemu-ga', ''),
        present: false,
        version: null,
        path: null,
        problem: 'is missing',
        remedy: 'apt-get install x',
      },
      { ...present('vmtest', '0.1.0'), present: false, problem: 'is not 0.18.0', remedy: 'bpfgate doctor --install' },
    ];
    expect(renderPrerequisites([present('bash', '5.2.15'), ...lacks, present('cc', '12.2.0')])).toMatchInlineSnapshot(`
      "to boot kernels:
        ok       bash     5.2.15
        lacking  qemu-ga  is missing; needed to take commands in the guest, which sees the host's files
                          mend: apt-get install x
        lacking  vmtest   /usr/bin/vmtest is not 0.18.0; needed to run commands in the VM
                          mend: bpfgate doctor --install

      to build the guest agent:
        ok       cc       12.2.0

      2 lacking; \`bpfgate doctor --install\` installs what it can"
    `);
  });

  test('what only some need is told and does not count', () => {
    const absent: PrerequisiteStatus = {
      ...present('pahole', ''),
      present: false,
      version: null,
      path: null,
      problem: 'is missing',
      remedy: 'apt-get install dwarves',
    };
    expect(renderPrerequisites([present('bash', '5.2.15'), absent])).toMatchInlineSnapshot(`
      "to boot kernels:
        ok       bash    5.2.15

      to build kernels from source, which few need:
        absent   pahole  is missing; needed to make the type information of kernels
                         mend: apt-get install dwarves

      nothing is lacking"
    `);
  });
});

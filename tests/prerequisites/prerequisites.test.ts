import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../src/adapters/log.ts';
import { openCache, publishEntry } from '../../src/cache/cache.ts';
import { InterruptedError, MachineError } from '../../src/common/errors.ts';
import { isRoot } from '../../src/prerequisites/apt.ts';
import { llvmMissing } from '../../src/prerequisites/bpf-linker.ts';
import { cargoArguments, toolKey } from '../../src/prerequisites/cargo-tools.ts';
import { findExecutable, isStaticallyLinked } from '../../src/prerequisites/executables.ts';
import {
  type CargoToolPrerequisite,
  type Demand,
  optionalGroups,
  type PrerequisiteGroup,
  type PrerequisiteStatus,
  type ProgramPrerequisite,
  prerequisites,
} from '../../src/prerequisites/prerequisite.ts';
import {
  checkPrerequisites,
  installMissing,
  neededPackages,
  requirePrerequisites,
  startInstalling,
} from '../../src/prerequisites/prerequisites.ts';
import { projectProgram } from '../../src/prerequisites/project-tools.ts';
import { renderPrerequisites } from '../../src/prerequisites/render.ts';
import { parseRustc, rustMissing, rustRemedy } from '../../src/prerequisites/rust.ts';
import { checkRustSrc, installRustSrc, rustSrcPackages } from '../../src/prerequisites/rust-src.ts';

const named = (name: string) => {
  const found = prerequisites.find((prerequisite) => prerequisite.name === name);
  if (found === undefined) throw new Error(`no prerequisite ${name}`);
  return found;
};
const rust = {
  version: '1.95.0',
  about: '',
  line: 'rustc 1.95.0 (59807616e 2026-04-14)',
  llvmVersion: '22.1.2',
  host: 'x86_64-unknown-linux-gnu',
  sysroot: '/nowhere',
};

const silent: Log = { progress: () => {}, warn: () => {} };

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-prerequisites-'));
});
afterEach(() => rm(scratch, { recursive: true }));

describe('the commands to install', () => {
  test('list all packages once, in one command', () => {
    const missing = [named('cpio'), named('cc'), named('vmtest'), named('rust-src')];
    expect(neededPackages(missing, true)).toEqual(['cpio', 'gcc', 'libc6-dev']);
    expect(neededPackages([named('vmtest')], false)).toEqual([]);
  });

  test("include what bpfgate's own tests need only for those", () => {
    const own = prerequisites.filter(({ group }) => group === 'tests');
    expect(neededPackages(own, false)).toEqual([
      'clang',
      'make',
      'libbpf-dev',
      'gpg',
      'gpg-agent',
      'gpgv',
      'golang-go',
      'rpm',
      'libarchive-tools',
      'openssl',
      'strace',
      'tshark',
      'chromium',
    ]);
    expect(optionalGroups).not.toContain('tests');
  });

  test('build tools with their lock files, and bpf-linker with the chosen LLVM', () => {
    const llvm = { major: 22, name: 'libLLVM.so.22.1', library: '/lib/libLLVM.so.22.1' };
    expect(cargoArguments('/source', '/root-dir', llvm).join(' ')).toBe(
      'install --locked --path /source --root /root-dir --no-default-features --features llvm-22',
    );
    expect(cargoArguments('/source', '/root-dir', undefined).join(' ')).toBe(
      'install --locked --path /source --root /root-dir',
    );
  });
});

describe('error messages', () => {
  test('no LLVM: what is needed, and what to do', () => {
    const error = llvmMissing(rust);
    expect(error.message).toContain('has to read what rustc 1.95.0 (59807616e 2026-04-14) writes, LLVM 22.1.2 code');
    expect(error.message).toContain('LLVM 21 to 23 that is in the toolchain: there is none in `/nowhere/lib`');
    expect(error.hint).toContain('put a bpf-linker that reads it on PATH');
  });

  test('Rust missing or too old names the rustup command', () => {
    expect(rustMissing('rustc is missing', rustRemedy(false))).toMatchObject({
      message: 'rustc is missing; bpfgate does not install Rust',
      hint: expect.stringContaining('sh.rustup.rs'),
    });
    expect(rustRemedy(true)).toContain('rustup update stable');
  });

  test('on a machine without Rust nothing is installed', async () => {
    const environment = { PATH: scratch, HOME: scratch };
    const options = { cache: openCache(join(scratch, 'cache')), log: silent, environment };
    // The administrators' folders are searched whatever PATH says; Rust is not there.
    const demand = { group: 'rust-bpf', by: "xdp's build script uses aya-build, which" } as const;
    const failing = installMissing([demand], options);
    await expect(failing).rejects.toThrow(
      'rustc is missing; bpf-linker has to be compiled, which needs rustc; bpfgate does not install Rust',
    );
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining('sh.rustup.rs') });
  });

  test('a missing prerequisite is listed with what needs it', async () => {
    const environment = { PATH: scratch, HOME: scratch };
    const options = { cache: openCache(join(scratch, 'cache')), environment };
    const by = "xdp's build script uses aya-build, which";
    const demands = [
      { group: 'rust-bpf', by },
      { group: 'rust-bpf', by: "profiler's build script uses aya-build, which" },
      { group: 'bpf-toolchain', by, toolchain: 'nightly-2026-01-01' },
      { group: 'cargo-criterion', by: 'bench `micro` runs `cargo criterion`, which' },
    ] as const;
    const failing = requirePrerequisites(demands, { ...options, install: 'bpfgate doctor --install --project x' });
    await expect(failing).rejects.toMatchObject({
      message: `this machine does not have:
  nightly-2026-01-01 is missing; xdp's build script uses aya-build, which needs nightly-2026-01-01
  bpf-linker is missing; xdp's build script uses aya-build, which needs bpf-linker (and 1 more)
  cargo-criterion is missing; bench \`micro\` runs \`cargo criterion\`, which needs cargo-criterion`,
      hint: 'bpfgate doctor --install --project x',
    });
  });

  test.runIf(isRoot())('an unwritable home folder: the variable to change comes first', async () => {
    const home = join(scratch, 'home');
    await mkdir(home);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', home]);
    try {
      const options = { cache: openCache(join(home, '.cache/bpfgate')), log: silent };
      await expect(installMissing(['vm'], options)).rejects.toMatchObject({
        message: expect.stringContaining(`cannot write to the cache \`${home}/.cache/bpfgate\``),
        hint: 'set BPFGATE_CACHE to a folder that can be written',
      });
    } finally {
      execFileSync('umount', [home]);
    }
  });

  test.each([
    ['linux', 'arm64'],
    ['linux', 'riscv64'],
    ['win32', 'x64'],
    ['darwin', 'arm64'],
  ])('%s on %s: the supported machines', async (platform, arch) => {
    const own = { arch: process.arch, platform: process.platform };
    Object.defineProperty(process, 'arch', { value: arch });
    Object.defineProperty(process, 'platform', { value: platform });
    try {
      const options = { cache: openCache(join(scratch, 'cache')), log: silent };
      const message = `bpfgate runs on Linux on x86-64 only, and this is ${platform} on ${arch}`;
      await expect(installMissing(['vm'], options)).rejects.toThrow(message);
      await expect(requirePrerequisites(['vm'], options)).rejects.toThrow(message);
    } finally {
      for (const [name, value] of Object.entries(own)) Object.defineProperty(process, name, { value });
    }
  });
});

test("rustc's version is parsed", () => {
  const output = `rustc 1.95.0 (59807616e 2026-04-14)
binary: rustc
host: x86_64-unknown-linux-gnu
release: 1.95.0
LLVM version: 22.1.2
`;
  const { sysroot: _, ...parsed } = { ...rust, about: output };
  expect(parseRustc(output)).toEqual(parsed);
  expect(parseRustc('error: rustup could not choose a version of rustc to run')).toBeUndefined();
});

describe('finding programs', () => {
  test('skips folders and files that are not executable', async () => {
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

  test('distinguishes static from dynamic', async () => {
    expect(await isStaticallyLinked(process.execPath)).toBe(false);
    await writeFile(join(scratch, 'script'), '#!/bin/sh\n'.padEnd(100));
    expect(await isStaticallyLinked(join(scratch, 'script'))).toBe(false);
  });
});

describe('checkPrerequisites', () => {
  test("finds cargo in cargo's own folder, which may be missing from PATH", async () => {
    const options = { cache: openCache(join(scratch, 'cache')), environment: { PATH: '/bin', HOME: scratch } };
    const [before] = await checkPrerequisites(['cargo'], options);
    expect(before).toMatchObject({ present: false, problem: 'is missing' });
    await mkdir(join(scratch, '.cargo/bin'), { recursive: true });
    await writeFile(join(scratch, '.cargo/bin/cargo'), '#!/bin/sh\n', { mode: 0o755 });
    const [after] = await checkPrerequisites(['cargo'], options);
    expect(after).toMatchObject({ present: true, path: join(scratch, '.cargo/bin/cargo') });
    const { env } = await requirePrerequisites([], options);
    expect(env.PATH?.split(':').at(-1)).toBe(join(scratch, '.cargo/bin'));
  });

  test("finds this machine's tools for the tests", async () => {
    const statuses = await checkPrerequisites(['vm'], { cache: openCache(join(scratch, 'cache')) });
    const bash = statuses.find(({ prerequisite }) => prerequisite.name === 'bash');
    expect(bash).toMatchObject({ present: true, version: expect.stringMatching(/^\d/), problem: null, remedy: null });
  });

  test('a missing required one is listed with its fix, an optional one is not', async () => {
    const options = { cache: openCache(join(scratch, 'cache')), environment: { PATH: scratch, HOME: scratch } };
    const failing = requirePrerequisites(['agent'], { ...options, optional: ['rust-bpf'] });
    await expect(failing).rejects.toThrow(MachineError);
    await expect(failing).rejects.toThrow(/rustc is missing: curl/);
    await expect(failing).rejects.not.toThrow(/bpf-linker/);
    const { env } = await requirePrerequisites([], { ...options, optional: ['rust-bpf'] });
    expect(env.PATH).toBe(`${scratch}:/usr/local/sbin:/usr/sbin:/sbin`);
  });

  test('cached tools are found, and come first in PATH', async () => {
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
    // PATH has only a shell: a vmtest installed on this machine would come first.
    const environment = { PATH: '/bin', HOME: scratch };
    const tools = await requirePrerequisites([], { cache, environment, optional: ['vm'] });
    expect(tools.env.PATH).toMatch(/^\S+\/tools\/vmtest-0\.18\.0-[0-9a-f]{12}\/bin:\/bin:/);
  });

  test('a tool of another version is listed with the needed one', async () => {
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

describe('an installation', () => {
  const core = () => join(scratch, 'sysroot/lib/rustlib/src/rust/library/core');
  /** Options with a Rust without its source, which runs only outside a project's folder and without its toolchain. */
  const options = async () => {
    const scripts = {
      rustc: `[ -z "$RUSTUP_TOOLCHAIN$RUSTFLAGS$RUSTC_WRAPPER" ] && [ "$PWD" = / ] || exit 1
case $1 in -vV) printf 'rustc 1.95.0 (x)\\nhost: x86_64-unknown-linux-gnu\\nrelease: 1.95.0\\nLLVM version: 22.1.2\\n' ;;
*) echo ${join(scratch, 'sysroot')} ;; esac`,
      cargo: 'echo cargo 1.95.0',
      rustup: `[ -z "$RUSTUP_TOOLCHAIN" ] && [ "$PWD $*" = "/ component add rust-src" ] && sleep 0.5 && mkdir -p ${core()}`,
    };
    await mkdir(join(scratch, 'bin'));
    await mkdir(join(scratch, 'sysroot/lib/rustlib'), { recursive: true });
    for (const [name, script] of Object.entries(scripts)) {
      await writeFile(join(scratch, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const project = { RUSTUP_TOOLCHAIN: 'nightly', RUSTFLAGS: '-C x', RUSTC_WRAPPER: 'x' };
    const environment = { ...project, PATH: `${join(scratch, 'bin')}:/usr/bin:/bin`, HOME: scratch };
    return { cache: openCache(join(scratch, 'cache')), log: silent, environment };
  };

  test('starts at once with what needs nothing else, and with the rest when its prerequisites are there', async () => {
    const seen: [string, boolean][] = [];
    const companion = (name: string, after: readonly string[]) => ({
      after,
      work: async () => {
        seen.push([name, existsSync(core())]);
      },
    });
    const companions = [companion('later', ['rust-src']), companion('at once', ['bash', 'no such'])];
    const { env } = await installMissing(['rust-src'], { ...(await options()), companions });
    expect(seen).toEqual([
      ['at once', false],
      ['later', true],
    ]);
    // The project's own build keeps the project's toolchain.
    expect(env.RUSTUP_TOOLCHAIN).toBe('nightly');
  });

  let ended: unknown;
  const endless = (signal: AbortSignal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        ended = signal.reason;
        reject(new Error('ended'));
      });
    });

  test('continues while the project is built, until it is stopped', async () => {
    const companions = [{ after: [], work: (_: NodeJS.ProcessEnv, signal: AbortSignal) => endless(signal) }];
    const { tools, all, stop } = await startInstalling(['rust-src'], { ...(await options()), companions });
    expect(existsSync(core())).toBe(true);
    expect(tools.env.HOME).toBe(scratch);
    await stop();
    expect(ended).toBeInstanceOf(InterruptedError);
    await expect(all).rejects.toBe(ended);
  });

  test('is complete without optional work, which may fail, and stops it', async () => {
    const companions = [
      { after: [], work: (_: NodeJS.ProcessEnv, signal: AbortSignal) => endless(signal), isOptional: true },
      { after: [], work: () => Promise.reject(new MachineError('no network')), isOptional: true },
    ];
    ended = undefined;
    const { all, stop } = await startInstalling(['rust-src'], { ...(await options()), companions });
    expect((await all).env.HOME).toBe(scratch);
    expect(ended).toBeUndefined();
    await stop();
    expect(ended).toBeInstanceOf(InterruptedError);
  });

  test('that fails stops the others, and reports the first failure', async () => {
    const failure = new MachineError('no network');
    const companions = [
      { after: [], work: (_: NodeJS.ProcessEnv, signal: AbortSignal) => endless(signal) },
      { after: [], work: () => Promise.reject(failure) },
      { after: ['rust-src'], work: () => Promise.reject(new Error('not to be begun')) },
    ];
    await expect(installMissing(['rust-src'], { ...(await options()), companions })).rejects.toBe(failure);
    expect(ended).toBe(failure);
    expect(existsSync(core())).toBe(false);
  });
});

describe('a bubblewrap that cannot be installed', () => {
  /** Installs where apt has all but bubblewrap. Returns the warnings. */
  const installing = async (groups: readonly PrerequisiteGroup[]) => {
    const folder = join(scratch, 'bin');
    const scripts = {
      'apt-get': `echo "$*" >>${scratch}/calls
for each; do [ "$each" != bubblewrap ] || { echo 'E: Unable to locate package bubblewrap' >&2; exit 100; }; done
for each; do case $each in gcc) printf '#!/bin/sh\\n' >${folder}/cc; chmod +x ${folder}/cc ;; esac; done`,
      env: 'shift 2; exec "$@"',
      sudo: 'shift; [ "$1" = true ] || exec "$@"',
      cargo: 'echo cargo 1.95.0',
      chmod: 'exec /bin/chmod "$@"',
    };
    await mkdir(folder);
    for (const [name, script] of Object.entries(scripts)) {
      await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const warnings: string[] = [];
    const log = { progress: () => {}, warn: (line: string) => void warnings.push(line) };
    const environment = { PATH: folder, HOME: scratch };
    await installMissing(groups, { cache: openCache(join(scratch, 'cache')), log, environment });
    return warnings.join('\n');
  };
  const installs = async () =>
    (await readFile(join(scratch, 'calls'), 'utf8')).split('\n').filter((line) => line.includes(' install '));

  test.each([[['sandbox']], [['sandbox', 'cargo']]] as const)(
    'is a warning, and the rest of %j is installed',
    async (groups) => {
      expect(await installing(groups)).toMatch(
        /^bwrap was not installed, .*\n[\s\S]*E: Unable to locate package bubblewrap$/,
      );
      expect((await installs()).some((line) => line.endsWith(' gcc libc6-dev'))).toBe(groups.length > 1);
    },
  );
});

describe('bpftool, which Ubuntu before 25.04 has with the tools of each kernel,', () => {
  // Under another name, because the machine of the tests may have it.
  const tool = { ...(projectProgram('bpftool') as ProgramPrerequisite), name: 'test-bpftool' };
  const older = `linux-tools-common linux-tools-${release()}`;
  const demands: Demand[] = [{ group: 'project', by: 'Makefile', tool }];

  /** An apt with these packages, which its lists have from the start, or once it has failed. */
  async function options(available: string, isRead = true) {
    const folder = join(scratch, 'bin');
    const lists = join(scratch, 'lists');
    await mkdir(folder);
    if (isRead) await writeFile(lists, '');
    const scripts = {
      'apt-cache': `[ ! -e ${lists} ] || case ' ${available} ' in *" $2 "*) echo '  Candidate: 1' ;; esac`,
      'apt-get': `echo "$*" >>${scratch}/calls; >${lists}
case "$*" in *update*) exit 0 ;; *" ${available.split(' ')[0]}"*) ;; *) echo 'E: no candidate' >&2; exit 100 ;; esac
printf '#!/bin/sh\\necho v7.4.0\\n' >${folder}/${tool.name}; chmod +x ${folder}/${tool.name}`,
      env: 'shift 2; exec "$@"',
      sudo: 'shift; [ "$1" = true ] || exec "$@"',
      chmod: 'exec /bin/chmod "$@"',
    };
    for (const [name, script] of Object.entries(scripts)) {
      await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    return {
      cache: openCache(join(scratch, 'cache')),
      log: silent,
      environment: { PATH: folder, HOME: scratch },
    };
  }

  test.each([
    ['of its own', 'bpftool', true, 'bpftool'],
    ['of the running kernel', older, true, older],
    ['of the running kernel, also if apt has not read its lists yet', older, false, older],
  ])('is installed from the package %s', async (_, available, isRead, installed) => {
    await installMissing(demands, await options(available, isRead));
    const calls = (await readFile(join(scratch, 'calls'), 'utf8')).split('\n').filter((line) => / install /.test(line));
    expect(calls.at(-1)?.endsWith(`--no-install-recommends ${installed}`)).toBe(true);
    if (isRead) expect(calls).toHaveLength(1);
  });

  test('is missing where its script finds none for the running kernel', async () => {
    const given = await options(older);
    const script = 'echo "WARNING: bpftool not found for kernel 6.17.0-1015" >&2; exit 2';
    await writeFile(join(scratch, 'bin', tool.name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    expect(await checkPrerequisites(demands, given)).toMatchObject([
      { present: false, problem: 'is missing for the running kernel', remedy: expect.stringContaining(older) },
    ]);
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

  test('a link into a cleared cache is replaced', async () => {
    const entry = join(scratch, 'cache/rust-src', rustSrcPackages['1.95.0']?.sha256 ?? '');
    await symlink(join(scratch, 'cache/rust-src/gone'), place());
    expect((await checkRustSrc(sysroot())).state).toBe('dangling');
    await mkdir(join(entry, 'library/core'), { recursive: true });
    await installRustSrc({ ...rust, sysroot: sysroot() }, options());
    expect(await readlink(place())).toBe(entry);
  });

  test('a foreign dangling link is kept, and named', async () => {
    await symlink('/nowhere/at-all', place());
    const failing = installRustSrc({ ...rust, sysroot: sysroot() }, options());
    await expect(failing).rejects.toThrow(MachineError);
    await expect(failing).rejects.toThrow('is a link to `/nowhere/at-all`');
    await expect(failing).rejects.toMatchObject({ hint: `rm ${place()}` });
  });

  test('a release without a known package says what to do', async () => {
    const failing = installRustSrc(
      { ...rust, version: '1.96.0', line: 'rustc 1.96.0 (x)', sysroot: sysroot() },
      options(),
    );
    await expect(failing).rejects.toThrow('cannot add rust-src to rustc 1.96.0 (x): there is no rustup');
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
    neededBy: [],
  });

  test('reports that nothing is missing', () => {
    expect(renderPrerequisites([present('bash', '5.2.15')])).toMatchInlineSnapshot(`
      "to boot kernels:
        ok       bash  5.2.15

      nothing is missing"
    `);
  });

  test('shows the problem, the purpose, what needs it and the fix for what is missing', () => {
    const missing: PrerequisiteStatus[] = [
      {
        ...present('depmod', ''),
        present: false,
        version: null,
        path: null,
        problem: 'is missing',
        remedy: 'apt-get install x',
      },
      {
        ...present('vmtest', '0.1.0'),
        present: false,
        problem: 'is not 0.18.0',
        remedy: 'bpfgate doctor --install',
        neededBy: ['runner x'],
      },
    ];
    expect(
      renderPrerequisites([present('bash', '5.2.15'), ...missing, present('cc', '12.2.0')]),
    ).toMatchInlineSnapshot(`
      "to boot kernels:
        ok       bash    5.2.15
        missing  depmod  is missing; needed to index kernel modules
                         fix: apt-get install x
        missing  vmtest  /usr/bin/vmtest is not 0.18.0; needed to run commands in the VM
                         runner x needs it
                         fix: bpfgate doctor --install

      to compile the guest agent and QEMU's plugin:
        ok       cc      12.2.0

      2 missing; \`bpfgate doctor --install\` installs what it can"
    `);
  });

  test('optional prerequisites are shown and not counted', () => {
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
                         fix: apt-get install dwarves

      nothing is missing"
    `);
  });
});

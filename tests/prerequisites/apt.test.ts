import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Log } from '../../src/adapters/log.ts';
import {
  aptCommand,
  describeAptInstall,
  findMissingPackages,
  installPackages,
  isRoot,
} from '../../src/prerequisites/apt.ts';

test('installs without questions, with messages in English', () => {
  expect(aptCommand(['install', '-y', '--no-install-recommends', 'cpio', 'xz-utils'], 'root').join(' ')).toBe(
    'env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends cpio xz-utils',
  );
});

test('sudo asks for no password and passes the frontend on', () => {
  expect(aptCommand(['update'], 'sudo').join(' ')).toBe(
    'sudo -n env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=300 update',
  );
});

test('the shown command has sudo if the user needs it', () => {
  expect(describeAptInstall(['kmod'], true)).toBe('apt-get install -y --no-install-recommends kmod');
  expect(describeAptInstall(['kmod'], false)).toBe('sudo apt-get install -y --no-install-recommends kmod');
});

test('finds which packages are neither installed nor provided by another', async () => {
  // Debian's awk is a name that mawk, gawk and others provide.
  expect(await findMissingPackages(['dpkg', 'awk', 'no-such-package-at-all'], process.env)).toEqual([
    'no-such-package-at-all',
  ]);
});

/**
 * An apt that has no packages, and locks of its own.
 *
 * @param sources lines of its sources.list. Default: none
 */
function privateApt(root = mkdtempSync(join(tmpdir(), 'bpfgate-apt-')), sources: readonly string[] = []): string {
  for (const folder of [
    'installed',
    'dpkg/updates',
    'dpkg/info',
    'state/lists/partial',
    'cache/archives/partial',
    'sources',
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, 'dpkg/status'), '');
  writeFileSync(join(root, 'sources/own.list'), sources.map((line) => `${line}\n`).join(''));
  const settings = {
    'Dir::State': join(root, 'state'),
    'Dir::State::status': join(root, 'dpkg/status'),
    'Dir::Cache': join(root, 'cache'),
    // Some images set these caches, others do not: they take megabytes.
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'Dir::Etc::sourcelist': join(root, 'sources/none'),
    'Dir::Etc::sourceparts': join(root, 'sources'),
    'Dir::Bin::dpkg': join(root, 'bin/dpkg'),
    'APT::Sandbox::User': 'root',
    'Acquire::Retries': '0',
  };
  // dpkg installs into its own folder.
  mkdirSync(join(root, 'bin'));
  const dpkg = `exec /usr/bin/dpkg --admindir=${join(root, 'dpkg')} --instdir=${join(root, 'installed')} "$@"`;
  writeFileSync(join(root, 'bin/dpkg'), `#!/bin/sh\n${dpkg}\n`, { mode: 0o755 });
  writeFileSync(
    join(root, 'apt.conf'),
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  return root;
}

// Uses the real apt, which waits for the lock by itself.
test.runIf(isRoot())('another process that holds a lock is waited for', { timeout: 60_000 }, async () => {
  const root = privateApt();
  const script =
    'import fcntl, sys, time; f = open(sys.argv[1], "w"); fcntl.lockf(f, fcntl.LOCK_EX); print(1, flush=True); time.sleep(3)';
  const lock = join(root, 'dpkg/lock-frontend');
  const holder = spawn('python3', ['-c', script, lock], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(holder.stdout, 'data');
    writeFileSync(join(root, 'sources/own.list'), `${makeArchive(join(root, 'archive'), 1)}\n`);
    await installBy(root);
    expect(existsSync(join(root, 'installed/opt', name))).toBe(true);
  } finally {
    holder.kill();
    rmSync(root, { recursive: true });
  }
});

const silent: Log = { progress: () => {}, warn: () => {} };
const name = 'bpfgate-test';

/** Makes an archive with a package of this size, in a folder. */
function makeArchive(folder: string, bytes = 3_000_000): string {
  const content = join(folder, name);
  mkdirSync(join(content, 'DEBIAN'), { recursive: true });
  mkdirSync(join(content, 'opt'));
  const control = `Package: ${name}\nVersion: 1\nArchitecture: all\nMaintainer: x <x@x.invalid>\nDescription: x\n`;
  writeFileSync(join(content, 'DEBIAN/control'), control);
  writeFileSync(join(content, 'opt', name), randomBytes(bytes));
  const file = join(folder, `${name}_1_all.deb`);
  execFileSync('dpkg-deb', ['--build', '-Znone', '--root-owner-group', content, file]);
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  const entry = `${control}Filename: ./${name}_1_all.deb\nSize: ${statSync(file).size}\nSHA256: ${sha256}\n\n`;
  writeFileSync(join(folder, 'Packages'), entry);
  return `deb [trusted=yes] copy:${folder} ./`;
}

// Nothing listens on the first port.
const deadMirror = 'deb [trusted=yes] http://127.0.0.1:1/debian bookworm main';

const installBy = (root: string, log = silent) =>
  installPackages([name], {
    log,
    env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env.PATH}`, APT_CONFIG: join(root, 'apt.conf') },
  });

describe.runIf(isRoot())('an unreachable archive', () => {
  test('is an error for a package that only it has, and the same command succeeds later', async () => {
    const root = privateApt(undefined, [deadMirror]);
    try {
      await expect(installBy(root)).rejects.toMatchObject({
        message: expect.stringMatching(/` failed:\n[\s\S]*E: Unable to locate package bpfgate-test$/),
        hint: 'see that this machine reaches its archives, by `apt-get update`, then try again',
      });
      writeFileSync(join(root, 'sources/own.list'), `${makeArchive(join(root, 'archive'), 1)}\n`);
      await installBy(root);
      expect(existsSync(join(root, 'installed/opt', name))).toBe(true);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test('is a warning if another archive has the package', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bpfgate-archive-'));
    const root = privateApt(undefined, [deadMirror, makeArchive(folder, 1)]);
    try {
      const warnings: string[] = [];
      await installBy(root, { progress: () => {}, warn: (line) => warnings.push(line) });
      expect(warnings.join('\n')).toMatch(/^apt-get update failed: E: Failed to fetch http:\/\/127\.0\.0\.1:1\//);
      expect(existsSync(join(root, 'installed/opt', name))).toBe(true);
    } finally {
      rmSync(root, { recursive: true });
      rmSync(folder, { recursive: true });
    }
  });
});

describe.runIf(isRoot())('a full disk', () => {
  /** Puts all of apt and dpkg on a disk of this size. */
  async function withDisk(size: string, use: (root: string) => Promise<void>): Promise<void> {
    const archive = mkdtempSync(join(tmpdir(), 'bpfgate-archive-'));
    const root = mkdtempSync(join(tmpdir(), 'bpfgate-apt-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', root]);
    try {
      privateApt(root, [makeArchive(archive)]);
      await use(root);
    } finally {
      execFileSync('umount', [root]);
      rmSync(root, { recursive: true });
      rmSync(archive, { recursive: true });
    }
  }
  const makeRoom = (root: string) => execFileSync('mount', ['-o', 'remount,size=100m', root]);

  test.each([
    ['while lists are read', '1m', 'No space left on device', true],
    ['before a download', '2m', "You don't have enough free space in", false],
    ['while a package is unpacked', '5m', 'No space left on device', false],
  ])('%s is reported, and the same command succeeds with free space', async (_, size, said, isFilled) => {
    await withDisk(size, async (root) => {
      if (isFilled) expect(() => writeFileSync(join(root, 'ballast'), randomBytes(1_100_000))).toThrow('ENOSPC');
      await expect(installBy(root)).rejects.toMatchObject({
        message: expect.stringMatching(new RegExp(`^\`apt-get install .*\` failed:\n[^]*${said}`)),
        hint: 'free space on the disk of `/usr`, `/var`, then try again',
      });
      makeRoom(root);
      await installBy(root);
      expect(statSync(join(root, 'installed/opt', name)).size).toBe(3_000_000);
    });
  });
});

describe('a user who may not install packages', () => {
  const scripts: [string, string | undefined][] = [
    ['has no sudo', undefined],
    ['has a sudo that asks for a password', 'echo "sudo: a password is required" >&2; exit 1'],
  ];
  test.each(scripts)('with %s gets the commands to run', async (_, sudo) => {
    const folder = mkdtempSync(join(tmpdir(), 'bpfgate-apt-'));
    const user = vi.spyOn(process, 'geteuid').mockReturnValue(1000);
    try {
      const calls = join(folder, 'calls');
      writeFileSync(join(folder, 'apt-get'), `#!/bin/sh\necho "$*" >>${calls}\n`, { mode: 0o755 });
      const script = `#!/bin/sh\n[ "$*" = "-n true" ] || echo "$*" >>${calls}\n${sudo}\n`;
      if (sudo !== undefined) writeFileSync(join(folder, 'sudo'), script, { mode: 0o755 });
      const options = { log: silent, env: { PATH: folder } };
      await expect(installPackages(['kmod', 'cpio'], options)).rejects.toMatchObject({
        message: 'cannot install kmod, cpio: this user is not root, and sudo is missing or asks for a password',
        hint: 'run it yourself: sudo apt-get update && sudo apt-get install -y --no-install-recommends kmod cpio',
      });
      expect(existsSync(calls)).toBe(false);
    } finally {
      user.mockRestore();
      rmSync(folder, { recursive: true });
    }
  });
});

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCache } from '../../src/cache/cache.ts';
import {
  aptCommand,
  areAsListed,
  describeAptInstall,
  findMissingPackages,
  installPackages,
  isRoot,
  readPackageList,
} from '../../src/prerequisites/apt.ts';

test('installs without asking, and in English', () => {
  expect(aptCommand(['install', '-y', '--no-install-recommends', 'cpio', 'xz-utils'], 'root').join(' ')).toBe(
    'env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=0 install -y --no-install-recommends cpio xz-utils',
  );
});

test('sudo asks nothing and hands the frontend on', () => {
  expect(aptCommand(['update'], 'sudo').join(' ')).toBe(
    'sudo -n env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=0 update',
  );
});

test('the command to type has sudo for those who need it', () => {
  expect(describeAptInstall(['kmod'], true)).toBe('apt-get install -y --no-install-recommends kmod');
  expect(describeAptInstall(['kmod'], false)).toBe('sudo apt-get install -y --no-install-recommends kmod');
});

test('finds which packages are not installed', async () => {
  expect(await findMissingPackages(['dpkg', 'no-such-package-at-all'], process.env)).toEqual([
    'no-such-package-at-all',
  ]);
});

test('kept packages are those of the lists, to the byte, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-apt-'));
  try {
    writeFileSync(join(folder, 'a_1_amd64.deb'), 'content');
    const sha256 = createHash('sha256').update('content').digest('hex');
    const list = readPackageList(`'http://x/a_1_amd64.deb' a_1_amd64.deb 7 SHA256:${sha256}\nW: a word of apt's\n`);
    expect(list).toEqual([{ file: 'a_1_amd64.deb', sha256 }]);
    expect(await areAsListed(folder, list)).toBe(true);
    writeFileSync(join(folder, 'a_1_amd64.deb'), 'cOntent');
    expect(await areAsListed(folder, list)).toBe(false);
    writeFileSync(join(folder, 'a_1_amd64.deb'), 'content');
    writeFileSync(join(folder, 'b_1_amd64.deb'), 'more');
    expect(await areAsListed(folder, list)).toBe(false);
    expect(await areAsListed(join(folder), [...list, { file: 'c', sha256 }])).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** An apt that has no packages, and locks of its own. */
function privateApt(): string {
  const root = mkdtempSync(join(tmpdir(), 'bpfgate-apt-'));
  for (const folder of ['dpkg/updates', 'state/lists/partial', 'cache/archives/partial', 'sources']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, 'dpkg/status'), '');
  const settings = {
    'Dir::State': join(root, 'state'),
    'Dir::State::status': join(root, 'dpkg/status'),
    'Dir::Cache': join(root, 'cache'),
    'Dir::Etc::sourcelist': join(root, 'sources/none'),
    'Dir::Etc::sourceparts': join(root, 'sources'),
  };
  writeFileSync(
    join(root, 'apt.conf'),
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  return root;
}

// What apt says of locks, and that it waits for none, is apt's: so is the one that is asked here.
test.runIf(isRoot()).each(['dpkg/lock-frontend', 'dpkg/lock', 'state/lists/lock'])(
  'another process that holds %s is waited for, which is said, and not for ever',
  { timeout: 60_000 },
  async (lock) => {
    const root = privateApt();
    const script =
      'import fcntl, sys; f = open(sys.argv[1], "w"); fcntl.lockf(f, fcntl.LOCK_EX); print(1, flush=True); input()';
    const holder = spawn('python3', ['-c', script, join(root, lock)], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(holder.stdout, 'data');
      const said: string[] = [];
      const note = (line: string) => {
        said.push(line);
        if (line.startsWith('waiting up to 30 s')) holder.stdin.end('\n');
      };
      const install = (lockMs: number) =>
        installPackages(['no-such-package-at-all'], {
          cache: openCache(join(root, 'cache')),
          log: { progress: note, warn: note },
          env: { ...process.env, APT_CONFIG: join(root, 'apt.conf') },
          lockMs,
        });
      const holding = `process ${holder.pid} (python3) holds apt's lock ${join(root, lock)}`;
      await expect(install(0)).rejects.toMatchObject({
        message: `nothing can be installed: ${holding}, and has for 0 s`,
        hint: 'wait for it to end, or end it, then try again',
      });
      await expect(install(30_000)).rejects.toThrow('Unable to locate package no-such-package-at-all');
      expect(said).toContain(`waiting up to 30 s: ${holding}`);
    } finally {
      holder.kill();
      rmSync(root, { recursive: true });
    }
  },
);

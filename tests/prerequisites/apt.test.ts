import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  aptCommand,
  areAsListed,
  describeAptInstall,
  findMissingPackages,
  readPackageList,
} from '../../src/prerequisites/apt.ts';

test('installs without asking, waiting for another apt', () => {
  expect(aptCommand(['install', '-y', '--no-install-recommends', 'cpio', 'xz-utils'], 'root').join(' ')).toBe(
    'env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends cpio xz-utils',
  );
});

test('sudo asks nothing and hands the frontend on', () => {
  expect(aptCommand(['update'], 'sudo').join(' ')).toBe(
    'sudo -n env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 update',
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

import { expect, test } from 'vitest';
import { aptCommand, describeAptInstall, findMissingPackages } from '../../src/prerequisites/apt.ts';

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

// The names in a kernel's packages, as tar lists them.

import { findPackageFiles } from '../../../src/kernels/package-files.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'text',
  refusals: [],
  words: ['./boot/vmlinuz-', './lib/modules/', '/kernel/', './boot/config-', 'kernel/net/', '.ko.xz\n', './usr'],
  run(input) {
    const listing = input
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    const found = findPackageFiles(listing);
    if (found === undefined) return;
    const names = new Set(listing);
    check(
      found.wanted.every((name) => names.has(name)),
      'a file that is not in the packages',
    );
    check(found.uname !== '' && !found.uname.includes('/'), `the release ${found.uname}`);
  },
};

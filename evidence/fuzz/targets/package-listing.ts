// The names in a kernel's packages, as tar lists them.

import { KernelError } from '../../../src/common/errors.ts';
import { partsOf, pickPackaged } from '../../../src/kernels/package-files.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'text',
  refusals: [KernelError],
  words: ['boot/vmlinuz-', 'lib/modules/', '/kernel/', 'boot/config-', 'kernel/net/', '.ko.xz\n', 'usr/'],
  run(input) {
    const names = input.toString('utf8').split('\n');
    const files = pickPackaged(names, 'the package');
    const known = new Set(names);
    const parts = partsOf(files, files.uname);
    check(
      [...parts.values()].every((name) => known.has(name)),
      'a file that is not in the packages',
    );
    check(files.uname !== '' && !files.uname.includes('/'), `the release ${files.uname}`);
  },
};

// Debian's indexes of a suite and of its packages. They are signed, but the signer can make a mistake.

import {
  findKernels,
  kernelSuites,
  openPackagesReader,
  readSuiteIndex,
} from '../../../scripts/kernels-update/debian-index.ts';
import { KernelError } from '../../../src/common/errors.ts';
import { check, type Target } from '../target.ts';

const suite = kernelSuites.find(({ codename }) => codename === 'bookworm') ?? {
  archive: 'debian' as const,
  codename: 'bookworm',
};

export const target: Target = {
  shape: 'text',
  refusals: [KernelError],
  words: [
    'Package: linux-image-6.1.0-50-amd64\n',
    'Depends: ',
    'Codename: bookworm\n',
    'SHA256:\n ',
    '\n\n',
    'Valid-Until: ',
  ],
  run(input) {
    const text = input.toString('utf8');
    let refused: unknown;
    try {
      const index = readSuiteIndex(text, suite, new Date('2026-11-22T00:00:00Z'));
      check(/^[0-9a-f]{64}$/.test(index.packages.sha256), 'a sum');
      check(!Number.isNaN(index.date.getTime()), 'a date');
    } catch (error) {
      refused = error;
    }
    const reader = openPackagesReader();
    for (const line of text.split('\n')) reader.addLine(line);
    const records = reader.end();
    for (const { minor, release, packages, snapshot } of findKernels(records, suite, {
      date: new Date('2026-11-01T00:00:00Z'),
    })) {
      check(release.startsWith(`${minor}.`) && packages.length > 0 && /^\d{8}T\d{6}Z$/.test(snapshot), 'a kernel');
    }
    if (refused !== undefined && records.length === 0) throw refused;
  },
};

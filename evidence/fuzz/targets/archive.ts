// An artifact as GitHub gives it: a zip that the code of a pull request may have made.

import { fromBufferPromise } from 'yauzl';
import { openOptions, readArchive } from '../../../src/adapters/result-artifacts.ts';
import { check, type Target } from '../target.ts';

const maxText = 1024 * 1024;
const maxProfiles = 1024 * 1024;

export const target: Target = {
  shape: 'bytes',
  // The errors for bad archives are of class Error itself; the caller turns them into an InputError.
  refusals: [Error],
  words: [
    'PK\u0003\u0004',
    'PK\u0001\u0002',
    'PK\u0005\u0006',
    'results.json',
    '../',
    'a/results.json',
    'profiles/a.svg',
  ],
  async run(input) {
    const { texts, profiles } = await readArchive(await fromBufferPromise(input, openOptions), maxText, maxProfiles);
    check(texts.reduce((sum, { text }) => sum + text.length, 0) <= maxText, 'more text than may be');
    for (const path of [...texts.map((text) => text.path), ...profiles.keys()])
      check(!path.split('/').includes('..') && !path.startsWith('/'), `the path ${path}`);
  },
};

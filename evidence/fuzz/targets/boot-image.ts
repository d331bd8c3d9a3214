// A kernel's image: its release, and the position of the packed kernel in it.

import { describeMisfit, findPayload, readRelease } from '../../../src/common/bz-image.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'bytes',
  refusals: [],
  words: ['HdrS', '\u0008\u0002', '\u000f\u0002', '\u001f\u008b\u0008'],
  run(input) {
    const release = readRelease(input);
    check(release === undefined || /^[\w.+~-]{1,64}$/.test(release), 'the release is no name of a folder');
    check(describeMisfit(input) !== undefined || release !== undefined, 'a kernel without a release is accepted');
    const payload = findPayload(input);
    if (payload === undefined) return;
    check(payload.offset >= 512 && payload.length >= 8, 'the payload begins in the header, or is empty');
    check(payload.offset + payload.length + 4 <= input.length, 'the payload ends after the image');
  },
};

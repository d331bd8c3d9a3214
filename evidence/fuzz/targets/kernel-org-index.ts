// kernel.org's list of checksums, and gpgv's output about its signature.

import { findTarballs } from '../../../scripts/kernels-update/kernel-org-index.ts';
import { findFault, isOneMessage } from '../../../scripts/kernels-update/signature.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'text',
  refusals: [],
  words: ['-----BEGIN PGP SIGNED MESSAGE-----\n', '[GNUPG:] GOODSIG ', '[GNUPG:] VALIDSIG ', 'linux-6.1.176.tar.xz\n'],
  run(input) {
    const text = input.toString('utf8');
    for (const { release, minor, url, sha256 } of findTarballs(text, 'v6.x')) {
      check(release.startsWith(`${minor}.`) && url.endsWith(`/linux-${release}.tar.xz`), `the release ${release}`);
      check(/^[0-9a-f]{64}$/.test(sha256), 'a sum');
    }
    const messages = text.match(/^-----BEGIN PGP SIGNED MESSAGE-----/gm)?.length;
    if (isOneMessage(text)) check(messages === 1, `${messages} messages`);
    if (findFault(text) === undefined) check(text.includes('[GNUPG:] GOODSIG'), 'accepted without a good signature');
  },
};

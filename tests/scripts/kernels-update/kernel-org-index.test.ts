import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { autosignerAddress, findTarballs } from '../../../scripts/kernels-update/kernel-org-index.ts';

test('findTarballs takes the .tar.xz of releases of three numbers', () => {
  const sum = 'a'.repeat(64);
  const text = `${sum}  ChangeLog-6.1.180
${sum}  linux-6.1.180.tar.gz
${sum}  linux-6.1.180.tar.xz
${sum}  linux-6.1.tar.xz
${sum}  patch-6.1.180.xz
short  linux-6.1.181.tar.xz
${sum}  ../linux-6.1.182.tar.xz
`;
  expect(findTarballs(text, 'v6.x')).toEqual([
    {
      origin: 'source',
      minor: '6.1',
      release: '6.1.180',
      url: 'https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.1.180.tar.xz',
      sha256: sum,
      where: 'kernel.org v6.x',
    },
  ]);
});

// https://datatracker.ietf.org/doc/draft-koch-openpgp-webkey-service/: SHA-1 of the local part in z-base-32.
test("the key's address ends in the hash of the autosigner's name", () => {
  const bits = [...createHash('sha1').update('autosigner').digest()].map((byte) => byte.toString(2).padStart(8, '0'));
  const hash = bits
    .join('')
    .match(/.{5}/g)
    ?.map((five) => 'ybndrfg8ejkmcpqxot1uwisza345h769'[Number.parseInt(five, 2)]);
  expect(new URL(autosignerAddress).pathname.split('/').at(-1)).toBe(hash?.join(''));
});

import { describe, expect, test } from 'vitest';
import { packageAddresses } from '../../src/cache/debian-package.ts';

const file = {
  archive: 'debian',
  poolPath: 'pool/main/l/linux/a_1+deb13~x_all.deb',
  snapshot: '20261121T000000Z',
} as const;

describe('packageAddresses', () => {
  test('takes the mirrors of the same archive, each once, then the permanent archive', () => {
    const sites = [
      'http://mirror.example/debian',
      'http://mirror.example/debian/',
      'http://mirror.example/debian-security',
      'cdrom:[disc]/debian',
      'https://other.example/ubuntu',
    ];
    expect(packageAddresses(file, sites)).toEqual([
      'http://mirror.example/debian/pool/main/l/linux/a_1%2Bdeb13~x_all.deb',
      'https://snapshot.debian.org/archive/debian/20261121T000000Z/pool/main/l/linux/a_1%2Bdeb13~x_all.deb',
    ]);
  });

  test('without apt there is the permanent archive', () => {
    expect(packageAddresses({ ...file, archive: 'debian-security' }, [])).toEqual([
      'https://snapshot.debian.org/archive/debian-security/20261121T000000Z/pool/main/l/linux/a_1%2Bdeb13~x_all.deb',
    ]);
  });
});

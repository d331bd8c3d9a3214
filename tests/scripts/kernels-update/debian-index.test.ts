import { describe, expect, test } from 'vitest';
import {
  findKernels,
  openPackagesReader,
  type PackageRecord,
  readSuiteIndex,
  snapshotTime,
} from '../../../scripts/kernels-update/debian-index.ts';
import { KernelError } from '../../../src/common/errors.ts';

const suite = { archive: 'debian', codename: 'trixie-backports' } as const;
const now = new Date('2026-11-21T12:00:00Z');
const sum = 'a'.repeat(64);

describe('readSuiteIndex', () => {
  const text = `Origin: Debian Backports
Suite: stable-backports
Codename: trixie-backports
Date: Fri, 20 Nov 2026 02:11:10 UTC
Valid-Until: Fri, 27 Nov 2026 02:11:10 UTC
Acquire-By-Hash: yes
MD5Sum:
 ${'b'.repeat(32)}   311352 main/binary-amd64/Packages.xz
SHA256:
 ${'c'.repeat(64)}   392369 contrib/binary-amd64/Packages.xz
 ${sum}   311352 main/binary-amd64/Packages.xz
`;

  test('reads the required fields', () => {
    expect(readSuiteIndex(text, suite, now)).toEqual({
      codename: 'trixie-backports',
      date: new Date('2026-11-20T02:11:10Z'),
      validUntil: new Date('2026-11-27T02:11:10Z'),
      byHash: true,
      packages: { sha256: sum, sizeBytes: 311352 },
    });
  });

  test('a released suite does not expire', () => {
    const released = text.replace(/^Valid-Until.*\n/m, '').replace(/^Acquire.*\n/m, '');
    expect(readSuiteIndex(released, suite, new Date('2030-01-01'))).toMatchObject({
      validUntil: undefined,
      byHash: false,
    });
  });

  test.each([
    ['an expired index', text, new Date('2026-11-27T02:11:11Z'), 'expired at 2026-11-27T02:11:10.000Z'],
    ['an index of tomorrow', text, new Date('2026-11-19T00:00:00Z'), 'still to come'],
    ['another suite', text.replace('Codename: trixie', 'Codename: sid'), now, 'is that of "sid-backports"'],
    ['no date', text.replace(/^Date.*\n/m, ''), now, 'no valid Date'],
    ['an end that is no date', text.replace(/^Valid-Until.*$/m, 'Valid-Until: never'), now, 'no valid Valid-Until'],
    ['no list of packages', text.replace(sum, 'short'), now, 'does not list main/binary-amd64/Packages.xz'],
    ['nothing', '', now, 'is that of undefined'],
  ])('refuses %s', (_, content, time, expected) => {
    expect(() => readSuiteIndex(content, suite, time)).toThrow(KernelError);
    expect(() => readSuiteIndex(content, suite, time)).toThrow(expected);
  });
});

describe('openPackagesReader', () => {
  const read = (text: string) => {
    const reader = openPackagesReader();
    for (const line of text.split('\n')) reader.addLine(line);
    return reader.end();
  };

  test('keeps possible kernels, with folded fields', () => {
    const text = `Package: linux-image-6.1.0-50-amd64
Version: 6.1.176-1
Depends: kmod,
 linux-base (>= 4.3~)
Filename: pool/main/l/linux-signed-amd64/a.deb
Size: 12
SHA256: ${sum}

Package: linux-libc-dev
Version: 1

Package: linux-image-amd64
Version: 2`;
    expect(read(text)).toEqual([
      {
        name: 'linux-image-6.1.0-50-amd64',
        version: '6.1.176-1',
        depends: 'kmod,\nlinux-base (>= 4.3~)',
        poolPath: 'pool/main/l/linux-signed-amd64/a.deb',
        sizeBytes: 12,
        sha256: sum,
      },
    ]);
  });

  test('names a package without a required field', () => {
    expect(() => read('Package: linux-image-6.1.0-50-amd64\nVersion: 6.1.176-1')).toThrow('linux-image-6.1.0-50-amd64');
  });
});

describe('findKernels', () => {
  const record = (name: string, version: string, depends = ''): PackageRecord => ({
    name,
    version,
    depends,
    poolPath: `pool/main/l/linux/${name}_${version}_amd64.deb`,
    sha256: sum,
    sizeBytes: 1,
  });
  const find = (...records: PackageRecord[]) => findKernels(records, suite, { date: new Date('2026-11-20T02:11:10Z') });

  test.each([
    ['linux-image-6.1.0-50-amd64', '6.1.176-1', '6.1.176'],
    ['linux-image-6.1.0-0.deb11.52-amd64', '6.1.180-1~deb11u1', '6.1.180'],
    ['linux-image-6.12.117+deb13-amd64', '6.12.117-1', '6.12.117'],
    ['linux-image-6.12.90+deb13.1-amd64', '6.12.90-2', '6.12.90'],
    ['linux-image-6.18.15+deb13-amd64', '6.18.15-1~bpo13+1', '6.18.15'],
  ])('accepts %s %s', (name, version, release) => {
    const { sizeBytes, sha256, poolPath } = record(name, version);
    expect(find(record(name, version))).toEqual([
      {
        origin: 'debian',
        minor: release.split('.').slice(0, 2).join('.'),
        release,
        archive: 'debian',
        version,
        snapshot: '20261121T021110Z',
        packages: [{ name, poolPath, sha256, sizeBytes }],
        where: 'trixie-backports',
      },
    ]);
  });

  test.each([
    ['linux-image-6.1.0-50-cloud-amd64', '6.1.176-1'],
    ['linux-image-6.12.117+deb13-cloud-amd64', '6.12.117-1'],
    ['linux-image-6.1.0-50-rt-amd64', '6.1.176-1'],
    ['linux-image-6.12.117+deb13-rt-amd64', '6.12.117-1'],
    ['linux-image-6.1.0-50-amd64-dbg', '6.1.176-1'],
    ['linux-image-6.1.0-50-amd64-unsigned', '6.1.176-1'],
    ['linux-image-6.12-amd64', '6.12.117-1'],
    ['linux-image-amd64', '6.12.117-1'],
    ['linux-image-7.4-rc2-amd64', '7.4~rc2-1'],
    ['linux-image-6.1.0-50-amd64', '6.2.1-1'],
  ])('skips %s %s', (name, version) => expect(find(record(name, version))).toEqual([]));

  describe('a split image', () => {
    const uname = '7.3.4+deb13-amd64';
    const version = '7.3.4-1~bpo13+1';
    const image = record(
      `linux-image-${uname}`,
      version,
      `dracut | initramfs-tools, linux-base-${uname} (= ${version}), linux-binary-${uname} (= ${version}), linux-modules-${uname} (= ${version})`,
    );
    const part = (name: string, of = version) => record(`linux-${name}-${uname}`, of);

    test('is its parts, without the empty image', () => {
      const unsigned = record(`linux-binary-unsigned-${uname}`, version);
      const [kernel, ...others] = find(image, unsigned, part('modules'), part('binary'), part('base'));
      expect(others).toEqual([]);
      expect(kernel?.packages.map(({ name }) => name)).toEqual([
        `linux-binary-${uname}`,
        `linux-base-${uname}`,
        `linux-modules-${uname}`,
      ]);
      expect(kernel).toMatchObject({ minor: '7.3', release: '7.3.4', version });
    });

    test('is skipped if a part is missing or of another version', () => {
      expect(find(image, part('binary'), part('base'))).toEqual([]);
      expect(find(image, part('binary'), part('base'), part('modules', '7.3.4-2'))).toEqual([]);
    });
  });
});

test('snapshotTime is a day after the index, when the permanent archive has a copy', () => {
  expect(snapshotTime(new Date('2026-11-30T23:59:59Z'))).toBe('20261201T235959Z');
});

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { extractArchive } from '../../src/cache/archive.ts';
import { packageAddresses, permanentArchive } from '../../src/cache/debian-package.ts';
import { InputError, MachineError } from '../../src/common/errors.ts';

const file = {
  archive: 'debian',
  poolPath: 'pool/main/l/linux/a_1+deb13~x_all.deb',
  snapshot: '20261121T000000Z',
} as const;
const permanent = 'https://archive.example/all';

describe('packageAddresses', () => {
  test('is the mirrors of the same archive, each once, then the permanent archive', () => {
    const sites = [
      'http://mirror.example/debian',
      'http://mirror.example/debian/',
      'http://mirror.example/debian-security',
      'cdrom:[disc]/debian',
      'https://other.example/ubuntu',
    ];
    const mirrored = 'http://mirror.example/debian/pool/main/l/linux/a_1%2Bdeb13~x_all.deb';
    expect(packageAddresses(file, sites, permanent)).toEqual([
      mirrored,
      'https://archive.example/all/debian/20261121T000000Z/pool/main/l/linux/a_1%2Bdeb13~x_all.deb',
    ]);
    expect(packageAddresses(file, sites)).toEqual([mirrored]);
  });

  test('without apt, is the permanent archive or nothing', () => {
    const security = { ...file, archive: 'debian-security' } as const;
    expect(packageAddresses(security, [], permanent)).toEqual([
      'https://archive.example/all/debian-security/20261121T000000Z/pool/main/l/linux/a_1%2Bdeb13~x_all.deb',
    ]);
    expect(packageAddresses(security, [])).toEqual([]);
  });
});

describe('permanentArchive', () => {
  test("is the environment's address, without a trailing slash", () => {
    expect(permanentArchive({ BPFGATE_DEBIAN_ARCHIVE: `${permanent}//` })).toBe(permanent);
  });

  test("is Debian's by default", () => {
    const own = permanentArchive({});
    expect(own).toMatch(/^https:\/\/snapshot\.debian\.org\//);
    expect(permanentArchive({ BPFGATE_DEBIAN_ARCHIVE: '' })).toBe(own);
  });

  test.each(['archive.example', 'file:///archive', 'https://', 'ftp://archive.example'])('refuses %s', (address) => {
    expect(() => permanentArchive({ BPFGATE_DEBIAN_ARCHIVE: address })).toThrow(InputError);
  });
});

test('a full disk is a machine error with the next step', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bpfgate-full-'));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  for (const [name, script] of [
    ['dpkg-deb', 'exit 0'],
    ['tar', 'echo "tar: vmlinuz: Cannot write: No space left on device" >&2; exit 2'],
  ] as const) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  const failing = extractArchive('linux.deb', ['vmlinuz'], join(folder, 'into'));
  await expect(failing).rejects.toThrow(MachineError);
  await expect(failing).rejects.toMatchObject({
    message: 'cannot unpack `linux.deb`: the disk of the cache is full',
    hint: expect.stringContaining('free space on it'),
  });
});

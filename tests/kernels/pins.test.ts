import { describe, expect, test } from 'vitest';
import { KernelError } from '../../src/errors.ts';
import { compareVersions, parsePins, readPins } from '../../src/kernels/pins.ts';

const pin = {
  id: '6.1',
  release: '6.1.176',
  origin: 'debian',
  debian: {
    archive: 'debian',
    package: 'linux-image-6.1.0-50-amd64',
    version: '6.1.176-1',
    poolPath: 'pool/main/l/linux-signed-amd64/linux-image-6.1.0-50-amd64_6.1.176-1_amd64.deb',
    snapshot: '20261121T000000Z',
  },
  sha256: 'a'.repeat(64),
  sizeBytes: 1,
};
const document = (...kernels: unknown[]) => ({ schema: 'bpfgate.kernels/1', kernels });

const parseError = (content: unknown): KernelError => {
  try {
    parsePins(content);
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError);
    return error as KernelError;
  }
  throw new Error('was accepted');
};

describe('parsePins', () => {
  test('the pins of this release are valid, and cover the oldest and newest kernels promised', () => {
    const ids = readPins().map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['5.10', '6.1', '6.12', '6.18']));
  });

  test('sorts by version', () => {
    const older = { ...pin, id: '5.10', release: '5.10.262' };
    expect(parsePins(document(pin, older)).map(({ id }) => id)).toEqual(['5.10', '6.1']);
  });

  test.each([
    [
      'sha256',
      { ...pin, sha256: 'A'.repeat(64) },
      'kernel 2 ("6.1"), sha256: must be 64 lower-case hexadecimal digits',
    ],
    [
      'debian.archive',
      { ...pin, debian: { ...pin.debian, archive: 'ubuntu' } },
      'kernel 2 ("6.1"), debian.archive: must be "debian" or "debian-security"',
    ],
    [
      'a path out of the pool',
      { ...pin, debian: { ...pin.debian, poolPath: 'pool/../x.deb' } },
      'kernel 2 ("6.1"), debian.poolPath: must be a path',
    ],
    ['sizeBytes', { ...pin, sizeBytes: '1' }, 'kernel 2 ("6.1"), sizeBytes: must be a number of bytes'],
    ['an unknown field', { ...pin, md5: '' }, 'kernel 2 ("6.1"): Unrecognized key: "md5"'],
    ['id', { ...pin, id: 6 }, 'kernel 2, id: '],
    [
      'a release of another minor',
      { ...pin, release: '6.10.1' },
      'kernel 2 ("6.1"), release: "6.10.1" is not a release of 6.1',
    ],
  ])('names the entry and the field of a fault in %s', (_, faulty, expected) => {
    const first = { ...pin, id: '5.10', release: '5.10.1' };
    expect(parseError(document(first, faulty)).message).toContain(expected);
  });

  test('names both entries of a duplicate id', () => {
    expect(parseError(document(pin, pin)).message).toContain('kernel 2 ("6.1"), id: kernel 1 has the same id');
  });

  test('reports every fault at once', () => {
    const message = parseError(document({ ...pin, sha256: '' }, { ...pin, sizeBytes: 0 })).message;
    expect(message).toContain('kernel 1 ("6.1"), sha256');
    expect(message).toContain('kernel 2 ("6.1"), sizeBytes');
  });

  test.each([[null], [{}], [document()], [{ ...document(pin), schema: 'x' }]])('refuses %o', (content) => {
    parseError(content);
  });
});

test('compareVersions compares numbers, not text', () => {
  expect(['6.1.176', '5.10', '6.12', '6.1', '5.4'].sort(compareVersions)).toEqual([
    '5.4',
    '5.10',
    '6.1',
    '6.1.176',
    '6.12',
  ]);
});

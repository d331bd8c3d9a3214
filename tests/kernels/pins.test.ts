import { describe, expect, test } from 'vitest';
import { KernelError } from '../../src/common/errors.ts';
import { parsePins, readMissing, readPins, sumOfPackages, supportOf } from '../../src/kernels/pins.ts';
import { sumOf } from './kernel-fixtures.ts';

const sha256 = 'a'.repeat(64);
const debian = {
  release: '6.1.176',
  archive: 'debian',
  version: '6.1.176-1',
  snapshot: '20261121T000000Z',
  packages: [
    {
      name: 'linux-image-6.1.0-50-amd64',
      poolPath: 'pool/main/l/linux-signed-amd64/linux-image-6.1.0-50-amd64_6.1.176-1_amd64.deb',
      sha256,
      sizeBytes: 1,
    },
  ],
};
const source = {
  release: '6.1.175',
  url: 'https://example.org/linux-6.1.175.tar.xz',
  sha256,
  agreeing: ['a/recipe@1'],
};
const entry = { minor: '6.1', support: 'longterm', debian, source };
const older = {
  minor: '5.10',
  support: 'eol',
  debian: { missing: 'Debian ships none' },
  source: { ...source, release: '5.10.1', url: 'https://example.org/linux-5.10.1.tar.xz' },
};
const none = { minor: '7.2', support: 'stable', debian: { missing: 'none' }, source: { missing: 'none either' } };
const document = (...kernels: unknown[]) => ({ schema: 'bpfgate.kernels/2', kernels });
const [onlyPackage] = debian.packages;
const withPackage = (fields: object) => ({
  ...entry,
  debian: { ...debian, packages: [{ ...onlyPackage, ...fields }] },
});

const parseError = (content: unknown): KernelError => {
  try {
    parsePins(content);
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError);
    return error as KernelError;
  }
  throw new Error('was accepted');
};

describe('the pins of this release', () => {
  const minors = [
    ...Array.from({ length: 12 }, (_, i) => `5.${i + 8}`),
    ...Array.from({ length: 20 }, (_, i) => `6.${i}`),
    '7.0',
    '7.1',
    '7.2',
    '7.3',
  ];

  test('are one default kernel for every minor version from 5.8 on', () => {
    expect(readPins().flatMap(({ id, minor }) => (id === minor ? [id] : []))).toEqual(minors);
  });

  test('have ids of their own, oldest first', () => {
    const ids = readPins().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.startsWith('5.10') || id.startsWith('6.1:') || id === '6.1')).toEqual([
      '5.10:source',
      '5.10',
      '6.1',
      '6.1:source',
    ]);
  });

  test('give for each origin of each version the kernel, or the reason why there is none', () => {
    const known = [...readPins(), ...readMissing()].map(({ minor, origin }) => `${minor} ${origin}`);
    expect(known.sort()).toEqual(minors.flatMap((minor) => [`${minor} debian`, `${minor} source`]).sort());
  });
});

describe('parsePins', () => {
  test("Debian's kernel is a version's default, and the other one says that it is from source", () => {
    expect(parsePins(document(entry)).pins).toEqual([
      { id: '6.1:source', origin: 'source', minor: '6.1', support: 'longterm', ...source },
      { id: '6.1', origin: 'debian', minor: '6.1', support: 'longterm', sha256, ...debian },
    ]);
  });

  test('without Debian the source is the default; what is missing comes with its reason; sorted by version', () => {
    const { pins, missing } = parsePins(document(none, { ...entry, source: { missing: 'why not' } }, older));
    expect(pins.map(({ id, origin }) => [id, origin])).toEqual([
      ['5.10', 'source'],
      ['6.1', 'debian'],
    ]);
    expect(missing).toEqual([
      { minor: '5.10', origin: 'debian', reason: 'Debian ships none' },
      { minor: '6.1', origin: 'source', reason: 'why not' },
      { minor: '7.2', origin: 'debian', reason: 'none' },
      { minor: '7.2', origin: 'source', reason: 'none either' },
    ]);
  });

  test.each([
    [
      'sha256',
      withPackage({ sha256: 'A'.repeat(64) }),
      'kernel 2 ("6.1"), debian.packages[0].sha256: must be 64 lower-case hexadecimal digits',
    ],
    [
      'debian.archive',
      { ...entry, debian: { ...debian, archive: 'ubuntu' } },
      'kernel 2 ("6.1"), debian.archive: must be "debian" or "debian-security"',
    ],
    [
      'a path out of the pool',
      withPackage({ poolPath: 'pool/../x.deb' }),
      'kernel 2 ("6.1"), debian.packages[0].poolPath: must be a path',
    ],
    [
      'sizeBytes',
      withPackage({ sizeBytes: '1' }),
      'kernel 2 ("6.1"), debian.packages[0].sizeBytes: must be a number of bytes',
    ],
    [
      'no package',
      { ...entry, debian: { ...debian, packages: [] } },
      'kernel 2 ("6.1"), debian.packages: must not be empty',
    ],
    [
      'an address that is not encrypted',
      { ...entry, source: { ...source, url: 'http://example.org/linux-6.1.175.tar.xz' } },
      'kernel 2 ("6.1"), source.url: must be an https address',
    ],
    [
      'a checksum without a source',
      { ...entry, source: { ...source, agreeing: [] } },
      'kernel 2 ("6.1"), source.agreeing: must name where the checksum was found',
    ],
    ['an empty reason', { ...entry, source: { missing: '' } }, 'kernel 2 ("6.1"), source.missing: must say why'],
    [
      'data next to a reason',
      { ...entry, source: { ...source, missing: 'why' } },
      'kernel 2 ("6.1"), source: Unrecognized keys: "release"',
    ],
    ['an origin left out', { ...entry, debian: undefined }, 'kernel 2 ("6.1"), debian: '],
    ['support', { ...entry, support: 'lts' }, 'kernel 2 ("6.1"), support: must be "longterm", "stable" or "eol"'],
    ['an unknown field', { ...entry, md5: '' }, 'kernel 2 ("6.1"): Unrecognized key: "md5"'],
    ['minor', { ...entry, minor: 6 }, 'kernel 2, minor: '],
    [
      'a release of another minor version',
      { ...entry, debian: { ...debian, release: '6.10.1', version: '6.10.1-1' } },
      'kernel 2 ("6.1"), debian.release: "6.10.1" is not a release of 6.1',
    ],
    [
      "another release's package version",
      { ...entry, debian: { ...debian, version: '6.1.17-1' } },
      'kernel 2 ("6.1"), debian.version: "6.1.17-1" is not a version of 6.1.176',
    ],
    [
      "another release's tarball",
      { ...entry, source: { ...source, release: '6.1.17' } },
      'kernel 2 ("6.1"), source.url: "https://example.org/linux-6.1.175.tar.xz" is not the tarball of 6.1.17',
    ],
  ])('names the entry and the field of a fault in %s', (_, faulty, expected) => {
    expect(parseError(document(older, faulty)).message).toContain(expected);
  });

  test('names both entries of a duplicate minor version', () => {
    expect(parseError(document(entry, entry)).message).toContain('kernel 2 ("6.1"), minor: kernel 1 has the same one');
  });

  test('reports all errors at once', () => {
    const message = parseError(document({ ...older, support: '' }, withPackage({ sha256: '', sizeBytes: 0 }))).message;
    expect(message).toContain('kernel 1 ("5.10"), support');
    expect(message).toContain('kernel 2 ("6.1"), debian.packages[0].sha256');
    expect(message).toContain('kernel 2 ("6.1"), debian.packages[0].sizeBytes');
  });

  test.each([[null], [{}], [document()], [{ ...document(entry), schema: 'bpfgate.kernels/1' }]])(
    'refuses %o',
    (content) => {
      parseError(content);
    },
  );
});

test('the checksum of one package is its own; that of several depends on each and on their order', () => {
  const packages = ['a', 'b', 'c'].map((name) => ({ sha256: sumOf(name) }));
  const [a, b, c] = packages as [{ sha256: string }, { sha256: string }, { sha256: string }];
  expect(sumOfPackages([a])).toBe(a.sha256);
  expect(sumOfPackages([a, b])).toBe(sumOf(`${a.sha256}\n${b.sha256}\n`));
  expect(
    new Set(
      [
        [a, b, c],
        [a, b],
        [b, a],
        [a, c],
      ].map(sumOfPackages),
    ).size,
  ).toBe(4);
});

test('a version that is not pinned is stable if newer than all, or else no longer maintained', () => {
  expect(supportOf('6.1')).toBe('longterm');
  expect(supportOf('5.7')).toBe('eol');
  expect(supportOf('99.0')).toBe('stable');
});

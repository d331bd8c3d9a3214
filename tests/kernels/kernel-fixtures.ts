// Kernels for tests: pins of each origin, with checksums that differ by release.

import { createHash } from 'node:crypto';
import type { DebianPin, SourcePin, TreeKernel } from '../../src/model/kernel.ts';

export const sumOf = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');

const minorOf = (release: string) => release.split('.').slice(0, 2).join('.');

export function debianPin(release: string, fields: Partial<DebianPin> = {}): DebianPin {
  const name = `linux-image-${release}-amd64`;
  const sha256 = sumOf(name);
  return {
    id: minorOf(release),
    origin: 'debian',
    minor: minorOf(release),
    release,
    support: 'eol',
    sha256,
    archive: 'debian',
    version: `${release}-1`,
    snapshot: '20261121T000000Z',
    packages: [{ name, poolPath: `pool/main/l/linux/${name}.deb`, sha256, sizeBytes: 57_000_000 }],
    ...fields,
  };
}

/** @param id the minor version if source is its default origin, otherwise with `:source` */
export function sourcePin(release: string, id = minorOf(release), fields: Partial<SourcePin> = {}): SourcePin {
  return {
    id,
    origin: 'source',
    minor: minorOf(release),
    release,
    support: 'eol',
    sha256: sumOf(`tarball of ${release}`),
    url: `https://example.org/linux-${release}.tar.xz`,
    agreeing: ['a/recipe@1', 'another/recipe@2'],
    ...fields,
  };
}

export function treeKernel(release: string, image: string): TreeKernel {
  const minor = minorOf(release);
  return { id: `${minor}:tree`, origin: 'tree', minor, release, support: 'eol', sha256: sumOf(image) };
}

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DebianCandidate } from '../../../scripts/kernels-update/debian-index.ts';
import type { SourceCandidate } from '../../../scripts/kernels-update/kernel-org-index.ts';
import {
  type Candidate,
  type PinDocument,
  propose,
  renderChange,
  renderDocument,
} from '../../../scripts/kernels-update/propose.ts';

const sum = (letter: string) => letter.repeat(64);

const debianCandidate = (version: string, where = 'trixie', letter = 'b'): DebianCandidate => {
  const release = version.slice(0, version.indexOf('-'));
  const minor = release.split('.').slice(0, 2).join('.');
  const name = `linux-image-${release}-amd64`;
  const packages = [{ name, poolPath: `pool/${name}.deb`, sha256: sum(letter), sizeBytes: 1 }];
  return {
    origin: 'debian',
    minor,
    release,
    archive: 'debian',
    version,
    snapshot: '20261121T000000Z',
    packages,
    where,
  };
};

const sourceCandidate = (release: string, letter = 'b'): SourceCandidate => ({
  origin: 'source',
  minor: release.split('.').slice(0, 2).join('.'),
  release,
  url: `https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-${release}.tar.xz`,
  sha256: sum(letter),
  where: 'kernel.org v6.x',
});

const pinned = (version: string) => {
  const { release, archive, snapshot, packages } = debianCandidate(version, '', 'a');
  return { release, archive, version, snapshot, packages: [...packages] };
};

const document: PinDocument = {
  schema: 'bpfgate.kernels/2',
  kernels: [
    {
      minor: '6.1',
      support: 'longterm',
      debian: pinned('6.1.176-1'),
      source: {
        release: '6.1.176',
        url: 'https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.1.176.tar.xz',
        sha256: sum('a'),
        agreeing: ['a recipe'],
        asset: { tag: 'kernels-1', name: 'image', sha256: sum('c'), sizeBytes: 1 },
      },
    },
    { minor: '6.12', support: 'longterm', debian: pinned('6.12.9-1'), source: { missing: 'no recipe' } },
  ],
};

const isNewer = async (version: string, than: string) =>
  spawnSync('dpkg', ['--compare-versions', version, 'gt', than]).status === 0;

const update = (candidates: Candidate[], minors?: ReadonlySet<string>) =>
  propose(document, candidates, { minors, isNewer });
const entryOf = (result: { document: PinDocument }, minor: string) =>
  result.document.kernels.find((entry) => entry.minor === minor);

describe('propose', () => {
  test('changes nothing if nothing is newer', async () => {
    const candidates = [debianCandidate('6.1.175-9'), debianCandidate('6.12.9-1~bpo12+1'), sourceCandidate('6.1.99')];
    expect(await update(candidates)).toEqual({ document, changes: [], contradictions: [] });
  });

  test('takes the newest of several suites, by numbers and not by text', async () => {
    const result = await update([
      debianCandidate('6.1.180-1~deb11u1', 'bullseye-security'),
      debianCandidate('6.1.180-1', 'bookworm-security'),
      debianCandidate('6.1.99-1', 'bookworm'),
    ]);
    expect(result.changes.map(renderChange)).toEqual(['6.1 debian 6.1.176 -> 6.1.180 (bookworm-security)']);
    const { release, archive, version, snapshot, packages } = debianCandidate('6.1.180-1');
    expect(entryOf(result, '6.1')?.debian).toEqual({ release, archive, version, snapshot, packages });
    expect(entryOf(result, '6.12')).toEqual(document.kernels[1]);
  });

  test('lists versions for which only the package is newer', async () => {
    const { changes } = await update([debianCandidate('6.1.176-2')]);
    expect(changes.map(renderChange)).toEqual(['6.1 debian 6.1.176-1 -> 6.1.176-2 (trixie)']);
  });

  test('does not copy recipes or image from an older tarball', async () => {
    const result = await update([sourceCandidate('6.1.177'), sourceCandidate('6.1.180'), sourceCandidate('6.1.99')]);
    expect(result.changes.map(renderChange)).toEqual(['6.1 source 6.1.176 -> 6.1.180 (kernel.org v6.x)']);
    expect(entryOf(result, '6.1')?.source).toEqual({
      release: '6.1.180',
      url: 'https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.1.180.tar.xz',
      sha256: sum('b'),
      agreeing: ['kernel.org v6.x/sha256sums.asc, signature checked'],
    });
  });

  test('adds a missing origin', async () => {
    const { changes } = await update([sourceCandidate('6.12.3')]);
    expect(changes.map(renderChange)).toEqual(['6.12 source missing -> 6.12.3 (kernel.org v6.x)']);
  });

  test('adds minor versions newer than all pins, and none between or before', async () => {
    const result = await update([debianCandidate('6.6.1-1'), sourceCandidate('5.4.1'), debianCandidate('7.3.4-1')]);
    expect(result.changes.map(renderChange)).toEqual(['7.3 debian new -> 7.3.4 (trixie)']);
    expect(result.document.kernels.map(({ minor }) => minor)).toEqual(['6.1', '6.12', '7.3']);
    expect(entryOf(result, '7.3')).toMatchObject({ support: 'stable', source: { missing: expect.any(String) } });
  });

  test('considers only the chosen minor versions', async () => {
    const candidates = [debianCandidate('6.1.180-1'), debianCandidate('6.12.10-1'), debianCandidate('7.3.4-1')];
    const { changes } = await update(candidates, new Set(['6.12']));
    expect(changes.map(({ minor }) => minor)).toEqual(['6.12']);
  });

  test('reports an index that contradicts a pin', async () => {
    const { changes, contradictions } = await update([debianCandidate('6.1.176-1'), sourceCandidate('6.1.176')]);
    expect(changes).toEqual([]);
    expect(contradictions).toEqual([
      'trixie lists linux-image-6.1.176-amd64 with another SHA-256 than the one pinned',
      'kernel.org v6.x lists https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.1.176.tar.xz with another SHA-256 than the one pinned',
    ]);
    expect((await update([debianCandidate('6.1.176-1', 'trixie', 'a')])).contradictions).toEqual([]);
    const newer = await update([debianCandidate('6.1.176-1'), debianCandidate('6.1.180-1')]);
    expect([newer.changes.length, newer.contradictions.length]).toEqual([1, 1]);
  });
});

test('renderDocument writes kernels.json as it is formatted, so that a patch shows the pins alone', () => {
  const text = readFileSync(new URL('../../../kernels/kernels.json', import.meta.url), 'utf8');
  expect(renderDocument(JSON.parse(text))).toBe(text);
});

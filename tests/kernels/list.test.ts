import { describe, expect, test } from 'vitest';
import { type CacheState, listKernels, renderKernels } from '../../src/kernels/list.ts';
import { readMissing, readPins } from '../../src/kernels/pins.ts';
import { debianPin, sourcePin, sumOf, treeKernel } from './kernel-fixtures.ts';

const config = 'CONFIG_DEBUG_INFO_BTF=y\nCONFIG_BPF_EVENTS=y\n# CONFIG_FPROBE is not set\n';
const missing = [
  { minor: '5.8', origin: 'debian', reason: 'Debian ships none' },
  { minor: '7.2', origin: 'source', reason: 'no checksum was found' },
] as const;
const kernels = [
  sourcePin('5.8.18'),
  treeKernel('5.8.18', 'an image'),
  debianPin('6.1.176', { support: 'longterm' }),
  sourcePin('6.1.175', '6.1:source', {
    asset: { tag: 'kernels-1', name: 'image', sha256: sumOf('asset'), sizeBytes: 12_400_000 },
  }),
];
const states: Readonly<Record<string, CacheState>> = {
  '5.8:tree': { broken: true },
  '6.1': { broken: false, config },
};
const list = listKernels(kernels, missing, ({ id }) => states[id]);

test('shows kernels with their BPF features, and what is missing of their versions below', () => {
  expect(renderKernels(list)).toMatchInlineSnapshot(`
    "id          release  origin   size  support   cached  ring  stats  BTF  fen-  LSM  verif.  kprobe
                                                          buf   by fd       try        insns   multi
    5.8         5.8.18   source      -  eol       no       ✓      ✓    (✓)  (✓)   (✓)    -       -
    5.8:tree    5.8.18   tree        -  eol       broken   ✓      ✓    (✓)  (✓)   (✓)    -       -
    6.1         6.1.176  debian  57 MB  longterm  yes      ✓      ✓     ✓    -     -     ✓       -
    6.1:source  6.1.175  source  12 MB  eol       no       ✓      ✓    (✓)  (✓)   (✓)    ✓      (✓)

    (✓)  by its version alone; whether it is configured is seen once the kernel is in the cache

    not pinned:
      debian: Debian ships none:
        5.8
    "
  `);
});

describe('listKernels', () => {
  test('shows the size of all packages, or of a built image; a tarball has none', () => {
    const split = debianPin('7.2.12');
    const [file] = split.packages;
    if (file === undefined) throw new Error('no package');
    const packages = [
      { ...file, sizeBytes: 14 },
      { ...file, sizeBytes: 1 },
      { ...file, sizeBytes: 159 },
    ];
    const sizes = listKernels([{ ...split, packages }, ...kernels], [], () => undefined).kernels;
    expect(sizes.map(({ sizeBytes }) => sizeBytes)).toEqual([174, null, null, 57_000_000, 12_400_000]);
  });

  test("takes features from a cached kernel's configuration, or else from its version", () => {
    const features = Object.fromEntries(list.kernels.map((row) => [row.id, row.features]));
    expect(features['6.1']).toMatchObject({ btf: 'yes', cookie: 'yes', 'kprobe-multi': 'no', tcx: 'no' });
    expect(features['6.1:source']).toMatchObject({ btf: 'unknown', 'kprobe-multi': 'unknown', tcx: 'no' });
  });

  test('leaves out what is missing of versions that are not shown', () => {
    expect(list.missing).toEqual([missing[0]]);
  });
});

test('the table of all pins fits 100 columns, cached or not', () => {
  for (const state of [undefined, { broken: false, config }, { broken: true }]) {
    const text = renderKernels(listKernels(readPins(), readMissing(), () => state));
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
  }
});

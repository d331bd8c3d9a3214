import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { describeLeftOut, selectKernels } from '../../src/kernels/select.ts';
import type { KernelPin } from '../../src/model/kernel.ts';
import { debianPin, sourcePin, treeKernel } from './kernel-fixtures.ts';

const longterm = { support: 'longterm' } as const;
const known: readonly KernelPin[] = [
  sourcePin('5.8.18'),
  treeKernel('5.8.18', 'an image'),
  sourcePin('5.10.260', '5.10:source', longterm),
  debianPin('5.10.262', longterm),
  sourcePin('5.15.210', '5.15', longterm),
  debianPin('6.1.176', longterm),
  sourcePin('6.1.176', '6.1:source', longterm),
  debianPin('6.12.107', longterm),
  debianPin('6.16.12'),
  debianPin('7.2.12', { support: 'stable' }),
];
const missing = [
  { minor: '5.8', origin: 'debian', reason: 'Debian ships none' },
  { minor: '7.0', origin: 'debian', reason: 'half of it is gone' },
  { minor: '7.0', origin: 'source', reason: 'no checksum was found' },
  { minor: '7.2', origin: 'source', reason: 'no checksum was found' },
] as const;
const select = (...selectors: string[]) => selectKernels(selectors, known, missing).map(({ id }) => id);

describe('selectKernels', () => {
  test.each([
    [['6.1'], ['6.1']],
    [['6.1:debian'], ['6.1']],
    [['6.1:source'], ['6.1:source']],
    [['5.8:source'], ['5.8']],
    [['5.8:tree'], ['5.8:tree']],
    [['5.10..6.1'], ['5.10', '5.15', '6.1']],
    [['5.9..6.12'], ['5.10', '5.15', '6.1', '6.12']],
    [['6.1..6.1'], ['6.1']],
    [['lts'], ['5.10', '6.1', '6.12']],
    [
      ['lts', '5.15'],
      ['5.10', '5.15', '6.1', '6.12'],
    ],
    [['latest'], ['7.2']],
    [['all'], ['5.8', '5.10', '5.15', '6.1', '6.12', '6.16', '7.2']],
    [['6.12, 5.10'], ['5.10', '6.12']],
    [
      ['6.12', '5.10,6.12.107', '6.12'],
      ['5.10', '6.12'],
    ],
    [['6.1:source,6.1,6.1:debian'], ['6.1', '6.1:source']],
    [
      ['latest', '5.8:tree', '5.8'],
      ['5.8', '5.8:tree', '7.2'],
    ],
  ])('%o selects %o', (selectors, expected) => {
    expect(select(...selectors)).toEqual(expected);
  });

  test('a release of both origins is the default one, and a release from source only is that', () => {
    expect(select('6.1.176')).toEqual(['6.1']);
    expect(select('5.10.262')).toEqual(['5.10']);
    expect(select('5.10.260')).toEqual(['5.10:source']);
  });

  test('a tree is never selected by its release, because it may have been changed', () => {
    const onlyTree = [treeKernel('5.9.1', 'an image'), debianPin('6.1.176')];
    expect(() => selectKernels(['5.9.1'], onlyTree)).toThrow('no pinned kernel matches "5.9.1"');
    expect(selectKernels(['all'], onlyTree).map(({ id }) => id)).toEqual(['6.1']);
  });

  test('the selection does not depend on the order of the pins', () => {
    const reversed = known.toReversed();
    const ids = (selector: string) => selectKernels([selector], reversed).map(({ id }) => id);
    expect(ids('latest')).toEqual(['7.2']);
    expect(ids('6.1.176')).toEqual(['6.1']);
    expect(ids('all')).toEqual(select('all'));
  });

  test.each([
    [['5.4'], 'no pinned kernel matches "5.4"'],
    [['6.1.1'], 'no pinned kernel matches "6.1.1"'],
    [['6.12:source'], 'no pinned kernel matches "6.12:source"'],
    [['6.1', 'newest'], 'unknown kernel selector "newest"'],
    [['6'], 'unknown kernel selector "6"'],
    [['6.1:fedora'], 'unknown kernel selector "6.1:fedora"'],
    [['6.1.176:source'], 'unknown kernel selector "6.1.176:source"'],
    [['5.16..5.19'], 'no pinned kernel matches "5.16..5.19"'],
    [['6.1..'], 'malformed kernel range "6.1..", both ends must be minor versions'],
    [['6.1.1..6.12'], 'malformed kernel range "6.1.1..6.12", both ends must be minor versions'],
    [['6.12..6.1'], 'malformed kernel range "6.12..6.1", 6.12 is newer than 6.1'],
    [['6.1,,6.12'], 'empty kernel selector in "6.1,,6.12"'],
    [[], 'no kernel is selected'],
    [[' ,'], 'no kernel is selected'],
    [['7.0'], 'kernel "7.0" is not pinned; debian: half of it is gone; source: no checksum was found'],
    [['7.2:source'], 'kernel "7.2:source" is not pinned; source: no checksum was found'],
    [['6.1:tree'], 'no kernel of 6.1 that was built from a tree is in the cache'],
  ])('%o is refused', (selectors, expected) => {
    expect(() => select(...selectors)).toThrow(InputError);
    expect(() => select(...selectors)).toThrow(expected);
  });

  test('with one origin missing, the hint names the available one', () => {
    const refusal = (selector: string): unknown => {
      try {
        return select(selector);
      } catch (error) {
        return error;
      }
    };
    expect(refusal('5.8:debian')).toMatchObject({ hint: 'of 5.8 there is "5.8", "5.8:tree"' });
  });

  test('a refusal names what is allowed, what is pinned, and the nearest match', () => {
    expect(() => select('x')).toThrow(/allowed: "6\.1", .*"lts", "latest", "all".*; pinned: 5\.8 to \d\.\d+$/);
    for (const [selector, nearest] of [
      ['6.11', '6.12'],
      ['6.71', '6.16'],
      ['5.4', '5.8'],
      ['9.9', '7.2'],
      ['6.1.1', '6.1'],
    ] as const) {
      const message = `no pinned kernel matches "${selector}"; did you mean \`${nearest}\`?; allowed: `;
      expect(() => select(selector)).toThrow(message);
    }
  });

  test('a version that YAML has read as a number is recognized', () => {
    expect(() => select('5.1')).toThrow(
      'no pinned kernel matches "5.1"; did you mean `5.10`, which YAML reads as 5.1 without quotes?; allowed: ',
    );
  });
});

describe('kernels of lts without a ready-made image', () => {
  const built = { tag: 'kernels-1', name: 'linux-5.15.tar.xz', sha256: '0'.repeat(64), sizeBytes: 1 };

  test('are left out, with one line that names them and how to include them', () => {
    expect(describeLeftOut(['lts,5.8'], known, '--kernels')).toBe(
      'lts leaves out kernel 5.15: it has no ready-made image and would be compiled; to include: --kernels lts,5.8,5.15',
    );
    const more = [...known, sourcePin('6.6.1', '6.6', longterm)];
    expect(describeLeftOut(['lts'], more, 'bpfgate kernels fetch')).toContain('kernels 5.15 and 6.6: they have');
    expect(select('lts,5.8,5.15')).toEqual(['5.8', '5.10', '5.15', '6.1', '6.12']);
  });

  test.each([[['all']], [['lts', '5.15']], [['6.1']]])('do not exist in %o', (selectors) => {
    expect(describeLeftOut(selectors, known, '--kernels')).toBeUndefined();
  });

  test('are selected once a release has their image', () => {
    const released = [debianPin('6.1.176', longterm), sourcePin('5.15.210', '5.15', { ...longterm, asset: built })];
    expect(selectKernels(['lts'], released).map(({ id }) => id)).toEqual(['5.15', '6.1']);
    expect(describeLeftOut(['lts'], released, '--kernels')).toBeUndefined();
  });

  test('and nothing else: the refusal names what can be compiled', () => {
    const onlySource = [sourcePin('5.15.210', '5.15', longterm), sourcePin('6.6.1', '6.6', longterm)];
    expect(() => selectKernels(['lts'], onlySource)).toThrow('no kernel of "lts" has a ready-made image');
  });
});

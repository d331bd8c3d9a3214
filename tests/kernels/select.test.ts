import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/errors.ts';
import type { KernelPin } from '../../src/kernels/kernel.ts';
import { selectKernels } from '../../src/kernels/select.ts';

const pin = (release: string): KernelPin => ({
  id: release.split('.').slice(0, 2).join('.'),
  release,
  origin: 'debian',
  debian: { archive: 'debian', package: '', version: '', poolPath: '', snapshot: '' },
  sha256: '',
  sizeBytes: 0,
});
const pins = ['5.10.262', '6.1.176', '6.12.107', '6.16.12', '6.17.13', '6.18.15'].map(pin);
const select = (...selectors: string[]) => selectKernels(selectors, pins).map(({ id }) => id);

describe('selectKernels', () => {
  test.each([
    [['6.1'], ['6.1']],
    [['6.1.176'], ['6.1']],
    [['5.10..6.1'], ['5.10', '6.1']],
    [['5.8..6.12'], ['5.10', '6.1', '6.12']],
    [['6.1..6.1'], ['6.1']],
    [['lts'], ['5.10', '6.1', '6.12', '6.18']],
    [['latest'], ['6.18']],
    [['all'], ['5.10', '6.1', '6.12', '6.16', '6.17', '6.18']],
    [['6.12, 5.10'], ['5.10', '6.12']],
    [
      ['6.12', '5.10,6.12.107', '6.12'],
      ['5.10', '6.12'],
    ],
    [
      ['latest', 'lts'],
      ['5.10', '6.1', '6.12', '6.18'],
    ],
  ])('%o selects %o', (selectors, expected) => {
    expect(select(...selectors)).toEqual(expected);
  });

  test('the newest is selected whatever the order of the pins', () => {
    expect(selectKernels(['latest'], pins.toReversed()).map(({ id }) => id)).toEqual(['6.18']);
  });

  test.each([
    [['5.4'], 'no pinned kernel matches "5.4"'],
    [['6.1.1'], 'no pinned kernel matches "6.1.1"'],
    [['6.1', 'newest'], 'unknown kernel selector "newest"'],
    [['6'], 'unknown kernel selector "6"'],
    [['5.11..5.19'], 'no pinned kernel matches "5.11..5.19"'],
    [['6.1..'], 'malformed kernel range "6.1..", both ends must be minor versions'],
    [['6.1.1..6.12'], 'malformed kernel range "6.1.1..6.12", both ends must be minor versions'],
    [['6.12..6.1'], 'malformed kernel range "6.12..6.1", 6.12 is newer than 6.1'],
    [['6.1,,6.12'], 'empty kernel selector in "6.1,,6.12"'],
    [[], 'no kernel is selected'],
    [[' ,'], 'no kernel is selected'],
  ])('%o is refused', (selectors, expected) => {
    expect(() => select(...selectors)).toThrow(InputError);
    expect(() => select(...selectors)).toThrow(expected);
  });

  test('a refusal tells what is allowed and what is pinned', () => {
    expect(() => select('x')).toThrow(/allowed: "6\.1", .*"lts", "latest", "all".*; pinned: 5\.10\.262, 6\.1\.176, /);
  });
});

import { expect, test } from 'vitest';
import { diffFingerprints } from '../../src/compare/fingerprint.ts';

test('equal fingerprints do not differ, in any order of parts', () => {
  expect(diffFingerprints({ qemu: '7.2', cpu: 'x' }, { cpu: 'x', qemu: '7.2' })).toEqual([]);
});

test('each part that differs is named with both values, and no others', () => {
  const differences = diffFingerprints({ cpu: 'x', qemu: '7.2.22', rustc: '1.91' }, { cpu: 'x', qemu: '10.0.2' });
  expect(differences).toEqual([
    { part: 'qemu', a: '7.2.22', b: '10.0.2' },
    { part: 'rustc', a: '1.91', b: null },
  ]);
});

test('a part with the name of an inherited property is a part like any other', () => {
  expect(diffFingerprints({ toString: 'x' } as unknown as Record<string, string>, {})).toEqual([
    { part: 'toString', a: 'x', b: null },
  ]);
});

import { expect, test } from 'vitest';
import { requireEqualFingerprints } from '../../src/compare/fingerprint.ts';
import { InputError } from '../../src/errors.ts';

test('equal fingerprints pass, in any order of parts', () => {
  expect(() => requireEqualFingerprints({ qemu: '7.2', cpu: 'x' }, { cpu: 'x', qemu: '7.2' })).not.toThrow();
});

test('each part that differs is named with both values, and no other', () => {
  const compare = () =>
    requireEqualFingerprints({ cpu: 'x', qemu: '7.2.22', rustc: '1.91' }, { cpu: 'x', qemu: '10.0.2' }, [
      'a.json',
      'b.json',
    ]);
  expect(compare).toThrow(InputError);
  expect(compare).toThrow(
    'cannot compare a.json with b.json: qemu is `7.2.22` in a.json and `10.0.2` in b.json; ' +
      'rustc is `1.91` in a.json and missing in b.json',
  );
});

test('a part named like an inherited property is a part like any other', () => {
  expect(() => requireEqualFingerprints({ toString: 'x' } as unknown as Record<string, string>, {})).toThrow(
    'toString is `x` in base and missing in head',
  );
});

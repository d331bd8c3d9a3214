import { describe, expect, test } from 'vitest';
import { findVersion, isAdequate, isAtLeast } from '../../src/prerequisites/versions.ts';

describe('findVersion', () => {
  test.each([
    ['QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)\nCopyright (c) 2003-2022', '7.2.22'],
    ['QEMU Guest Agent 8.2.2', '8.2.2'],
    ['BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.', '1.35.0'],
    ['*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***', '1.5.4'],
    ['cpio (GNU cpio) 2.13', '2.13'],
    ['GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)', '5.2.15'],
    ['vmtest 0.18.0', '0.18.0'],
    ['rustc 1.97.0-nightly (abc 2026-04-14)', '1.97.0'],
    ['kmod version 30', undefined],
    ['', undefined],
  ])('%j', (output, expected) => {
    expect(findVersion(output)).toBe(expected);
  });
});

test.each([
  ['1.95.0', '1.87', true],
  ['1.87.0', '1.87', true],
  ['1.87', '1.87.0', true],
  ['1.86.9', '1.87', false],
  ['2.0', '1.87', true],
  ['1.9.0', '1.87', false],
])('%s is at least %s: %s', (version, minimum, expected) => {
  expect(isAtLeast(version, minimum)).toBe(expected);
});

test.each([
  ['0.18.0', '0.18.0', true],
  ['0.18.3', '0.18.0', true],
  ['0.19.0', '0.18.0', false],
  ['0.17.9', '0.18.0', false],
  ['1.1.0', '1.1.1', false],
])('%s can stand in for %s: %s', (version, pinned, expected) => {
  expect(isAdequate(version, pinned)).toBe(expected);
});

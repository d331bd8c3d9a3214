import { expect, test } from 'vitest';
import { clipMiddle } from '../../src/common/clip-middle.ts';

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdefg', 6, 'abc…fg'],
  ['abcdefghijklmnop', 6, 'abc…op'],
  ['ab', 1, '…'],
  // Surrogate pairs stay whole, at both ends.
  ['😀😁😂😃', 4, '😀😁😂😃'],
  ['😀😁😂😃😄😅😆😇😈😉', 4, '😀😁…😉'],
])('%j is clipped to %i characters', (text, max, clipped) => {
  expect(clipMiddle(text, max)).toBe(clipped);
});

test('a text of 60 MiB is clipped without copying it', { tags: ['hostile'] }, () => {
  const before = process.memoryUsage().heapUsed;
  expect(clipMiddle('x'.repeat(60 * 2 ** 20), 10)).toBe('xxxxx…xxxx');
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 2 ** 20);
});

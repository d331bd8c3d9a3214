import { expect, test } from 'vitest';
import { parseLimit } from '../../src/inputs/limit.ts';

test.each([
  ['0%', 0],
  ['0.5%', 0.005],
  ['0.7%', 0.007],
  ['5%', 0.05],
  ['5 %', 0.05],
  ['100%', 1],
  ['off', 'off'],
  ['', null],
  ['%', null],
  ['5', null],
  ['-1%', null],
  ['1e3%', null],
  ['.5%', null],
  [`1${'0'.repeat(311)}%`, null],
  ['Off', null],
])('%j is %j', (text, limit) => {
  expect(parseLimit(text)).toBe(limit);
});

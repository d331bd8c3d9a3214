import { expect, test } from 'vitest';
import { parseDuration } from '../../src/inputs/duration.ts';

test.each([
  ['90 s', 90_000],
  ['10min', 600_000],
  ['2 h', 7_200_000],
  ['0 s', null],
  ['10', null],
  ['-1 s', null],
  ['1.5 h', null],
  ['10 minutes', null],
  ['1000000 s', null],
  ['', null],
])('%j is %j ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

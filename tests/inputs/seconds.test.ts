import { expect, test } from 'vitest';
import { parseSeconds } from '../../src/inputs/seconds.ts';

test.each(['1', '1800', '86400'])('%s is a time limit', (text) => {
  expect(parseSeconds(text, '--timeout')).toBe(Number(text));
});

test.each(['0', '-1', '1.5', '86401', '30 min', '1e3', ' 5', ''])('%j is no time limit', (text) => {
  expect(() => parseSeconds(text, 'input timeout')).toThrow(
    `input timeout: \`${text}\` is no time limit; allowed: whole seconds from 1 to 86400 (a day)`,
  );
});

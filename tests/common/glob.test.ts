import { expect, test } from 'vitest';
import { matchesGlob } from '../../src/common/glob.ts';

test.each([
  ['profiler/*', 'profiler/a/b', true],
  ['profiler/*', 'profiler/', true],
  ['profiler/*', 'my/profiler/a', false],
  ['*', '', true],
  ['*/fun_xdp*', 'macro/fun_xdp #2', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['ab*ba', 'aba', false],
  ['a*a', 'a', false],
  ['5.8', '5x8', false],
  ['fun_xdp', 'fun_xdp', true],
  ['fun_xdp', 'fun_xdp2', false],
  ['**x', 'aax', true],
  ['(a+)+$[', '(a+)+$[', true],
])('%s against %s is %s', (glob, text, expected) => {
  expect(matchesGlob(glob, text)).toBe(expected);
});

test('a glob with many stars is matched at once', () => {
  expect(matchesGlob(`${'*a'.repeat(200)}b`, 'a'.repeat(20_000))).toBe(false);
});

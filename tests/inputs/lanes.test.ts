import { expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { parseLanes } from '../../src/inputs/lanes.ts';

test('reads a comma-separated list once each', () => {
  expect(parseLanes('verifier, instructions, verifier,', '--lanes')).toEqual(['verifier', 'instructions']);
});

test.each([
  ['instructons', '--lanes: unknown lane `instructons`; allowed: instructions, verifier; did you mean `instructions`?'],
  ['time', '--lanes: unknown lane `time`; allowed: instructions, verifier; times are no longer measured: remove it'],
  [' , ', '--lanes: no lane; allowed: instructions, verifier'],
])('refuses %j', (text, message) => {
  expect(() => parseLanes(text, '--lanes')).toThrow(new InputError(message));
});

import { expect, test } from 'vitest';
import { InputError } from '../../src/errors.ts';
import { parseLanes } from '../../src/inputs/lanes.ts';

test('reads a comma-separated list once each', () => {
  expect(parseLanes('instructions, instructions,', '--lanes')).toEqual(['instructions']);
});

test.each([
  ['time', '--lanes: lane `time` is not available in this version; allowed: instructions, verifier'],
  ['instructons', '--lanes: unknown lane `instructons`; allowed: instructions, verifier; did you mean `instructions`?'],
  [' , ', '--lanes: no lane; allowed: instructions, verifier'],
])('refuses %j', (text, message) => {
  expect(() => parseLanes(text, '--lanes')).toThrow(new InputError(message));
});

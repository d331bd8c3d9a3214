import { expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { parseLanes } from '../../src/inputs/lanes.ts';

test('reads a comma-separated list once each', () => {
  expect(parseLanes('time, instructions, time,', '--lanes')).toEqual(['time', 'instructions']);
});

test.each([
  [
    'instructons',
    '--lanes: unknown lane `instructons`; allowed: instructions, verifier, time; did you mean `instructions`?',
  ],
  [' , ', '--lanes: no lane; allowed: instructions, verifier, time'],
])('refuses %j', (text, message) => {
  expect(() => parseLanes(text, '--lanes')).toThrow(new InputError(message));
});

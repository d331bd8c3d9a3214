import { expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { chooseBenches } from '../../src/inputs/choose-benches.ts';

const benches = [{ name: 'micro' }, { name: 'macro' }, { name: 'heap' }];

test('reads names of benches', () => {
  expect(chooseBenches(benches, 'macro, micro', '--bench')).toEqual(['macro', 'micro']);
});

test.each([
  [benches, 'macros', '--bench: there is no bench `macros`; did you mean `macro`?', 'name one of micro, macro, heap'],
  [benches, 'heap,', '--bench: there is no bench ``', 'name one of micro, macro, heap'],
  [[], 'heap', '--bench: there is no bench `heap`', 'leave it out: the project has no bench'],
])('of %j `%s` is an error', (known, text, message, hint) => {
  expect(() => chooseBenches(known, text, '--bench')).toThrow(
    expect.objectContaining({ constructor: InputError, message, hint }),
  );
});

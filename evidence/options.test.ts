import { describe, expect, test } from 'vitest';
import { InputError } from '../src/common/errors.ts';
import { commandOf, readPositive, withoutPaths } from './options.ts';

test('a number that is not whole or not above 0 is refused with its name', () => {
  expect(readPositive('rounds', '5')).toBe(5);
  for (const text of ['0', '-1', '1.5', 'many']) {
    expect(() => readPositive('rounds', text)).toThrow(
      new InputError(`--rounds ${text}: a whole number above 0 is needed`),
    );
  }
});

describe('commandOf', () => {
  const defaults = { kernels: '6.1', rounds: '5' };

  test('leaves out what is the default', () => {
    expect(commandOf('bench:boot', defaults, defaults)).toBe('npm run bench:boot');
    expect(commandOf('bench:boot', { kernels: '5.10', rounds: '5' }, defaults)).toBe(
      'npm run bench:boot -- --kernels 5.10',
    );
    expect(commandOf('x', { budget: '1 min' }, { budget: '25 s' })).toBe("npm run x -- --budget '1 min'");
  });
});

test("the machine's folders are removed from a message, the innermost first", () => {
  expect(withoutPaths('cannot read /home/x/cache/a and /home/x/b', ['/home/x', '/home/x/cache', '/'])).toBe(
    'cannot read …/a and …/b',
  );
});

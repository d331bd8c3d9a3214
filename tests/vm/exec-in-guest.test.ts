import { expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { requireCommand } from '../../src/vm/exec-in-guest.ts';

test.each([
  ['ls | head', "have a shell run it: bpfgate exec --kernel 6.1 -- sh -c 'ls | head'"],
  ["echo it's", "have a shell run it: bpfgate exec --kernel 6.1 -- sh -c 'echo it'\\''s'"],
  ['', undefined],
  ['uname', undefined],
  ['./bench_x-1.2', undefined],
])('the single word `%s` is refused', (word, hint) => {
  const check = () => requireCommand([word], '6.1');
  if (hint === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ constructor: InputError, hint }));
});

test('arguments are passed unchanged', () => {
  expect(() => requireCommand(['sh', '-c', 'ls | head'], '6.1')).not.toThrow();
});

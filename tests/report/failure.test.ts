import { expect, test } from 'vitest';
import { BenchError, BuildError, InputError, VmError } from '../../src/common/errors.ts';
import { describeFailure, maxFailure, parseFailure, serializeFailure, toError } from '../../src/report/failure.ts';

test.each([
  [new BuildError('make exited with 2', { hint: 'fix it' }), 'build'],
  [new InputError('no such key'), 'input'],
  [new BenchError('it printed nothing', { bench: { name: 'x', revision: null } }), 'bench'],
  [new VmError('it hung', { consoleTail: ['[    1.2] booting'] }), 'vm'],
])('%s is read back unchanged', (error, kind) => {
  const failure = parseFailure(serializeFailure(describeFailure(error, ['6.1'])), 'error.json');
  const consoleTail = error instanceof VmError ? error.consoleTail : [];
  const benches = error.bench === undefined ? [] : [error.bench];
  const { message, hint = null } = error;
  expect(failure).toEqual({ kernels: ['6.1'], kind, message, hint, consoleTail, benches });
  const again = toError([failure]);
  expect(again).toBeInstanceOf(error.constructor);
  expect(again.message).toBe(`6.1: ${error.message}`);
  expect(again.bench).toEqual(error.bench);
  if (again instanceof VmError) expect(again.consoleTail).toEqual(consoleTail);
});

test('the end of a console is kept, within the length limit', () => {
  const error = new VmError('\0'.repeat(20_000), {
    hint: '\0'.repeat(20_000),
    consoleTail: [...Array(100).fill('\0'.repeat(1000)), 'the end'],
  });
  const text = serializeFailure(describeFailure(error, []));
  expect(Buffer.byteLength(text)).toBeLessThan(maxFailure);
  expect(parseFailure(text, 'error.json').consoleTail.at(-1)).toBe('the end');
});

test('the first line and the end of a long compiler error are kept, within the length limit', () => {
  const error = new BuildError(`the build exited with 1\n${'x\u{1f980}'.repeat(1_000_000)}\nthe end`);
  const text = serializeFailure(describeFailure(error, []));
  expect(Buffer.byteLength(text)).toBeLessThan(maxFailure);
  expect(parseFailure(text, 'error.json').message).toMatch(/^the build exited with 1\n…(.|\n)*\nthe end$/u);
});

test.each([
  '',
  '{}',
  '[]',
  '{"schema":"bpfgate.error/1"}',
  `{"schema":"bpfgate.error/1","kernels":[],"kind":"constructor","message":"","hint":null,"consoleTail":[]}`,
])('%s is refused', (text) =>
  expect(() => parseFailure(text, 'x/error.json')).toThrow(/^`x\/error\.json` is not what bpfgate writes/),
);

import { expect, test } from 'vitest';
import { MachineError, machineFailure } from '../../src/common/errors.ts';

const systemError = (code: string) => Object.assign(new Error(`${code}: it failed, write`), { code });

test.each([
  ['ENOSPC', /free space/],
  ['EDQUOT', /quota/],
  ['EROFS', /that can be written/],
  ['EIO', /check the disk/],
  ['EMFILE', /ulimit -n/],
  ['ENFILE', /fs\.file-max/],
])('%s is a machine error, with the next step', (code, hint) => {
  const cause = systemError(code);
  const failure = machineFailure(cause);
  expect(failure).toBeInstanceOf(MachineError);
  expect(failure?.message).toBe(cause.message);
  expect(failure?.hint).toMatch(hint);
  expect(failure?.exitCode).toBe(3);
});

test.each([systemError('ENOENT'), new Error('a defect'), 'ENOSPC', undefined, { code: 'ENOSPC' }])(
  'any other error, or none, is not: %s',
  (error) => {
    expect(machineFailure(error)).toBeUndefined();
  },
);

import { expect, test } from 'vitest';
import { VmError } from '../../src/common/errors.ts';
import { type LeftOut, LostProgramError, leaveOutLost, ObjectWatch } from '../../src/vm/lost-programs.ts';

const minute = 60_000;

/** Returns the error of a guest that leaves these records, and then nothing for some time. */
function stalledAfter(records: Parameters<ObjectWatch['see']>[0][], minutes: number) {
  let now = 0;
  const watch = new ObjectWatch(() => now);
  for (const record of records) watch.see(record);
  now = minutes * minute + 1;
  return watch.stalled();
}

const loading = { record: 'loading', object: 'a' };
const load = (program: string, runs: boolean) => ({ record: 'load', object: 'a', program, runs });

test.each([
  ['before the object is read', [loading], 10, { kind: 'read' }, 'making its maps within 10 min'],
  [
    'at the first program',
    [loading, { record: 'object' }],
    10,
    { kind: 'load', number: 0 },
    'loading it within 10 min',
  ],
  ['at the next program', [loading, load('x', false)], 10, { kind: 'load', number: 1 }, 'loading it within 10 min'],
  ['in a run', [loading, load('x', true)], 4, { kind: 'run', program: 'x' }, 'running it within 4 min'],
  ['after a run', [loading, load('x', true), { record: 'inputs' }], 10, { kind: 'load', number: 1 }, 'loading it'],
  ['when attached', [loading, { record: 'attaching' }], 10, { kind: 'attached' }, 'attached programs within 10 min'],
])('a guest stalls %s', (_, records, minutes, step, message) => {
  expect(stalledAfter(records, minutes - 0.1)).toBeUndefined();
  const error = stalledAfter(records, minutes);
  expect(error).toMatchObject({ object: 'a', step });
  expect(error?.message).toContain(message);
});

test.each(['calibration', 'progress'])('after a record of %s no program can stall or be lost', (record) => {
  const watch = new ObjectWatch(() => 0);
  watch.see(loading);
  watch.see({ record });
  expect(watch.lost(new VmError('panicked'))).toBeUndefined();
  expect(stalledAfter([loading, { record }], 60)).toBeUndefined();
});

test('a guest that dies is lost at its step, with its console', () => {
  const watch = new ObjectWatch();
  for (const record of [loading, load('x', true)]) watch.see(record);
  expect(watch.lost(new VmError('it panicked', { consoleTail: ['oops'], hint: 'look' }))).toMatchObject({
    message: 'the guest was lost while running it: it panicked',
    consoleTail: ['oops'],
    hint: 'look',
  });
});

test('each step that is lost is left out, with its reason, and the rest is tried again', async () => {
  const losses = [
    new LostProgramError('a', { kind: 'run', program: 'x' }, 'x hangs'),
    new LostProgramError('a', { kind: 'load', number: 3 }, '3 hangs'),
    new LostProgramError('b', { kind: 'read' }, 'b hangs'),
    new LostProgramError('a', { kind: 'attached' }, 'a hangs'),
  ];
  const said: string[] = [];
  const result = await leaveOutLost(
    async (leftOut) => {
      const next = losses.shift();
      if (next !== undefined) throw next;
      return Object.fromEntries(leftOut);
    },
    ({ message }) => said.push(message),
  );
  expect(result).toEqual({
    a: { loads: { 3: '3 hangs' }, runs: { x: 'x hangs' }, attached: 'a hangs' },
    b: { loads: {}, runs: {}, whole: 'b hangs' },
  });
  expect(said).toEqual(['x hangs', '3 hangs', 'b hangs', 'a hangs']);
});

test('an object that costs eight guests is left out, and fails if that does not help', async () => {
  const tried: (LeftOut | undefined)[] = [];
  const run = leaveOutLost(async (leftOut) => {
    tried.push(leftOut.get('a'));
    throw new LostProgramError('a', { kind: 'load', number: tried.length }, 'hangs');
  });
  await expect(run).rejects.toThrow('hangs');
  expect(tried).toHaveLength(9);
  expect(tried.findIndex((each) => each?.whole !== undefined)).toBe(8);
});

test('an object whose step is lost although it was left out is left out whole', async () => {
  const tried: (LeftOut | undefined)[] = [];
  const result = leaveOutLost(async (leftOut) => {
    tried.push(leftOut.get('a'));
    if (tried.length < 3) throw new LostProgramError('a', { kind: 'load', number: 1 }, 'hangs');
    return 'counted';
  });
  expect(await result).toBe('counted');
  expect(tried.map((each) => each?.whole)).toEqual([undefined, undefined, 'hangs']);
});

test('another error ends it', async () => {
  await expect(leaveOutLost(() => Promise.reject(new VmError('panicked')))).rejects.toThrow('panicked');
});

import { expect, test } from 'vitest';
import { VmError } from '../../src/common/errors.ts';
import { LoadWatch, leaveOutStalled, StalledLoadError } from '../../src/vm/stalled-loads.ts';

test('a load has stalled after the time without any record', () => {
  let now = 0;
  const watch = new LoadWatch(100, () => now);
  watch.see({ record: 'loading', object: 'a' });
  watch.see({ record: 'loading', object: 'b' });
  now = 60;
  watch.see({ record: 'load', object: 'b' });
  now = 160;
  expect(watch.stalled()).toBeUndefined();
  now = 161;
  expect(watch.stalled()).toEqual({ object: 'b', isRun: false });
  watch.see({ record: 'load', object: 'b', runs: true });
  now = 262;
  expect(watch.stalled()).toEqual({ object: 'b', isRun: true });
});

test('what stalls after it is attached is a run, as on an input', () => {
  let now = 0;
  const watch = new LoadWatch(100, () => now);
  watch.see({ record: 'loading', object: 'a' });
  watch.see({ record: 'attaching', object: 'a' });
  now = 101;
  expect(watch.stalled()).toEqual({ object: 'a', isRun: true });
  watch.see({ record: 'loading', object: 'b' });
  now = 202;
  expect(watch.stalled()).toEqual({ object: 'b', isRun: false });
});

test.each(['calibration', 'progress'])('after a record of %s no load can stall', (record) => {
  let now = 0;
  const watch = new LoadWatch(100, () => now);
  watch.see({ record: 'loading', object: 'a' });
  watch.see({ record });
  now = 1000;
  expect(watch.stalled()).toBeUndefined();
});

test('what stalls is left out, one after the other; what stalls on packets is not run', async () => {
  const tried: (readonly string[])[] = [];
  const { result, stalled } = await leaveOutStalled(async ({ loads, runs }) => {
    tried.push([...loads, ...[...runs].map((name) => `run of ${name}`)]);
    if (!runs.has('a')) throw new StalledLoadError({ object: 'a', isRun: true }, 'too slow');
    if (!loads.has('a')) throw new StalledLoadError({ object: 'a', isRun: false }, 'too slow');
    if (!loads.has('b')) throw new StalledLoadError({ object: 'b', isRun: false }, 'too slow');
    return 'counted';
  });
  expect(result).toBe('counted');
  expect(stalled.map(({ object }) => object)).toEqual(['a', 'a', 'b']);
  expect(tried).toEqual([[], ['run of a'], ['a', 'run of a'], ['a', 'b', 'run of a']]);
});

test('another error ends it', async () => {
  await expect(leaveOutStalled(() => Promise.reject(new VmError('panicked')))).rejects.toThrow('panicked');
});

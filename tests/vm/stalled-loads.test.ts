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
  expect(watch.stalled()).toBe('b');
});

test.each(['calibration', 'progress'])('after a record of %s no load can stall', (record) => {
  let now = 0;
  const watch = new LoadWatch(100, () => now);
  watch.see({ record: 'loading', object: 'a' });
  watch.see({ record });
  now = 1000;
  expect(watch.stalled()).toBeUndefined();
});

test('what stalls is left out, one after the other', async () => {
  const runs: string[][] = [];
  const { result, stalled } = await leaveOutStalled(async (leftOut) => {
    runs.push([...leftOut]);
    const next = ['a', 'b'].find((name) => !leftOut.has(name));
    if (next !== undefined) throw new StalledLoadError(next, 'too slow');
    return 'counted';
  });
  expect(result).toBe('counted');
  expect(stalled.map(({ object }) => object)).toEqual(['a', 'b']);
  expect(runs).toEqual([[], ['a'], ['a', 'b']]);
});

test('another error ends it', async () => {
  await expect(leaveOutStalled(() => Promise.reject(new VmError('panicked')))).rejects.toThrow('panicked');
});

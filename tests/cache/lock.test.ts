import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from '../../src/cache/lock.ts';

const log = { progress: () => {}, warn: () => {} };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('one holder at a time, whatever a dead one left in the file', async () => {
  const path = join(folder, 'lock');
  writeFileSync(path, '999999');
  let holders = 0;
  let most = 0;
  const work = async () => {
    holders += 1;
    most = Math.max(most, holders);
    await new Promise((resolve) => setImmediate(resolve));
    holders -= 1;
  };
  await Promise.all(Array.from({ length: 8 }, () => withLock(path, { log, waiting: 'waiting' }, work)));
  expect(most).toBe(1);
});

test('is given back when the work fails', async () => {
  const path = join(folder, 'lock');
  await expect(withLock(path, { log, waiting: 'waiting' }, () => Promise.reject(new Error('no')))).rejects.toThrow(
    'no',
  );
  expect(await withLock(path, { log, waiting: 'waiting' }, async () => 'held')).toBe('held');
});

test('waiting for it ends when the run is interrupted', async () => {
  const path = join(folder, 'lock');
  const interruption = new AbortController();
  await withLock(path, { log, waiting: 'waiting' }, async () => {
    const waiting = withLock(path, { log, waiting: 'waiting', signal: interruption.signal }, async () => 'never');
    interruption.abort(new Error('interrupted'));
    await expect(waiting).rejects.toThrow('interrupted');
  });
});

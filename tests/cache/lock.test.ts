import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isLocked, shareLock, withLock } from '../../src/cache/lock.ts';

const log = { progress: () => {}, warn: () => {} };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a lock has one holder at a time, whatever a dead process left in the file', async () => {
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

test('a lock is released if the work fails', async () => {
  const path = join(folder, 'lock');
  await expect(withLock(path, { log, waiting: 'waiting' }, () => Promise.reject(new Error('no')))).rejects.toThrow(
    'no',
  );
  expect(await withLock(path, { log, waiting: 'waiting' }, async () => 'held')).toBe('held');
});

test('waiting for a lock ends if the run is interrupted', async () => {
  const path = join(folder, 'lock');
  const interruption = new AbortController();
  await withLock(path, { log, waiting: 'waiting' }, async () => {
    const waiting = withLock(path, { log, waiting: 'waiting', signal: interruption.signal }, async () => 'never');
    interruption.abort(new Error('interrupted'));
    await expect(waiting).rejects.toThrow('interrupted');
  });
});

test('an entry with several users is in use until the last one releases it', async () => {
  expect(await isLocked(folder)).toBe(false);
  const first = await shareLock(folder, { log, waiting: 'waiting' });
  const second = await shareLock(folder, { log, waiting: 'waiting' });
  await first();
  expect(await isLocked(folder)).toBe(true);
  await second();
  expect(await isLocked(folder)).toBe(false);
  // A folder that cannot be examined may be in use.
  expect(await isLocked(join(folder, 'none', 'there'))).toBe(true);
});

test('a lock survives an interrupt sent to the whole process group', async () => {
  const script = `import { withLock } from ${JSON.stringify(join(import.meta.dirname, '..', '..', 'src', 'cache', 'lock.ts'))};
process.on('SIGINT', () => {});
await withLock(${JSON.stringify(folder)}, { log: { progress() {}, warn() {} }, waiting: '' }, async () => {
  console.log('held');
  await new Promise((resolve) => process.stdin.on('end', resolve).resume());
});`;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = new Promise((resolve) => owner.on('close', resolve));
  await new Promise((resolve) => owner.stdout.once('data', resolve));
  process.kill(-(owner.pid ?? 0), 'SIGINT');
  // Had the holder been among them, it would be gone by the time that another program has run.
  expect(await isLocked(folder)).toBe(true);
  owner.stdin.end();
  expect(await ended).toBe(0);
});

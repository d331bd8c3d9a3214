import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Cache } from '../../src/cache/cache.ts';
import { dropFinished, findFinished, keepFinished } from '../../src/vm/finished-kernel.ts';
import type { GuestRun } from '../../src/vm/guest-run.ts';

let cache: Cache;
beforeEach(() => {
  cache = { root: mkdtempSync(join(tmpdir(), 'bpfgate-finished-')) };
});
afterEach(() => rmSync(cache.root, { recursive: true }));

function runOf(fields: object = {}): GuestRun {
  return {
    ...{ kernel: '6.1', machine: { commandLine: 'quiet' }, isProven: true, keptBase: true, resumed: false },
    benches: [{ bench: 'x', revision: 'base', exit_code: 0 }],
    ...{ calibrations: [], programs: [{ name: 'probe' }], objects: [], loads: [], warnings: ['odd'] },
    ...fields,
  } as unknown as GuestRun;
}

const profiles = [{ bench: 'x', revision: 'head' as const, name: 'cpu.folded', content: Buffer.from([0xff, 0, 1]) }];

test('what is kept comes back whole, says that it was resumed, and is there until it is dropped', async () => {
  const before = Date.now();
  await keepFinished(cache, 'key', runOf(), profiles);
  const finished = await findFinished(cache, 'key');
  expect(finished?.run).toEqual(runOf({ resumed: true }));
  expect(finished?.profiles).toEqual(profiles);
  expect(finished?.at.getTime()).toBeGreaterThanOrEqual(before);
  expect(await findFinished(cache, 'other')).toBeUndefined();
  await dropFinished(cache, ['other', 'key']);
  expect(await findFinished(cache, 'key')).toBeUndefined();
});

test.each([
  ['a bench that failed', { benches: [{ bench: 'x', exit_code: 1 }] }],
  ['a bench that a signal ended', { benches: [{ bench: 'x', exit_code: null }] }],
  ['counts that were not proven', { isProven: false }],
  ['an object that could not be tried', { objects: [{ object: 'o', revision: 'base', programs: 0, error: 'bad' }] }],
  ['programs that were not reached', { objects: [{ object: 'o', revision: 'head', programs: 2, error: null }] }],
])('%s is not kept: it is to be tried again', async (_, fields) => {
  await keepFinished(cache, 'key', runOf(fields), []);
  expect(await findFinished(cache, 'key')).toBeUndefined();
});

test('what cannot be read is not there, and a cache that cannot be written is no error', async () => {
  await keepFinished(cache, 'key', runOf(), []);
  writeFileSync(join(cache.root, 'finished-kernels', 'key', 'kernel.json'), '{"at"');
  expect(await findFinished(cache, 'key')).toBeUndefined();
  writeFileSync(join(cache.root, 'file'), '');
  await keepFinished({ root: join(cache.root, 'file') }, 'key', runOf(), []);
});

test('is not offered to other machines: it is of a run of this one', async () => {
  const remote = { restore: vi.fn(() => Promise.resolve(false)), made: vi.fn() };
  await keepFinished({ ...cache, remote }, 'key', runOf(), []);
  expect(await findFinished({ ...cache, remote }, 'key')).toBeDefined();
  await findFinished({ ...cache, remote }, 'other');
  expect(remote.made).not.toHaveBeenCalled();
  expect(remote.restore).not.toHaveBeenCalled();
});

test('the last thirty are kept', async () => {
  const folder = join(cache.root, 'finished-kernels');
  for (let index = 0; index < 31; index++) {
    await keepFinished(cache, `key-${index}`, runOf(), []);
    utimesSync(join(folder, `key-${index}`), index, index);
  }
  // The newest is looked at before its time is set.
  expect(readdirSync(folder)).toHaveLength(30);
  expect(await findFinished(cache, 'key-0')).toBeUndefined();
  expect(await findFinished(cache, 'key-30')).toBeDefined();
});

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cache } from '../../src/cache/cache.ts';
import type { GuestRun } from '../../src/vm/guest-run.ts';
import { dropKeptBase, findKeptBase, keepAsBase, keptKey } from '../../src/vm/kept-base.ts';

let cache: Cache;
beforeEach(() => {
  cache = { root: mkdtempSync(join(tmpdir(), 'bpfgate-kept-')) };
});
afterEach(() => rmSync(cache.root, { recursive: true }));

const both = <Record extends object>(record: Record) =>
  (['base', 'head'] as const).map((revision) => ({ ...record, revision }));

function runOf(fields: object = {}): GuestRun {
  return {
    kernel: '6.1',
    machine: { commandLine: 'quiet' },
    isProven: true,
    calibrations: [{ record: 'calibration', prog_type: 'xdp', readings: [{ run_cnt: 1000, run_time_ns: 51_000 }] }],
    benches: both({ bench: 'x', exit_code: 0 }),
    programs: both({ name: 'probe' }),
    objects: both({ object: 'o', programs: 1, error: null }),
    loads: both({ object: 'o', program: 'probe', outcome: 'loaded' }),
    warnings: ['revision base: odd', 'revision head: odd'],
    ...fields,
  } as unknown as GuestRun;
}

const profiles = (['base', 'head'] as const).map((revision) => ({
  ...{ bench: 'x', revision, name: 'cpu.folded', content: Buffer.from([0xff, 0, 1]) },
}));

test('keeps all that a boot says of base, and of base only', async () => {
  await keepAsBase(cache, 'key', 'base', runOf(), profiles);
  const kept = await findKeptBase(cache, 'key');
  expect(kept).toMatchObject({ machine: { commandLine: 'quiet' }, warnings: ['revision base: odd'] });
  for (const records of [kept?.benches, kept?.programs, kept?.objects, kept?.loads, kept?.profiles]) {
    expect(records?.map(({ revision }) => revision)).toEqual(['base']);
  }
  expect(kept?.profiles[0]?.content).toEqual(Buffer.from([0xff, 0, 1]));
  expect(await findKeptBase(cache, 'other')).toBeUndefined();
  await dropKeptBase(cache, 'key');
  expect(await findKeptBase(cache, 'key')).toBeUndefined();
});

test('keeps head as the base of later runs', async () => {
  await keepAsBase(
    cache,
    'key',
    'head',
    runOf({
      programs: [
        { name: 'old', revision: 'base' },
        { name: 'new', revision: 'head' },
      ],
    }),
    profiles,
  );
  const kept = await findKeptBase(cache, 'key');
  expect(kept?.programs).toEqual([{ name: 'new', revision: 'base' }]);
  expect(kept).toMatchObject({ warnings: ['revision base: odd'], profiles: [{ revision: 'base' }] });
  for (const records of [kept?.benches, kept?.objects, kept?.loads]) {
    expect(records?.map(({ revision }) => revision)).toEqual(['base']);
  }
});

test.each([
  [
    'head failed, which ends the readings of both',
    { benches: [...both({ exit_code: 0 }), { revision: 'head', exit_code: 1 }] },
  ],
  ['base was ended by a signal', { benches: [{ revision: 'base', exit_code: null, signal: 9 }] }],
  ['a count was not proven', { isProven: false }],
  ['an object could not be read', { objects: both({ object: 'o', programs: 1, error: 'no' }) }],
  ['programs were left untried', { objects: both({ object: 'o', programs: 2, error: null }) }],
])('keeps nothing where %s', async (_, fields) => {
  await keepAsBase(cache, 'key', 'base', runOf(fields), []);
  expect(await findKeptBase(cache, 'key')).toBeUndefined();
});

test('a file that cannot be read is as none', async () => {
  await keepAsBase(cache, 'key', 'base', runOf(), []);
  writeFileSync(join(cache.root, 'base-results', 'key', 'base.json'), '{"machine":');
  expect(await findKeptBase(cache, 'key')).toBeUndefined();
});

test('keeps the last thirty', async () => {
  for (let number = 0; number < 33; number++) await keepAsBase(cache, `key-${number}`, 'base', runOf(), []);
  expect(readdirSync(join(cache.root, 'base-results'))).toHaveLength(30);
});

test('the key is of all that shapes a count', async () => {
  const shaping = { kernel: 'a', plan: { env: { A: '1' }, benches: ['x'] }, objects: [{ digest: '1' }] };
  const key = await keptKey(shaping);
  expect(await keptKey(structuredClone(shaping))).toBe(key);
  expect(await keptKey({ ...shaping, kernel: 'b' })).not.toBe(key);
  expect(await keptKey({ ...shaping, plan: { ...shaping.plan, env: { A: '2' } } })).not.toBe(key);
  expect(await keptKey({ ...shaping, objects: [{ digest: '2' }] })).not.toBe(key);
});

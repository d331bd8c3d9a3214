// @module-tag hostile

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RevisionName } from '../../src/build/build.ts';
import type { Cache } from '../../src/cache/cache.ts';
import type { GuestRun } from '../../src/vm/guest-run.ts';
import { dropKeptBase, findKeptBase, keepAsBase, keptKey } from '../../src/vm/kept-base.ts';

let cache: Cache;
beforeEach(() => {
  cache = { root: mkdtempSync(join(tmpdir(), 'bpfgate-kept-')) };
});
afterEach(() => rmSync(cache.root, { recursive: true }));

/** What a boot counted that ran one revision alone. */
function countedOf(revision: RevisionName, fields: object = {}) {
  const own = <Record extends object>(record: Record) => [{ ...record, revision }];
  const run = {
    kernel: '6.1',
    machine: { commandLine: 'quiet' },
    isProven: true,
    calibrations: [{ record: 'calibration', prog_type: 'xdp', readings: [{ run_cnt: 1000, run_time_ns: 51_000 }] }],
    benches: own({ bench: 'x', exit_code: 0 }),
    programs: own({ name: 'probe' }),
    objects: own({ object: 'o', programs: 1, error: null }),
    loads: own({ object: 'o', program: 'probe', outcome: 'loaded' }),
    warnings: [`revision ${revision}: odd`],
    ...fields,
  } as unknown as GuestRun;
  return { run, profiles: own({ bench: 'x', name: 'cpu.folded', content: Buffer.from([0xff, 0, 1]) }) };
}

test.each(['base', 'head'] as const)(
  'keeps what a boot of %s alone says, as the base of later runs',
  async (revision) => {
    await keepAsBase(cache, 'key', revision, countedOf(revision));
    const kept = await findKeptBase(cache, 'key');
    expect(kept).toMatchObject({ machine: { commandLine: 'quiet' }, warnings: ['revision base: odd'] });
    for (const records of [kept?.benches, kept?.programs, kept?.objects, kept?.loads, kept?.profiles]) {
      expect(records?.map(({ revision }) => revision)).toEqual(['base']);
    }
    expect(kept?.profiles[0]?.content).toEqual(Buffer.from([0xff, 0, 1]));
    expect(await findKeptBase(cache, 'other')).toBeUndefined();
    await dropKeptBase(cache, 'key');
    expect(await findKeptBase(cache, 'key')).toBeUndefined();
  },
);

const object = { object: 'o', revision: 'base', programs: 1, error: null };
test.each([
  ['a bench failed', { benches: [{ revision: 'base', exit_code: 1 }] }],
  ['a bench was ended by a signal', { benches: [{ revision: 'base', exit_code: null, signal: 9 }] }],
  ['a count was not proven', { isProven: false }],
  ['an object could not be read', { objects: [{ ...object, error: 'no' }] }],
  ['programs were left untried', { objects: [{ ...object, programs: 2 }] }],
])('keeps nothing where %s', async (_, fields) => {
  await keepAsBase(cache, 'key', 'base', countedOf('base', fields));
  expect(await findKeptBase(cache, 'key')).toBeUndefined();
});

test('a file that cannot be read is as none', async () => {
  await keepAsBase(cache, 'key', 'base', countedOf('base'));
  writeFileSync(join(cache.root, 'base-results', 'key', 'base.json'), '{"machine":');
  expect(await findKeptBase(cache, 'key')).toBeUndefined();
});

test('keeps the last thirty', async () => {
  for (let number = 0; number < 33; number++) await keepAsBase(cache, `key-${number}`, 'base', countedOf('base'));
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

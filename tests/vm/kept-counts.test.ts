// @module-tag hostile

import { mkdtempSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cache } from '../../src/cache/cache.ts';
import type { RevisionName } from '../../src/model/build.ts';
import type { GuestRun } from '../../src/model/guest-run.ts';
import { countsKey, dropCounts, findCounts, keepCounts } from '../../src/vm/kept-counts.ts';

let cache: Cache;
beforeEach(() => {
  cache = { root: mkdtempSync(join(tmpdir(), 'bpfgate-kept-')) };
});
afterEach(() => rmSync(cache.root, { recursive: true }));

/** The counts of a boot that ran only one revision. */
function countedOf(revision: RevisionName, fields: object = {}) {
  const own = <Record extends object>(record: Record) => [{ ...record, revision }];
  const run = {
    kernel: '6.1',
    machine: { commandLine: 'quiet' },
    unproven: [],
    calibrations: [{ record: 'calibration', prog_type: 'xdp', readings: [{ run_cnt: 1000, run_time_ns: 51_000 }] }],
    benches: own({ bench: 'x', exit_code: 0 }),
    programs: own({ name: 'probe' }),
    objects: own({ object: 'o', programs: 1, error: null }),
    loads: own({ object: 'o', program: 'probe', outcome: 'loaded' }),
    warnings: [{ about: ['x'], bench: 'x', revision, reason: 'odd' }],
    ...fields,
  } as unknown as GuestRun;
  const profiles = own({ bench: 'x', name: 'cpu.folded', content: Buffer.from([0xff, 0, 1]) });
  return { run, profiles, lost: [] };
}

test.each([
  ['base', 'head'],
  ['head', 'base'],
  ['base', 'base'],
] as const)('what a boot of %s alone counted comes back as of %s, and says so', async (counted, asked) => {
  await keepCounts(cache, 'key', counted, countedOf(counted));
  const kept = await findCounts(cache, 'key', asked);
  expect(kept?.run).toMatchObject({
    kernel: '6.1',
    machine: { commandLine: 'quiet' },
    warnings: [{ about: ['x'], bench: 'x', revision: asked, reason: 'odd' }],
    kept: [asked],
  });
  for (const records of [kept?.run.benches, kept?.run.programs, kept?.run.objects, kept?.run.loads, kept?.profiles]) {
    expect(records?.map(({ revision }) => revision)).toEqual([asked]);
  }
  expect(kept?.profiles[0]?.content).toEqual(Buffer.from([0xff, 0, 1]));
  expect(kept?.by).toMatch(/^(a run on this machine|workflow run \d+)$/);
  expect(Date.now() - (kept?.at.getTime() ?? 0)).toBeLessThan(60_000);
  expect(await findCounts(cache, 'other', asked)).toBeUndefined();
  await dropCounts(cache, 'key');
  expect(await findCounts(cache, 'key', asked)).toBeUndefined();
});

const object = { object: 'o', revision: 'base', programs: 1, error: null };
test.each([
  ['a bench failed', { benches: [{ revision: 'base', exit_code: 1 }] }],
  ['a bench was ended by a signal', { benches: [{ revision: 'base', exit_code: null, signal: 9 }] }],
  ['a count was not proven', { unproven: ['a'] }],
  ['an object could not be read', { objects: [{ ...object, programs: 0, error: 'no' }], loads: [] }],
  ['programs were left untried', { objects: [{ ...object, programs: 2 }] }],
])('caches nothing if %s', async (_, fields) => {
  await keepCounts(cache, 'key', 'base', countedOf('base', fields));
  expect(await findCounts(cache, 'key', 'base')).toBeUndefined();
});

test('caches nothing of objects of which a part was left out', async () => {
  await keepCounts(cache, 'key', 'base', { ...countedOf('base'), lost: ['o'] });
  expect(await findCounts(cache, 'key', 'base')).toBeUndefined();
});

test('an unreadable entry counts as missing, and an unwritable cache is no error', async () => {
  await keepCounts(cache, 'key', 'base', countedOf('base'));
  writeFileSync(join(cache.root, 'counts', 'key', 'counts.json'), '{"run":');
  expect(await findCounts(cache, 'key', 'base')).toBeUndefined();
  writeFileSync(join(cache.root, 'file'), '');
  await keepCounts({ root: join(cache.root, 'file') }, 'key', 'base', countedOf('base'));
});

test('above 256 MiB the least recently used entries are removed', async () => {
  const folder = join(cache.root, 'counts');
  for (const [index, key] of ['older', 'old', 'new'].entries()) {
    await keepCounts(cache, key, 'base', countedOf('base'));
    truncateSync(join(folder, key, 'counts.json'), 100 * 2 ** 20);
    utimesSync(join(folder, key), index + 1, index + 1);
  }
  await keepCounts(cache, 'newest', 'base', countedOf('base'));
  expect(readdirSync(folder)).toHaveLength(3);
  expect(await findCounts(cache, 'newest', 'base')).toBeDefined();
  expect(await findCounts(cache, 'older', 'base')).toBeUndefined();
});

test('the key depends on the build, and on everything else that affects a count', async () => {
  const [build, shaping] = [
    { dir: 'built' },
    { kernel: 'a', plan: { env: { A: '1' }, benches: ['x'] }, objects: [{ digest: '1' }] },
  ];
  const key = countsKey(build, shaping);
  expect(countsKey({ ...build }, structuredClone(shaping))).toBe(key);
  expect(countsKey({ dir: 'other' }, shaping)).not.toBe(key);
  expect(countsKey(build, { ...shaping, kernel: 'b' })).not.toBe(key);
  expect(countsKey(build, { ...shaping, plan: { ...shaping.plan, env: { A: '2' } } })).not.toBe(key);
  expect(countsKey(build, { ...shaping, objects: [{ digest: '2' }] })).not.toBe(key);
});

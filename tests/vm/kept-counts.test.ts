// @module-tag hostile

import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Cache } from '../../src/cache/cache.ts';
import type { RevisionName } from '../../src/model/build.ts';
import type { GuestRun } from '../../src/model/guest-run.ts';
import { type CountsPlace, countsKey, dropCounts, findCounts, keepCounts, keysOf } from '../../src/vm/kept-counts.ts';

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
    warnings: [`revision ${revision}: odd`],
    ...fields,
  } as unknown as GuestRun;
  const profiles = own({ bench: 'x', name: 'cpu.folded', content: Buffer.from([0xff, 0, 1]) });
  return { run, profiles, opened: [], lost: [] };
}

/** Counts that are valid for one tree only. */
function placeOf(dir: string): CountsPlace {
  return { shape: 'shape', build: { dir, tree: dir, commit: null }, others: undefined };
}

test.each([
  ['base', 'head'],
  ['head', 'base'],
  ['base', 'base'],
] as const)('what a boot of %s alone counted comes back as of %s, and says so', async (counted, asked) => {
  await keepCounts(cache, placeOf('key'), counted, countedOf(counted));
  const kept = await findCounts(cache, placeOf('key'), asked);
  expect(kept?.run).toMatchObject({
    kernel: '6.1',
    machine: { commandLine: 'quiet' },
    warnings: [`revision ${asked}: odd`],
    kept: [asked],
  });
  for (const records of [kept?.run.benches, kept?.run.programs, kept?.run.objects, kept?.run.loads, kept?.profiles]) {
    expect(records?.map(({ revision }) => revision)).toEqual([asked]);
  }
  expect(kept?.profiles[0]?.content).toEqual(Buffer.from([0xff, 0, 1]));
  expect(kept?.by).toMatch(/^(a run on this machine|workflow run \d+)$/);
  expect(Date.now() - (kept?.at.getTime() ?? 0)).toBeLessThan(60_000);
  expect(await findCounts(cache, placeOf('other'), asked)).toBeUndefined();
  await dropCounts(cache, placeOf('key'));
  expect(await findCounts(cache, placeOf('key'), asked)).toBeUndefined();
});

const object = { object: 'o', revision: 'base', programs: 1, error: null };
test.each([
  ['a bench failed', { benches: [{ revision: 'base', exit_code: 1 }] }],
  ['a bench was ended by a signal', { benches: [{ revision: 'base', exit_code: null, signal: 9 }] }],
  ['a count was not proven', { unproven: ['a'] }],
  ['an object could not be read', { objects: [{ ...object, programs: 0, error: 'no' }], loads: [] }],
  ['programs were left untried', { objects: [{ ...object, programs: 2 }] }],
])('caches nothing if %s', async (_, fields) => {
  await keepCounts(cache, placeOf('key'), 'base', countedOf('base', fields));
  expect(await findCounts(cache, placeOf('key'), 'base')).toBeUndefined();
});

test('caches nothing of objects of which a part was left out', async () => {
  await keepCounts(cache, placeOf('key'), 'base', { ...countedOf('base'), lost: ['o'] });
  expect(await findCounts(cache, placeOf('key'), 'base')).toBeUndefined();
});

test('an unreadable entry counts as missing, and an unwritable cache is no error', async () => {
  await keepCounts(cache, placeOf('key'), 'base', countedOf('base'));
  const [key = ''] = readdirSync(join(cache.root, 'counts'));
  writeFileSync(join(cache.root, 'counts', key, 'counts.json'), '{"run":');
  expect(await findCounts(cache, placeOf('key'), 'base')).toBeUndefined();
  writeFileSync(join(cache.root, 'file'), '');
  await keepCounts({ root: join(cache.root, 'file') }, placeOf('key'), 'base', countedOf('base'));
});

test('above 256 MiB the least recently used entries are removed', async () => {
  const folder = join(cache.root, 'counts');
  for (const [index, dir] of ['older', 'old', 'new'].entries()) {
    await keepCounts(cache, placeOf(dir), 'base', countedOf('base'));
    const [key = ''] = await keysOf(cache, placeOf(dir));
    truncateSync(join(folder, key, 'counts.json'), 100 * 2 ** 20);
    utimesSync(join(folder, key), index + 1, index + 1);
  }
  await keepCounts(cache, placeOf('newest'), 'base', countedOf('base'));
  expect(readdirSync(folder)).toHaveLength(3);
  expect(await findCounts(cache, placeOf('newest'), 'base')).toBeDefined();
  expect(await findCounts(cache, placeOf('older'), 'base')).toBeUndefined();
});

describe('counts of a bench whose opened files are known', () => {
  /** A tree with these files, whose commit is its own. */
  function treeOf(name: string, files: Readonly<Record<string, string>>, names = 'names') {
    const dir = join(cache.root, name);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), content);
    }
    const build = { dir, tree: `tree ${name}`, commit: `commit ${name}` };
    const has = (path: string) => path.endsWith('/') || path in files;
    const list = (folder: string) => Object.keys(files).filter((path) => path.startsWith(folder));
    const others = {
      files: { dir, has, list, names },
      roles: ['base', 'head'] as RevisionName[],
      trusts: async ({ commit }: { commit: string | null }) => commit !== 'commit foreign',
    };
    return { shape: 'shape', build, others };
  }
  const countedBy = (by: string, ...opened: (readonly string[] | null)[]) => ({
    ...countedOf('base', { warnings: [by] }),
    opened: opened.map((files) => ({ bench: 'x', revision: 'base' as const, files })),
  });
  const find = async (place: CountsPlace) => (await findCounts(cache, place, 'base'))?.run.warnings[0];

  test('are those of each tree in which these files and folders are the same', async () => {
    const own = treeOf('own', { a: '1', b: '1', 'c/1': '' });
    await keepCounts(cache, own, 'base', countedBy('own', ['a', 'c/', 'made by the bench']));
    expect(await find(own)).toBe('own');
    expect(await find(treeOf('other b', { a: '1', b: '2', 'c/1': '2' }))).toBe('own');
    expect(await find(treeOf('other a', { a: '2', b: '1', 'c/1': '' }))).toBeUndefined();
    expect(await find(treeOf('other c', { a: '1', b: '1', 'c/2': '' }))).toBeUndefined();
    expect(await find(treeOf('no a', { b: '1', 'c/1': '' }))).toBeUndefined();
    const same = { a: '1', b: '1', 'c/1': '' };
    expect(await find(treeOf('other names', same, 'others'))).toBeUndefined();
    expect(await find({ ...treeOf('only itself', same), others: undefined })).toBeUndefined();
  });

  test('may open other files in other trees', async () => {
    await keepCounts(cache, treeOf('one', { a: 'b', b: '1', c: '1' }), 'base', countedBy('one', ['a', 'b']));
    await keepCounts(cache, treeOf('two', { a: 'c', b: '1', c: '1' }), 'base', countedBy('two', ['a', 'c']));
    expect(await find(treeOf('three', { a: 'b', b: '1', c: '2' }))).toBe('one');
    expect(await find(treeOf('four', { a: 'c', b: '2', c: '1' }))).toBe('two');
    expect(await find(treeOf('five', { a: 'c', b: '1', c: '2' }))).toBeUndefined();
  });

  test('are found for the same tree after ten other trees, and if no other tree may use them', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `file${index}`);
    for (const name of names) {
      await keepCounts(cache, treeOf(name, { [name]: '1' }), 'base', countedBy(name, [name]));
    }
    for (const name of names) expect(await find(treeOf(name, { [name]: '1' }))).toBe(name);
    await keepCounts(cache, treeOf('foreign', { a: '1' }), 'base', countedBy('foreign', ['a']));
    expect(await find(treeOf('foreign', { a: '1' }))).toBe('foreign');
  });

  test('are not used of trees that are not trusted, or that had another role', async () => {
    await keepCounts(cache, treeOf('foreign', { a: '1' }), 'base', countedBy('foreign', ['a']));
    const own = treeOf('own', { a: '1' });
    expect(await find(own)).toBeUndefined();
    await keepCounts(cache, treeOf('leading', { b: '1' }), 'head', countedBy('leading', ['b']));
    const others = treeOf('later', { b: '1' });
    expect(await find(others)).toBe('leading');
    expect(await find({ ...others, others: { ...others.others, roles: ['base'] } })).toBeUndefined();
  });

  test('are dropped for all trees at once', async () => {
    const own = treeOf('own', { a: '1' });
    await keepCounts(cache, own, 'base', countedBy('own', ['a']));
    await dropCounts(cache, own);
    expect(await find(treeOf('other', { a: '1' }))).toBeUndefined();
  });

  test.each([
    ['are not all known', [null]],
    ['were not recorded', []],
    ['were recorded twice', [['a'], ['a']]],
  ])('are those of one tree if the files %s', async (_, opened) => {
    const own = treeOf('own', { a: '1', b: '1' });
    await keepCounts(cache, own, 'base', countedBy('own', ...opened));
    expect(await find(own)).toBe('own');
    expect(await find(treeOf('other', { a: '1', b: '1' }))).toBeUndefined();
  });
});

test('the key depends on everything that affects a count', async () => {
  const shaping = { kernel: 'a', plan: { env: { A: '1' }, benches: ['x'] }, objects: [{ digest: '1' }] };
  const key = countsKey(shaping);
  expect(countsKey(structuredClone(shaping))).toBe(key);
  expect(countsKey({ ...shaping, kernel: 'b' })).not.toBe(key);
  expect(countsKey({ ...shaping, plan: { ...shaping.plan, env: { A: '2' } } })).not.toBe(key);
  expect(countsKey({ ...shaping, objects: [{ digest: '2' }] })).not.toBe(key);
});

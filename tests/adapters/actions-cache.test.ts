// What is restored and saved, and what not. The library is a stand-in here; `npm run e2e:act` has it as it is, with
// nektos/act's server.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openActionsCache } from '../../src/adapters/actions-cache.ts';
import { type Cache, findEntry, obtainEntry, publishEntry } from '../../src/cache/cache.ts';

const asked = vi.hoisted((): string[] => []);
const saved = vi.hoisted(() => new Map<string, { paths: string[]; folder: string }>());
const behaviour = vi.hoisted(() => ({
  found: undefined as string | undefined,
  failure: undefined as Error | undefined,
}));

vi.mock('@actions/cache', async (original) => {
  const library = await original<typeof import('@actions/cache')>();
  return {
    ...library,
    isFeatureAvailable: () => true,
    restoreCache: async (
      [path = '']: string[],
      key: string,
      _: readonly string[] = [],
      { lookupOnly = false } = {},
    ) => {
      if (behaviour.failure !== undefined) throw behaviour.failure;
      const entry = saved.get(behaviour.found ?? key);
      if (entry === undefined || entry.paths[0] !== path) return undefined;
      if (lookupOnly) return key;
      cpSync(entry.folder, path, { recursive: true });
      return behaviour.found ?? key;
    },
    saveCache: async (paths: string[], key: string) => {
      if (behaviour.failure !== undefined) throw behaviour.failure;
      asked.push(key);
      // As the library has it: told in the log, and no error.
      if (saved.has(key)) return -1;
      const folder = mkdtempSync(join(tmpdir(), 'bpfgate-saved-'));
      cpSync(paths[0] ?? '', folder, { recursive: true });
      saved.set(key, { paths, folder });
      return 1;
    },
  };
});

let root: string;
let said: string[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bpfgate-remote-'));
  said = [];
  Object.assign(behaviour, { found: undefined, failure: undefined });
});

afterEach(() => {
  rmSync(root, { recursive: true });
  for (const { folder } of saved.values()) rmSync(folder, { recursive: true });
  saved.clear();
  asked.length = 0;
});

/** A machine whose own cache is empty. */
async function openMachine({ recordsBase = true } = {}) {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  const log = { progress: (message: string) => said.push(message), warn: (message: string) => said.push(message) };
  const signal = new AbortController().signal;
  const remote = await openActionsCache({ cache: { root }, log, signal, recordsBase });
  if (remote === undefined) throw new Error('there is no remote cache');
  const cache: Cache = { root, remote };
  return { cache, save: () => remote.save() };
}

const kinds = ['agent', 'kernels-2', 'builds/abc', 'base-results', 'snapshots/x', 'boot-images'];
const fill = (folder: string) => Promise.resolve(writeFileSync(join(folder, 'file'), 'content'));

async function recordAll(recordsBase: boolean): Promise<void> {
  const { cache, save } = await openMachine({ recordsBase });
  for (const kind of kinds) await publishEntry(cache, kind, 'key', fill);
  await save();
}

const restorable = async () => {
  const { cache } = await openMachine();
  const found = await Promise.all(kinds.map((kind) => obtainEntry(cache, kind, 'key')));
  return kinds.filter((_, index) => found[index] !== undefined);
};

describe('what another machine finds', () => {
  test('of a run on the base branch, with its builds and what it counted, whole and nothing else', async () => {
    await recordAll(true);
    expect(await restorable()).toEqual(['agent', 'kernels-2', 'builds/abc', 'base-results']);
    expect(readFileSync(join(root, 'builds/abc/key/file'), 'utf8')).toBe('content');
    expect(readdirSync(join(root, 'remote', 'agent'))).toEqual([]);
  });

  test('of a pull request’s run no build and no count: it may not say what base is', async () => {
    await recordAll(false);
    expect(await restorable()).toEqual(['agent', 'kernels-2']);
  });

  test('nothing under a key that only begins so', async () => {
    await recordAll(true);
    behaviour.found = [...saved.keys()].find((name) => name.includes('-agent-'));
    const { cache } = await openMachine();
    expect(await obtainEntry(cache, 'agent', 'ke')).toBeUndefined();
    expect(existsSync(join(root, 'agent'))).toBe(false);
  });

  test('nothing twice: what was taken away again had been found wrong', async () => {
    await recordAll(true);
    const { cache } = await openMachine();
    const entry = await obtainEntry(cache, 'base-results', 'key');
    rmSync(entry ?? '', { recursive: true });
    expect(await obtainEntry(cache, 'base-results', 'key')).toBeUndefined();
  });
});

test('what is found is not made, and not saved again', async () => {
  await recordAll(true);
  const { cache, save } = await openMachine();
  await publishEntry(cache, 'agent', 'key', () => Promise.reject(new Error('made again')));
  await save();
  expect(said.filter((line) => line.includes('not saved'))).toEqual([]);
});

test('an entry that another job has saved meanwhile is none of our business', async () => {
  await recordAll(true);
  const first = asked.length;
  behaviour.found = 'none';
  const { cache, save } = await openMachine();
  await publishEntry(cache, 'agent', 'key', fill);
  behaviour.found = undefined;
  await save();
  expect(asked).toHaveLength(first);
  expect(said.filter((line) => line.includes('not saved'))).toEqual([]);
});

test('a service that fails is told, and the entry is made as ever', async () => {
  behaviour.failure = new Error('503');
  const { cache, save } = await openMachine();
  await publishEntry(cache, 'agent', 'key', fill);
  await save();
  expect(said).toEqual([
    "agent: cannot be taken from the workflows' cache: 503",
    'agent: not saved for other runs: 503',
  ]);
  expect(findEntry(cache, 'agent', 'key')).toBe(join(root, 'agent', 'key'));
});

test('an entry that was taken away to make room is not saved', async () => {
  const { cache, save } = await openMachine();
  rmSync(await publishEntry(cache, 'agent', 'key', fill), { recursive: true });
  mkdirSync(join(root, 'agent'), { recursive: true });
  await save();
  expect([...saved.keys()]).toEqual([]);
});

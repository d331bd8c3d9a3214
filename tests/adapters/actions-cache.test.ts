// What is restored and saved, and what not. The library is a stand-in here; `npm run e2e:act` has it as it is, with
// nektos/act's server.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openActionsCache } from '../../src/adapters/actions-cache.ts';
import { type Cache, findEntry, obtainEntry, publishEntry } from '../../src/cache/cache.ts';

const asked = vi.hoisted((): string[] => []);
const saved = vi.hoisted(() => new Map<string, { paths: string[]; folder: string }>());
const behaviour = vi.hoisted(() => ({
  found: undefined as string | undefined,
  /** Whether what is saved holds nothing: its size alone counts. */
  isEmpty: false,
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
      if (!behaviour.isEmpty) cpSync(paths[0] ?? '', folder, { recursive: true });
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
  Object.assign(behaviour, { found: undefined, isEmpty: false, failure: undefined });
});

afterEach(() => {
  rmSync(root, { recursive: true });
  for (const { folder } of saved.values()) rmSync(folder, { recursive: true });
  saved.clear();
  asked.length = 0;
});

/** A machine whose own cache is empty. */
async function openMachine({ saves = true, baseBranch = '' } = {}) {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  const log = { progress: (message: string) => said.push(message), warn: (message: string) => said.push(message) };
  const signal = new AbortController().signal;
  const remote = await openActionsCache({ cache: { root }, log, signal, saves, baseBranch });
  if (remote === undefined) throw new Error('there is no remote cache');
  const cache: Cache = { root, remote };
  return { cache, save: () => remote.save() };
}

const kinds = ['agent', 'kernels-2', 'builds/abc', 'base-results', 'snapshots/x', 'boot-images'];
const fill = (folder: string) => Promise.resolve(writeFileSync(join(folder, 'file'), 'content'));

async function makeAll({ saves = true } = {}): Promise<void> {
  const { cache, save } = await openMachine({ saves, baseBranch: 'trunk' });
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
    await makeAll();
    expect(await restorable()).toEqual(['agent', 'kernels-2', 'builds/abc', 'base-results']);
    expect(readFileSync(join(root, 'builds/abc/key/file'), 'utf8')).toBe('content');
    expect(readdirSync(join(root, 'remote', 'agent'))).toEqual([]);
  });

  test('of a pull request’s run nothing: no other could read it, and it may not say what base is', async () => {
    await makeAll({ saves: false });
    expect([...saved.keys()]).toEqual([]);
    expect(await restorable()).toEqual([]);
  });

  test('nothing under a key that only begins so', async () => {
    await makeAll();
    behaviour.found = [...saved.keys()].find((name) => name.includes('-agent-'));
    const { cache } = await openMachine();
    expect(await obtainEntry(cache, 'agent', 'ke')).toBeUndefined();
    expect(existsSync(join(root, 'agent'))).toBe(false);
  });

  test('nothing twice: what was taken away again had been found wrong', async () => {
    await makeAll();
    const { cache } = await openMachine();
    const entry = await obtainEntry(cache, 'base-results', 'key');
    rmSync(entry ?? '', { recursive: true });
    expect(await obtainEntry(cache, 'base-results', 'key')).toBeUndefined();
  });
});

describe('a run that saves nothing', () => {
  test('says in one line why it found nothing, and which lines of the workflow change that', async () => {
    await makeAll({ saves: false });
    expect(said).toEqual([
      expect.stringMatching(
        /^nothing is cached for this run: no run on `trunk` .* With `on: \{ push: \{ branches: \[trunk\] \} \}` the workflow fills the cache$/,
      ),
    ]);
  });

  test('reads what the base branch has saved, and then says nothing of it', async () => {
    await makeAll();
    said.length = 0;
    const { cache, save } = await openMachine({ saves: false });
    expect(await obtainEntry(cache, 'agent', 'key')).toBeDefined();
    await publishEntry(cache, 'kernels-2', 'another', fill);
    await save();
    expect(said).toEqual(["agent: taken from the workflows' cache"]);
    expect(asked.filter((name) => name.endsWith('-another'))).toEqual([]);
  });
});

describe('a job that has made more than it may save', () => {
  /** Files of this many bytes that take no room on the disk. */
  const fillWith = (bytes: number) => (folder: string) => {
    writeFileSync(join(folder, 'file'), '');
    truncateSync(join(folder, 'file'), bytes);
    return Promise.resolve();
  };

  test('saves the builds last, and says what is left out', async () => {
    behaviour.isEmpty = true;
    const { cache, save } = await openMachine();
    await publishEntry(cache, 'builds/abc', 'first', fillWith(2.5e9));
    await publishEntry(cache, 'builds/abc', 'second', fillWith(1e9));
    await publishEntry(cache, 'kernels-2', 'key', fillWith(1e9));
    await publishEntry(cache, 'agent', 'key', fillWith(1e9));
    await save();
    expect(asked.map((name) => name.replace(/^bpfgate-1-[^-]*-[^-]*-/, ''))).toEqual([
      'kernels-2-key',
      'agent-key',
      'builds-abc-second',
    ]);
    expect(said).toEqual([
      'builds/abc: not saved for other runs: 2.5 GB, and of the 4.0 GB that a job saves at most 2.0 GB are left',
    ]);
  });

  test('does not count what another job has saved already', async () => {
    behaviour.isEmpty = true;
    const one = await openMachine();
    await publishEntry(one.cache, 'tools', 'key', fillWith(3e9));
    await one.save();
    behaviour.found = 'none';
    const other = await openMachine();
    await publishEntry(other.cache, 'tools', 'key', fillWith(3e9));
    await publishEntry(other.cache, 'agent', 'key', fillWith(3e9));
    behaviour.found = undefined;
    await other.save();
    expect(asked.map((name) => name.split('-').at(-2))).toEqual(['tools', 'agent']);
  });
});

test('what is found is not made, and not saved again', async () => {
  await makeAll();
  const { cache, save } = await openMachine();
  await publishEntry(cache, 'agent', 'key', () => Promise.reject(new Error('made again')));
  await save();
  expect(said.filter((line) => line.includes('not saved'))).toEqual([]);
});

test('an entry that another job has saved meanwhile is none of our business', async () => {
  await makeAll();
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

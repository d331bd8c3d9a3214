// Actions cache: what is restored and saved, and what is not. The library is a stand-in; `npm run e2e:act` tests the
// real one with nektos/act's server.
// @module-tag hostile

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
import { openActionsCache, whySavesNothing } from '../../src/cache/actions-cache.ts';
import { adoptEntry, type Cache, findEntry, obtainEntry, publishEntry } from '../../src/cache/cache.ts';
import type { RunOrigin } from '../../src/inputs/event-base.ts';

const asked = vi.hoisted((): string[] => []);
const saved = vi.hoisted(() => new Map<string, { paths: string[]; folder: string }>());
const behaviour = vi.hoisted(() => ({
  found: undefined as string | undefined,
  /** Whether entries are saved empty: for tests in which only their size counts. */
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
      // The library also logs this and throws no error.
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
async function openMachine({ savesNothing = null as string | null, baseBranch = '' } = {}) {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  const log = { progress: (message: string) => said.push(message), warn: (message: string) => said.push(message) };
  const signal = new AbortController().signal;
  const remote = await openActionsCache({ cache: { root }, log, signal, savesNothing, baseBranch });
  if (remote === undefined) throw new Error('there is no remote cache');
  const cache: Cache = { root, remote };
  return { cache, save: () => remote.save() };
}

/** Kinds of entries that other machines get, and kinds that they never get. */
const shared = ['agent', 'kernels-2', 'plugin', 'rust-src', 'tools', 'builds/abc', 'counts'];
const own = [...['snapshots/x', 'boot-images', 'initramfs', 'programs', 'demo']];
const kinds = [...shared, ...own];
const fill = (folder: string) => Promise.resolve(writeFileSync(join(folder, 'file'), 'content'));

async function makeAll(savesNothing: string | null = null): Promise<void> {
  const { cache, save } = await openMachine({ savesNothing, baseBranch: 'trunk' });
  for (const kind of kinds) await publishEntry(cache, kind, 'key', fill);
  await save();
}

const restorable = async () => {
  const { cache } = await openMachine();
  const found = await Promise.all(kinds.map((kind) => obtainEntry(cache, kind, 'key')));
  return kinds.filter((_, index) => found[index] !== undefined);
};

/** A run on the default branch, which measures its last commit. */
const trusted: RunOrigin = {
  event: 'push',
  ref: 'refs/heads/trunk',
  isProtected: false,
  payload: { repository: { default_branch: 'trunk' } },
  repository: 'example/xdp',
  sha: 'a1',
  checkedOut: 'a1',
};
const ofPull = { ref: 'refs/pull/7/merge' };
const elsewhere = { ref: 'refs/heads/topic' };

/** The table in docs/cache.md: which runs write entries for others. */
describe.each<[string, 'writes' | 'writes nothing', Partial<RunOrigin>]>([
  ['a push to the default branch', 'writes', {}],
  ['a push to a protected branch', 'writes', { ref: 'refs/heads/release/1', isProtected: true }],
  ['a schedule', 'writes', { event: 'schedule', payload: {} }],
  ['workflow_dispatch on the default branch', 'writes', { event: 'workflow_dispatch' }],
  [
    'workflow_dispatch on a protected branch',
    'writes',
    { event: 'workflow_dispatch', ...elsewhere, isProtected: true },
  ],
  ['a push to any other branch', 'writes nothing', elsewhere],
  [
    'a push to the branch of a merge queue',
    'writes nothing',
    { ref: 'refs/heads/gh-readonly-queue/trunk/pr-7-a1', isProtected: true },
  ],
  ['workflow_dispatch on any other branch', 'writes nothing', { event: 'workflow_dispatch', ...elsewhere }],
  ['a push of a tag', 'writes nothing', { ref: 'refs/tags/trunk' }],
  ['a push of a protected tag', 'writes nothing', { ref: 'refs/tags/v1', isProtected: true }],
  [
    'workflow_dispatch with a fork’s commit checked out',
    'writes nothing',
    { event: 'workflow_dispatch', checkedOut: 'f0' },
  ],
  ['a push without a checkout', 'writes nothing', { checkedOut: undefined }],
  ['a pull request, from a branch or a fork', 'writes nothing', { event: 'pull_request', ...ofPull }],
  ['pull_request_target, whose ref is the base branch', 'writes nothing', { event: 'pull_request_target' }],
  ['a merge group', 'writes nothing', { event: 'merge_group', ref: 'refs/heads/gh-readonly-queue/trunk/pr-7-a1' }],
  ['workflow_run, whose ref is the default branch', 'writes nothing', { event: 'workflow_run' }],
  ['issue_comment, whose ref is the default branch', 'writes nothing', { event: 'issue_comment' }],
  ['no event', 'writes nothing', { event: undefined }],
])('%s %s for later runs', (_, expected, origin) => {
  test(`of ${kinds.join(', ')}`, async () => {
    await makeAll(whySavesNothing({ ...trusted, ...origin }));
    const written = asked.map((name) => name.replace(/^bpfgate-1-[^-]*-[^-]*-(.*)-key$/, '$1'));
    const wanted = expected === 'writes' ? shared : [];
    expect(written.toSorted()).toEqual(wanted.map((kind) => kind.replaceAll('/', '-')).toSorted());
    // Kinds that are never saved cannot be restored.
    if (expected === 'writes') expect(await restorable()).toEqual(shared);
  });
});

describe('another machine restores', () => {
  test('all shared entries of a run on the base branch, with their contents, and no others', async () => {
    await makeAll();
    expect(await restorable()).toEqual(shared);
    expect(readFileSync(join(root, 'builds/abc/key/file'), 'utf8')).toBe('content');
    expect(readdirSync(join(root, 'remote', 'agent'))).toEqual([]);
  });

  test('no entry whose key is only a prefix of a saved one', async () => {
    await makeAll();
    behaviour.found = [...saved.keys()].find((name) => name.includes('-agent-'));
    const { cache } = await openMachine();
    expect(await obtainEntry(cache, 'agent', 'ke')).toBeUndefined();
    expect(existsSync(join(root, 'agent'))).toBe(false);
  });

  test('no entry that was restored before and removed as invalid', async () => {
    await makeAll();
    const { cache } = await openMachine();
    const entry = await obtainEntry(cache, 'counts', 'key');
    rmSync(entry ?? '', { recursive: true });
    expect(await obtainEntry(cache, 'counts', 'key')).toBeUndefined();
  });
});

describe('a run that may not save', () => {
  test('logs in one line why it restored nothing, and how to change the workflow', async () => {
    await makeAll('the event is `pull_request`');
    expect(said).toEqual([
      expect.stringMatching(
        /^nothing is cached for this run: no run on `trunk` .* saves nothing: the event is `pull_request`\. With `on: \{ push: \{ branches: \[trunk\] \} \}` the workflow fills the cache, where that branch is the default one or protected$/,
      ),
    ]);
  });

  test('restores what the base branch saved, and logs nothing about saving', async () => {
    await makeAll();
    said.length = 0;
    const { cache, save } = await openMachine({ savesNothing: 'the event is `pull_request`' });
    expect(await obtainEntry(cache, 'agent', 'key')).toBeDefined();
    await publishEntry(cache, 'kernels-2', 'another', fill);
    await save();
    expect(said).toEqual(["agent: taken from the workflows' cache"]);
    expect(asked.filter((name) => name.endsWith('-another'))).toEqual([]);
  });
});

describe('a job that made more than it may save', () => {
  /** Adopts an entry of this many bytes: a sparse file, which takes no room on the disk. */
  const adopt = async (cache: Cache, kind: string, key: string, bytes: number) => {
    const folder = mkdtempSync(join(root, 'made-'));
    writeFileSync(join(folder, 'file'), '');
    truncateSync(join(folder, 'file'), bytes);
    mkdirSync(join(root, kind), { recursive: true });
    await adoptEntry(cache, kind, key, folder);
  };

  test('saves builds last, and logs what is left out', async () => {
    behaviour.isEmpty = true;
    const { cache, save } = await openMachine();
    await adopt(cache, 'builds/abc', 'first', 2.5e9);
    await adopt(cache, 'builds/abc', 'second', 1e9);
    await adopt(cache, 'kernels-2', 'key', 1e9);
    await adopt(cache, 'agent', 'key', 1e9);
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

  test('does not count entries that another job has already saved', async () => {
    behaviour.isEmpty = true;
    const one = await openMachine();
    await adopt(one.cache, 'tools', 'key', 3e9);
    await one.save();
    behaviour.found = 'none';
    const other = await openMachine();
    await adopt(other.cache, 'tools', 'key', 3e9);
    await adopt(other.cache, 'agent', 'key', 3e9);
    behaviour.found = undefined;
    await other.save();
    expect(asked.map((name) => name.split('-').at(-2))).toEqual(['tools', 'agent']);
  });
});

test('a restored entry is neither made nor saved again', async () => {
  await makeAll();
  const { cache, save } = await openMachine();
  await publishEntry(cache, 'agent', 'key', () => Promise.reject(new Error('made again')));
  await save();
  expect(said.filter((line) => line.includes('not saved'))).toEqual([]);
});

test('an entry that another job has saved meanwhile is not saved again, without a message', async () => {
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

test('an error of the cache service is reported, and the entry is made locally', async () => {
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

test('an entry removed to free space is not saved', async () => {
  const { cache, save } = await openMachine();
  rmSync(await publishEntry(cache, 'agent', 'key', fill), { recursive: true });
  mkdirSync(join(root, 'agent'), { recursive: true });
  await save();
  expect([...saved.keys()]).toEqual([]);
});

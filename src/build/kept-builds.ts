// Build: the built trees that the cache keeps for a repository, each sealed and in a folder named after its key.

import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import type { Cache } from '../cache/cache.ts';
import { markUsed, prune } from '../cache/last-used.ts';
import { isLocked, type Release, shareLock } from '../cache/lock.ts';
import { findChange, readSeal, sealOf } from './seal.ts';

/** Most recently used built trees that are kept per repository. Others stay only while they are in use. */
const keptBuilds = 6;
/** Folder to which a kept build is moved for removal, so that it is never incomplete under its own name. */
export const removed = '.removed';

/** Name of a kept build. Earlier versions made shorter ones. */
const isKept = /^([0-9a-f]{12}|[0-9a-f]{64})$/;

/** What asks for built trees of the cache. */
export interface KeptRequest {
  readonly cache: Cache;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Called for each tree with a function that lets other processes remove the tree. They cannot before that. */
  readonly onUse: (release: Release) => void;
}

/** Keeps other processes from removing a tree. */
export async function holdKept(dir: string, request: KeptRequest): Promise<void> {
  await markUsed(dir);
  request.onUse(await shareLock(dir, { ...request, waiting: `waiting for another bpfgate that looks at ${dir}` }));
}

/** Reads the seal of a kept tree. Removes a tree that was changed since, or that a run left without a seal. */
export async function takeKept(title: string, dir: string, log: Log): Promise<string | undefined> {
  if (!existsSync(dir)) return undefined;
  const sealed = await readSeal(dir);
  const changed = sealed === undefined ? 'it has no seal' : await findChange(dir, sealed);
  if (changed === undefined) return sealed;
  if (sealed !== undefined)
    log.warn(`the kept build of ${title} was changed after it was built: ${changed}; it is built again`);
  await remove(dir);
  return undefined;
}

/** Whether any build is kept. */
export async function hasKept(home: string): Promise<boolean> {
  return (await readdir(home)).some((name) => isKept.test(name));
}

/** Removes kept builds, except for the last ones and those in use by this or any other run. */
export async function pruneKept(home: string, most = keptBuilds): Promise<void> {
  await prune(home, {
    isEntry: (name) => isKept.test(name),
    // No other process can begin to use it meanwhile: that takes the lock under which this runs.
    stays: async (path, index) => index < most || (await isLocked(path)),
    remove,
  });
}

/** Removes a kept build; moves it away from its name first. */
async function remove(dir: string): Promise<void> {
  const doomed = join(dirname(dir), removed);
  await rm(sealOf(dir), { force: true });
  await rename(dir, doomed);
  await removeTree(doomed);
}

/** Name of a built tree's folder. Not shortened: an author of commits could make two with one short name. */
export function keyOf(content: unknown): string {
  return hash('sha256', JSON.stringify(content));
}

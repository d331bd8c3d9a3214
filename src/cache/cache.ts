// What bpfgate keeps between runs: unpacked kernels, tools, sources. An entry is a folder, complete or absent.

import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { runOrThrow } from '../adapters/process.ts';
import { InputError, MachineError, machineFailure } from '../errors.ts';

export interface Cache {
  /** Absolute path of the cache's folder; it need not exist yet. */
  readonly root: string;
  /** Where entries that are not here may be. Default: nowhere. */
  readonly remote?: RemoteCache | undefined;
}

/** A cache that machines share, such as that of a repository's workflows. */
export interface RemoteCache {
  /**
   * Brings an entry into the folder `place` gives for it.
   *
   * @param place moves a complete folder to where the entry belongs
   * @returns whether it was there, under exactly this key
   */
  restore(kind: string, key: string, place: (folder: string) => Promise<void>): Promise<boolean>;
  /** Is told of each entry that was made here. */
  made(kind: string, key: string, path: string): void;
}

/**
 * Where the cache is: BPFGATE_CACHE, else `$XDG_CACHE_HOME/bpfgate`, else `~/.cache/bpfgate`.
 *
 * @throws InputError when BPFGATE_CACHE is not absolute
 */
export function locateCache(env: NodeJS.ProcessEnv = process.env): string {
  const own = env.BPFGATE_CACHE;
  if (own !== undefined && own !== '') {
    if (isAbsolute(own)) return own;
    throw new InputError(`BPFGATE_CACHE must be an absolute path, got "${own}"`);
  }
  // The XDG base directory specification tells to ignore relative paths.
  const xdg = env.XDG_CACHE_HOME;
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'bpfgate');
  return join(env.HOME || homedir(), '.cache', 'bpfgate');
}

/** Links in the path are followed here, because a guest sees the host's files where they really are. */
export function openCache(root: string = locateCache()): Cache {
  let existing = root;
  while (!existsSync(existing)) existing = dirname(existing);
  return { root: join(realpathSync(existing), relative(existing, root)) };
}

/** Where an entry is or will be. */
export function entryPath(cache: Cache, kind: string, key: string): string {
  return join(cache.root, kind, key);
}

/** Absolute path of a complete entry, undefined when there is none. */
export function findEntry(cache: Cache, kind: string, key: string): string | undefined {
  const path = entryPath(cache, kind, key);
  return existsSync(path) ? path : undefined;
}

/** Like `findEntry`, but of one that is not here the remote cache is asked. */
export async function obtainEntry(cache: Cache, kind: string, key: string): Promise<string | undefined> {
  const path = entryPath(cache, kind, key);
  if (existsSync(path)) return path;
  const isRestored = await cache.remote?.restore(kind, key, async (folder) => {
    await mkdir(dirname(path), { recursive: true });
    await flushForeignTree(folder);
    await moveIntoPlace(folder, path);
  });
  return isRestored ? findEntry(cache, kind, key) : undefined;
}

/**
 * Fills an entry in a folder beside its place and renames it into place, so that nobody ever sees half of one.
 * Of several processes that fill the same entry at once the first wins; the others discard their own.
 * Where the entry exists already, here or in the remote cache, `fill` is not called. When `fill` throws, nothing is left.
 *
 * @returns the entry's absolute path
 * @throws MachineError when the cache cannot be written
 */
export async function publishEntry(
  cache: Cache,
  kind: string,
  key: string,
  fill: (dir: string) => Promise<void>,
): Promise<string> {
  const path = entryPath(cache, kind, key);
  if ((await obtainEntry(cache, kind, key)) !== undefined) return path;
  const temporary = await createTemporary(join(cache.root, kind), key);
  try {
    await fill(temporary);
    await flushTree(temporary);
    await moveIntoPlace(temporary, path);
    cache.remote?.made(kind, key, path);
    return path;
  } catch (error) {
    const failure = machineFailure(error);
    if (failure === undefined) throw error;
    throw new MachineError(`cannot write to the cache \`${dirname(path)}\`: ${failure.message}`, {
      cause: error,
      ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Makes an entry of a complete folder on the cache's disk that somebody else's code has filled, such as a build. Where the
 * entry is there already, the folder stays where it is.
 *
 * @returns the entry's absolute path
 * @throws MachineError when it cannot be brought to the disk
 */
export async function adoptEntry(cache: Cache, kind: string, key: string, folder: string): Promise<string> {
  const path = entryPath(cache, kind, key);
  await flushForeignTree(folder);
  await moveIntoPlace(folder, path);
  cache.remote?.made(kind, key, path);
  return path;
}

/**
 * Like `flushTree`, by one call for the whole file system: what others have filled can hold names that Node does not
 * read, and files that their owner may not open.
 */
async function flushForeignTree(folder: string): Promise<void> {
  await runOrThrow('sync', ['--file-system', folder]);
}

/**
 * Brings all below a folder to the disk. Else a power cut after the entry was renamed may leave it in its place with
 * files that are empty: file systems write names before contents.
 */
async function flushTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) await flush(join(entry.parentPath, entry.name));
  }
  await flush(folder);
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function createTemporary(folder: string, key: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    await removeAbandoned(folder);
    return await mkdtemp(join(folder, `.${key}.${process.pid}.`));
  } catch (cause) {
    throw new MachineError(`cannot write to the cache \`${folder}\``, {
      cause,
      hint: 'set BPFGATE_CACHE to a folder that can be written',
    });
  }
}

async function moveIntoPlace(temporary: string, path: string): Promise<void> {
  try {
    await rename(temporary, path);
  } catch (error) {
    // Someone else's equal entry got there first; renaming never replaces a folder that holds anything.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

/** Removes the unfinished folders of processes that have ended without cleaning up, such as after SIGKILL. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^\..+\.(\d+)\.[^.]+$/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // Moved away first: two processes may be cleaning at once.
    const doomed = join(folder, `.doomed.${process.pid}.${randomBytes(6).toString('hex')}`);
    await rename(join(folder, name), doomed).then(
      () => rm(doomed, { recursive: true, force: true }),
      () => {},
    );
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Bytes in all files below a folder, links not followed. */
export async function measureFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    const stats = await lstat(join(folder, name));
    if (stats.isFile()) bytes += stats.size;
  }
  return bytes;
}

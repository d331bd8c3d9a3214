// What bpfgate keeps between runs: unpacked kernels, tools, sources. An entry is a folder, complete or absent.

import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { InputError, MachineError } from '../errors.ts';

export interface Cache {
  /** Absolute path of the cache's folder; it need not exist yet. */
  readonly root: string;
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

/**
 * Fills an entry in a folder beside its place and renames it into place, so that nobody ever sees half of one.
 * Of several processes that fill the same entry at once the first wins; the others discard their own.
 * Where the entry exists already, `fill` is not called. When `fill` throws, nothing is left.
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
  if (existsSync(path)) return path;
  const temporary = await createTemporary(join(cache.root, kind), key);
  try {
    await fill(temporary);
    await moveIntoPlace(temporary, path);
    return path;
  } finally {
    await rm(temporary, { recursive: true, force: true });
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

// Cache: keeps unpacked kernels, tools and sources between runs. An entry is a folder, complete or absent.

import { createHash, hash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync, realpathSync, statfsSync } from 'node:fs';
import {
  access,
  constants,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { hashFile } from '../adapters/hash-file.ts';
import { runOrThrow } from '../adapters/process.ts';
import { InputError, MachineError, machineFailure } from '../common/errors.ts';

export interface Cache {
  /** Absolute path of the cache's folder; it need not exist yet. */
  readonly root: string;
  /** Cache to ask for entries that are missing here. Default: none. */
  readonly remote?: RemoteCache | undefined;
}

/** A cache that machines share, such as that of a repository's workflows. */
export interface RemoteCache {
  /**
   * Restores an entry into the folder that `place` gives for it.
   *
   * @param place moves a complete folder to the entry's place
   * @returns whether there was an entry under exactly this key
   */
  restore(kind: string, key: string, place: (folder: string) => Promise<void>): Promise<boolean>;
  /** Called for each entry that was made here. */
  made(kind: string, key: string, path: string): void;
}

/**
 * Path of the cache: BPFGATE_CACHE, else `$XDG_CACHE_HOME/bpfgate`, else `~/.cache/bpfgate`.
 *
 * @throws InputError when BPFGATE_CACHE is not absolute
 */
export function locateCache(env: NodeJS.ProcessEnv = process.env): string {
  const own = env.BPFGATE_CACHE;
  if (own !== undefined && own !== '') {
    if (isAbsolute(own)) return own;
    throw new InputError(`BPFGATE_CACHE must be an absolute path, got "${own}"`);
  }
  // The XDG base directory specification says that relative paths are ignored.
  const xdg = env.XDG_CACHE_HOME;
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'bpfgate');
  return join(env.HOME || homedir(), '.cache', 'bpfgate');
}

/** Types of the kernel's own file systems: proc and sysfs. Node's `mkdir` with `recursive` does not end in them. */
const ofKernel = [0x9fa0, 0x62656572];

/**
 * Resolves links in the path, because a guest sees the host's files at their real places.
 *
 * @throws InputError when no file can be kept there
 */
export function openCache(root: string = locateCache()): Cache {
  let existing = root;
  while (!existsSync(existing)) existing = dirname(existing);
  if (ofKernel.includes(statfsSync(existing).type)) {
    throw new InputError(`the cache cannot be \`${root}\`: \`${existing}\` holds no files of users`, {
      hint: 'set BPFGATE_CACHE to a folder that can be written',
    });
  }
  return { root: join(realpathSync(existing), relative(existing, root)) };
}

/**
 * Kinds of entries that take long to make and are the same for all runs. A kind gets another name when its entries
 * change, because no entry is made again.
 */
export const commonKinds = {
  agent: 'agent',
  kernels: 'kernels-2',
  plugin: 'plugin',
  rustSrc: 'rust-src',
  tools: 'tools',
} as const;

/**
 * Makes sure that a folder of the cache exists and can be written.
 *
 * @throws MachineError when it cannot
 */
export async function makeCacheFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.W_OK);
  } catch (cause) {
    throw new MachineError(`cannot write to the cache \`${path}\`: ${(cause as Error).message}`, {
      cause,
      hint: 'set BPFGATE_CACHE to a folder that can be written',
    });
  }
}

/** Path of an entry, which need not exist yet. */
export function entryPath(cache: Cache, kind: string, key: string): string {
  return join(cache.root, kind, key);
}

/** Absolute path of a complete entry; undefined when there is none. */
export function findEntry(cache: Cache, kind: string, key: string): string | undefined {
  const path = entryPath(cache, kind, key);
  return existsSync(path) ? path : undefined;
}

/**
 * Like `findEntry`, but asks the remote cache for a missing entry, and compares an entry with the sum recorded when it
 * came into the cache.
 *
 * @throws MachineError when the entry has changed
 */
export async function obtainEntry(cache: Cache, kind: string, key: string): Promise<string | undefined> {
  const path = findEntry(cache, kind, key) ?? (await restoreEntry(cache, kind, key));
  if (path === undefined) return undefined;
  try {
    await requireUnchanged(cache, kind, key);
  } catch (error) {
    // Another process may have removed it meanwhile.
    if (findEntry(cache, kind, key) === undefined) return undefined;
    throw error;
  }
  return path;
}

/** Removes an entry. It is renamed first, so that no process sees a part of it. A missing entry is no error. */
export async function removeEntry(cache: Cache, kind: string, key: string): Promise<void> {
  const doomed = join(cache.root, kind, temporaryName(key));
  await forgetSum(cache, kind, key);
  await rename(entryPath(cache, kind, key), doomed).catch(() => {});
  await rm(doomed, { recursive: true, force: true });
}

/** Restores a missing entry from the remote cache. Its content is not checked. */
export async function restoreEntry(cache: Cache, kind: string, key: string): Promise<string | undefined> {
  const path = entryPath(cache, kind, key);
  const isRestored = await cache.remote?.restore(kind, key, async (folder) => {
    await mkdir(dirname(path), { recursive: true });
    await forgetSum(cache, kind, key);
    await flushForeignTree(folder);
    await moveIntoPlace(folder, path);
  });
  return isRestored ? findEntry(cache, kind, key) : undefined;
}

/**
 * Whether entries of a kind have no sum here. A kernel has those of its record. A demo's repository is for its user to
 * change. A saved machine is 100 MB, which would be read before each guest.
 */
const isUnchecked = (kind: string) => kind === commonKinds.kernels || kind === 'demo' || kind.startsWith('snapshots/');

/** Entries that this process has compared with their sums. Each is compared once. */
const unchanged = new Set<string>();

/** Path of an entry's sum. It is outside of the entry, which is saved for other machines as it is. */
function sumPath(cache: Cache, kind: string, key: string): string {
  return join(cache.root, 'sums', kind, key);
}

/** Compares an entry with its sum. An entry without one, such as one from another machine, gets its sum now. */
async function requireUnchanged(cache: Cache, kind: string, key: string): Promise<void> {
  const path = entryPath(cache, kind, key);
  if (isUnchecked(kind) || unchanged.has(path)) return;
  const sum = await hashFiles(path);
  const recorded = await readFile(sumPath(cache, kind, key), 'utf8').catch(() => undefined);
  if (recorded === undefined) await writeSum(cache, kind, key, sum);
  else if (recorded !== sum) {
    throw new MachineError(`\`${path}\` was changed after it came into the cache, and is not used`, {
      hint: `find out what changed it, then \`rm -r ${path}\`: it is made again when next needed`,
    });
  }
  unchanged.add(path);
}

async function forgetSum(cache: Cache, kind: string, key: string): Promise<void> {
  unchanged.delete(entryPath(cache, kind, key));
  await rm(sumPath(cache, kind, key), { force: true });
}

/** Records a sum. Failing to write it is no error: the entry is compared once its sum could be written. */
async function writeSum(cache: Cache, kind: string, key: string, sum: string): Promise<void> {
  const path = sumPath(cache, kind, key);
  const temporary = join(dirname(path), temporaryName(key));
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, sum, { flush: true });
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true });
  }
}

/** SHA-256 over the paths, modes and contents of all regular files below a folder. */
async function hashFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const list = createHash('sha256');
  for (const file of files.sort()) {
    const { mode } = await lstat(file);
    list.update(JSON.stringify([relative(folder, file), mode, await hashFile(file)]));
  }
  return list.digest('hex');
}

/**
 * Fills an entry in a folder next to its place and renames that into place, so that no process sees half an entry. If
 * several processes fill the same entry at once, the first wins; the others discard their own. Where the entry exists
 * already, here or in the remote cache, `fill` is not called. When `fill` throws, nothing is left.
 *
 * @returns the entry's absolute path
 * @throws MachineError when the cache cannot be written, or the entry has changed since it was made
 */
export async function publishEntry(
  cache: Cache,
  kind: string,
  key: string,
  fill: (dir: string) => Promise<void>,
): Promise<string> {
  const path = entryPath(cache, kind, key);
  if ((await obtainEntry(cache, kind, key)) !== undefined) return path;
  const folder = dirname(path);
  await makeCacheFolder(folder);
  await removeAbandoned(folder);
  const temporary = join(folder, temporaryName(key));
  await mkdir(temporary, { mode: 0o700 });
  try {
    await fill(temporary);
    await flushTree(temporary);
    // A sum that exists here belongs to an entry that was removed.
    await forgetSum(cache, kind, key);
    await moveIntoPlace(temporary, path);
    await requireUnchanged(cache, kind, key);
    cache.remote?.made(kind, key, path);
    return path;
  } catch (error) {
    const failure = machineFailure(error);
    if (failure === undefined) throw error;
    throw new MachineError(`cannot write to the cache \`${folder}\`: ${failure.message}`, {
      cause: error,
      hint: failure.hint,
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Makes an entry from a complete folder on the cache's disk that other people's code has filled, such as a build. If
 * the entry exists already, the folder stays where it is.
 *
 * @returns the entry's absolute path
 * @throws MachineError when it cannot be flushed to the disk
 */
export async function adoptEntry(cache: Cache, kind: string, key: string, folder: string): Promise<string> {
  const path = entryPath(cache, kind, key);
  await flushForeignTree(folder);
  await moveIntoPlace(folder, path);
  cache.remote?.made(kind, key, path);
  return path;
}

/**
 * Like `flushTree`, with one call for the whole file system: foreign code can leave names that Node does not read, and
 * files that their owner may not open.
 */
async function flushForeignTree(folder: string): Promise<void> {
  await runOrThrow('sync', ['--file-system', folder]);
}

/**
 * Flushes everything below a folder to the disk. Otherwise a power cut after the entry was renamed could leave it in
 * its place with empty files: file systems write names before contents.
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

async function moveIntoPlace(temporary: string, path: string): Promise<void> {
  try {
    await rename(temporary, path);
  } catch (error) {
    // Another process's equal entry got there first. Renaming never replaces a folder that is not empty.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

/** Name of an unfinished folder or file of this process. */
function temporaryName(key: string): string {
  return `.${key}.${processSpace()}-${process.pid}.${randomBytes(6).toString('hex')}`;
}

/** Identifies the processes that this one can see: of this boot and this PID namespace. Containers can share a cache. */
function processSpace(): string {
  const space = [readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), readlinkSync('/proc/self/ns/pid')];
  return hash('sha256', space.join()).slice(0, 12);
}

/** Time after which an unfinished folder of a process that cannot be seen counts as abandoned. */
const unfinishedMs = 24 * 3_600_000;

/** Removes the unfinished folders of processes that have ended without cleaning up, such as after SIGKILL. */
async function removeAbandoned(folder: string): Promise<void> {
  const own = processSpace();
  for (const name of await readdir(folder)) {
    const [, space, pid] = /^\..+\.(?:(\w+)-)?(\d+)\.[^.]+$/.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    const modifiedMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
    if (space === own ? isAlive(Number(pid)) : Date.now() - modifiedMs < unfinishedMs) continue;
    // Moved away first, because two processes may clean up at once.
    const doomed = join(folder, temporaryName('doomed'));
    await rename(path, doomed).then(
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

/** Total size in bytes of all files below a folder. Links are not followed. */
export async function measureFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    const stats = await lstat(join(folder, name));
    if (stats.isFile()) bytes += stats.size;
  }
  return bytes;
}

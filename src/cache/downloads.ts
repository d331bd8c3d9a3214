// Cache: entries that take long to make. One process at a time makes an entry, and an incomplete download is kept for the
// next.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { type Cache, findEntry, makeCacheFolder, publishEntry } from './cache.ts';
import { withLock } from './lock.ts';

/** Time after which an incomplete download is removed. */
const keptMs = 7 * 24 * 3_600_000;

/** Path of the file that keeps an incomplete download. */
export function partialPath(cache: Cache, sha256: string): string {
  return join(downloadsFolder(cache), sha256);
}

export interface FetchedEntryOptions {
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Name of the entry in messages. */
  readonly name: string;
}

/**
 * Publishes an entry that takes long to make. Others who want it wait, also in this process, and use the same.
 *
 * @throws MachineError when the cache cannot be written
 */
export async function publishFetched(
  cache: Cache,
  kind: string,
  key: string,
  { log, signal, name }: FetchedEntryOptions,
  fill: (dir: string) => Promise<void>,
): Promise<string> {
  const publish = () => publishEntry(cache, kind, key, fill);
  if (findEntry(cache, kind, key) !== undefined) return await publish();
  const folder = downloadsFolder(cache);
  await makeCacheFolder(folder);
  await removeOld(folder);
  const waiting = `waiting for ${name}, which is being fetched or built`;
  return await withLock(join(folder, `${key}.lock`), { log, signal, waiting }, publish);
}

function downloadsFolder(cache: Cache): string {
  return join(cache.root, 'downloads');
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > keptMs) await rm(file, { force: true });
  }
}

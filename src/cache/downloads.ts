// Cache: entries that take long to make. One process at a time makes an entry.

import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { type Cache, findEntry, makeCacheFolder, publishEntry } from './cache.ts';
import { withLock } from './lock.ts';

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
  const folder = join(cache.root, 'downloads');
  await makeCacheFolder(folder);
  const waiting = `waiting for ${name}, which is being fetched or built`;
  return await withLock(join(folder, `${key}.lock`), { log, signal, waiting }, publish);
}

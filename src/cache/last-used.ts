// Cache: removes the entries of a folder that were used least recently. An entry's time is that of its last use.

import { readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** Marks an entry as used now. */
export async function markUsed(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now);
}

export interface Pruning {
  readonly isEntry: (name: string) => boolean;
  /** Called for each entry, the last used first, which has index 0. */
  readonly stays: (path: string, index: number) => Promise<boolean>;
  readonly remove: (path: string) => Promise<void>;
}

export async function prune(folder: string, { isEntry, stays, remove }: Pruning): Promise<void> {
  const paths = (await readdir(folder)).filter(isEntry).map((name) => join(folder, name));
  // Another run may remove an entry meanwhile.
  const lastUses = paths.map(async (path) => ({
    path,
    usedMs: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0,
  }));
  const entries = (await Promise.all(lastUses)).sort((a, b) => b.usedMs - a.usedMs);
  for (const [index, { path }] of entries.entries()) {
    if (!(await stays(path, index))) await remove(path);
  }
}

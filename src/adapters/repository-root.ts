// Adapter: finds the root of the repository that a folder is in, without git.

import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Levels above the folder that are searched for the root. */
const maxDepth = 20;

/** Finds the repository's root; outside a repository, the folder itself. */
export async function findRepositoryRoot(folder: string): Promise<string> {
  let at = folder;
  for (let depth = 0; depth < maxDepth; depth++, at = dirname(at)) {
    if ((await lstat(join(at, '.git')).catch(() => undefined)) !== undefined) return at;
    if (at === dirname(at)) break;
  }
  return folder;
}

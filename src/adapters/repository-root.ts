// Adapter: the root of the repository that a folder is in, found without git.

import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** How far above the folder the root is looked for. */
const maxDepth = 20;

/** The repository's root; the folder itself outside of a repository. */
export async function findRepositoryRoot(folder: string): Promise<string> {
  let at = folder;
  for (let depth = 0; depth < maxDepth; depth++, at = dirname(at)) {
    if ((await lstat(join(at, '.git')).catch(() => undefined)) !== undefined) return at;
    if (at === dirname(at)) break;
  }
  return folder;
}

// Prerequisites: links to cache entries.

import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a link in one step, with the folders above it. Replaces an equal one that another process made meanwhile. */
export async function placeLink(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  await symlink(target, temporary);
  await rename(temporary, path);
}

// One file as both revisions have it.

import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Build, Builds } from './build.ts';

/** In bytes. */
const maxFile = 1024 * 1024;

/**
 * A source file's texts, base's first; null where one has none that can be read, or that is larger than 1 MiB.
 *
 * @param inBase path below the tree's root. It may come out of a program, so one that leads outside is not read
 * @param inHead the same in head, in which the file may have another name
 */
export async function readBoth(
  { base: before, head: after }: Builds,
  inBase: string,
  inHead: string,
): Promise<readonly [base: string, head: string] | null> {
  const [base, head] = await Promise.all([readInside(before, inBase), readInside(after, inHead)]);
  return typeof base === 'string' && typeof head === 'string' ? [base, head] : null;
}

async function readInside({ dir }: Build, path: string): Promise<string | null> {
  try {
    const file = await realpath(join(dir, path));
    if (!file.startsWith((await realpath(dir)) + sep)) return null;
    const found = await stat(file);
    return found.isFile() && found.size <= maxFile ? await readFile(file, 'utf8') : null;
  } catch {
    return null;
  }
}

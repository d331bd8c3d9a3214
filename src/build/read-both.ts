// Build: reads one file in both revisions.

import { readFileBelow } from '../adapters/regular-file.ts';
import type { Build, Builds } from '../model/build.ts';

/** Maximum size, in bytes. */
const maxFile = 1024 * 1024;

/**
 * Reads a source file's texts, base's first; null where one is missing, not a regular file, a link, or over 1 MiB.
 *
 * @param inBase path below the tree's root. It may come from a program, so a path that leads outside is not read
 * @param inHead the same in head, in which the file may have another name
 */
export async function readBoth(
  { base: before, head: after }: Builds,
  inBase: string,
  inHead: string,
): Promise<readonly [base: string, head: string] | null> {
  const [base, head] = await Promise.all([read(before, inBase), read(after, inHead)]);
  return base === undefined || head === undefined ? null : [base, head];
}

async function read({ dir }: Build, path: string): Promise<string | undefined> {
  return await readFileBelow(dir, path, maxFile).catch(() => undefined);
}

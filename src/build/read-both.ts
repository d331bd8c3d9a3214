// One file as both revisions have it.

import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { type Build, type Builds, revisionNames } from './build.ts';

/** In bytes. */
const maxFile = 1024 * 1024;

/**
 * A source file's texts, base's first; null where one has none that can be read, or that is larger than 1 MiB.
 *
 * @param path below the trees' roots. It may come out of a program, so one that leads outside is not read
 */
export async function readBoth(builds: Builds, path: string): Promise<readonly [base: string, head: string] | null> {
  const texts = await Promise.all(revisionNames.map((revision) => readInside(builds[revision], path)));
  const [base, head] = texts;
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

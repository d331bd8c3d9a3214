// Guest: identifies what the benches of a build can have read of its tree: the files that they opened, and the names of
// all files but those in caches such as cargo's target folder.

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '../adapters/hash-file.ts';
import { sealOf } from '../build/seal.ts';
import type { Build } from '../model/build.ts';

/** A file that marks its folder as a cache, as cargo's target folder is (https://bford.info/cachedir/). */
const cacheMark = 'CACHEDIR.TAG';

/** The files of a built tree. */
export interface TreeFiles {
  readonly dir: string;
  /** Whether a path below the tree is that of a regular file or, with a slash at its end, of a folder. */
  readonly has: (path: string) => boolean;
  /** Names in a folder, whose path ends with a slash; `/` is the tree. */
  readonly list: (folder: string) => readonly string[];
  /** SHA-256 over path, type, mode and link target of each entry outside of caches, and of all links. */
  readonly names: string;
}

/** Reads a built tree's files from its seal; undefined if the seal is not that of the build. */
export async function readTreeFiles({ dir, seal }: Pick<Build, 'dir' | 'seal'>): Promise<TreeFiles | undefined> {
  const list = await readFile(sealOf(dir)).catch(() => undefined);
  if (list === undefined || hash('sha256', list) !== seal) return undefined;
  const entries = list
    .toString()
    .split('\0')
    .flatMap((line) => {
      const [, path, type, mode, target] = /^(.*?)\t(\w) (\d+) \d+ \d+ \S+ \S+ (.*)$/s.exec(line) ?? [];
      return path === undefined ? [] : [{ path, type, mode, target }];
    });
  const caches = entries.flatMap(({ path }) =>
    path.endsWith(`/${cacheMark}`) ? [path.slice(0, -cacheMark.length)] : [],
  );
  const isCached = (path: string) => caches.some((folder) => path.startsWith(folder));
  const named = entries.filter(({ path, type }) => type === 'l' || !isCached(path));
  const typeOf = new Map(entries.map(({ path, type }) => [path, type]));
  return {
    dir,
    has: (path) =>
      path === '/' || (path.endsWith('/') ? typeOf.get(path.slice(0, -1)) === 'd' : typeOf.get(path) === 'f'),
    list: (folder) => {
      const start = folder === '/' ? '' : folder;
      const below = entries.filter(({ path }) => path.startsWith(start) && !path.includes('/', start.length));
      return below.map(({ path }) => path);
    },
    names: hash('sha256', JSON.stringify(named)),
  };
}

/**
 * SHA-256 over the tree's names, the contents of these files of it, and the names in these folders of it. Others count as
 * missing.
 */
export async function hashOpened({ dir, has, list, names }: TreeFiles, opened: readonly string[]): Promise<string> {
  const contents: unknown[] = [];
  for (const path of opened) {
    if (!has(path)) contents.push([path, null]);
    else contents.push([path, path.endsWith('/') ? list(path) : await hashFile(join(dir, path))]);
  }
  return hash('sha256', JSON.stringify([names, contents]));
}

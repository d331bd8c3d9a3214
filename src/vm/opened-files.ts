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
  /** Paths of regular files below the tree. */
  readonly paths: ReadonlySet<string>;
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
  return {
    dir,
    paths: new Set(entries.flatMap(({ path, type }) => (type === 'f' ? [path] : []))),
    names: hash('sha256', JSON.stringify(named)),
  };
}

/** SHA-256 over the tree's names, and over the contents of these files of it. Others count as missing. */
export async function hashOpened({ dir, paths, names }: TreeFiles, opened: readonly string[]): Promise<string> {
  const contents: [string, string | null][] = [];
  for (const path of opened) contents.push([path, paths.has(path) ? await hashFile(join(dir, path)) : null]);
  return hash('sha256', JSON.stringify([names, contents]));
}

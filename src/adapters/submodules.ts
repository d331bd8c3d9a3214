// Adapter: the places of submodules' repositories on this machine. A commit is looked up by its id in the stores found
// here. So no name or path in a `.gitmodules`, which a pull request writes, leads anywhere.

import { lstat, readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InputError } from '../common/errors.ts';
import { readFileBelow } from './regular-file.ts';

/** The most submodules of one tree, and repositories of submodules in one clone. */
export const maxSubmodules = 1000;
/** Depth of nested folders, as in `modules/vendor/libbpf/modules/...`. */
const maxDepth = 32;
/** Longest `.git` file, in bytes. */
const maxGitFile = 4096;

/**
 * Finds the object stores of every repository below `modules` of a git folder, where `git submodule update` and
 * actions/checkout put them, nested ones included. Links are not followed.
 *
 * @returns absolute paths
 */
export async function findModuleStores(gitDir: string): Promise<string[]> {
  const stores: string[] = [];
  const look = async (folder: string, depth: number): Promise<void> => {
    if (depth > maxDepth || stores.length >= maxSubmodules) return;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const isRepository = entries.some(({ name }) => name === 'HEAD') && folders.includes('objects');
    if (isRepository) stores.push(join(folder, 'objects'));
    for (const name of isRepository ? ['modules'] : folders) await look(join(folder, name), depth + 1);
  };
  await look(join(gitDir, 'modules'), 0);
  return stores;
}

/**
 * Finds the git folder of the submodule checked out at `path`: its own `.git`, or what a `.git` file there names.
 *
 * @param parents git folders of the repository that it is in; a file must name a folder below `modules` of one of them
 * @returns undefined if nothing is checked out, or a link is part of the path
 * @throws InputError when the file names another place
 */
export async function findGitDir(
  { workTree, path }: { readonly workTree: string; readonly path: string },
  parents: readonly string[],
): Promise<string | undefined> {
  const folder = join(workTree, path);
  if ((await realpath(folder).catch(() => undefined)) !== join(await realpath(workTree), path)) return undefined;
  const git = join(folder, '.git');
  const found = await lstat(git).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return git;
  const text = found.isFile() ? await readFileBelow(folder, '.git', maxGitFile) : undefined;
  const named = /^gitdir: ([^\n]+)\n*$/.exec(text ?? '')?.[1];
  const real = named === undefined ? undefined : await realpath(resolve(folder, named)).catch(() => undefined);
  for (const parent of parents) {
    const modules = await realpath(join(parent, 'modules')).catch(() => undefined);
    if (real !== undefined && modules !== undefined && real.startsWith(`${modules}/`)) return real;
  }
  const said = named === undefined ? 'names no git folder' : `names the git folder ${named}`;
  throw new InputError(`${git} ${said}, and not one below ${join(parents[0] ?? '', 'modules')}`, {
    hint: 'a submodule is checked out by `git submodule update --init`; a repository that merely lies in the tree belongs in .gitignore',
  });
}

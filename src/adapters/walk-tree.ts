// Adapter: the files of a tree, parts of which may be unreadable or unsearchable.

import { readdir } from 'node:fs/promises';

/** Folders that build tools fill, also with other projects' files. */
const neverProjects = new Set(['.git', 'node_modules', 'target', 'vendor']);
const maxFiles = 20_000;

/**
 * Lists every regular file below a folder, folders in the order of their names. Links are not followed; a folder that
 * cannot be read counts as empty.
 *
 * @param skipped names of folders to leave out, wherever they are
 * @returns paths relative to the folder, with slashes
 */
export async function* walkTree(folder: string, skipped: ReadonlySet<string>): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isFile()) yield entry.name;
    if (!entry.isDirectory() || skipped.has(entry.name)) continue;
    for await (const path of walkTree(`${folder}/${entry.name}`, skipped)) yield `${entry.name}/${path}`;
  }
}

/** Lists the first files below a folder among which projects are searched for, like `walkTree`. */
export async function* walkProjects(folder: string): AsyncGenerator<string> {
  let listed = 0;
  for await (const path of walkTree(folder, neverProjects)) {
    yield path;
    if (++listed === maxFiles) return;
  }
}

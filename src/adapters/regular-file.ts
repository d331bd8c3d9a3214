// Adapter: files of a project, which a pull request controls: read as regular files, no links followed, bounded in size.

import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/**
 * Reads a text below a folder.
 *
 * @param path relative to the folder
 * @returns undefined when there is no such file
 * @throws Error that says why the file cannot be read: it leads out of the folder or through a link, is no regular file,
 * or is longer than `maxBytes`
 */
export async function readFileBelow(folder: string, path: string, maxBytes: number): Promise<string | undefined> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return undefined;
  const file = join(root, path);
  if (relative(root, file).split(sep)[0] === '..') throw new Error('it is outside of the folder');
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK, opening a pipe waits for a writer.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Error(code === 'ELOOP' ? 'it is a link' : `it cannot be opened (${code})`);
  }
  try {
    if ((await realpath(file)) !== file) throw new Error('a folder of its path is a link');
    const found = await handle.stat();
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > maxBytes) throw new Error(`it has ${found.size} bytes, more than ${maxBytes}`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

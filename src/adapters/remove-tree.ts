// Adapter: removes folders that other people's code has filled.

import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { run } from './process.ts';

/**
 * Removes a folder with all its contents, which may be nested deeper than a path can name, or closed to its owner: Node
 * removes neither. A missing folder counts as removed.
 *
 * @throws Error with the output of `rm` when something is left
 */
export async function removeTree(path: string): Promise<void> {
  // The programs run in another folder.
  const folder = resolve(path);
  if (await isMissing(folder)) return;
  const args = ['-rf', '--', folder];
  if ((await run('rm', args)).exitCode === 0) return;
  await run('chmod', ['-R', 'u+rwX', '--', folder]);
  const { exitCode, stderr } = await run('rm', args);
  if (exitCode !== 0) throw new Error(`cannot remove ${folder}: ${stderr.trim().slice(-1000)}`);
}

/** Whether nothing is there. What cannot be looked at is left to `rm`. */
async function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT',
  );
}

// Adapter: folders that exist while something works in them.

import { mkdtemp } from 'node:fs/promises';
import { removeTree } from './remove-tree.ts';

/** @param prefix absolute path to which the folder's name adds some characters */
export async function withTemporaryFolder<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(prefix);
  try {
    return await work(folder);
  } finally {
    await removeTree(folder);
  }
}

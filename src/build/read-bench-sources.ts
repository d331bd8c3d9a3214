// The Rust sources of a tree's benchmarks, in which a benchmark is looked up by its name.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceText } from '../bench/find-criterion-line.ts';

/** Of one file, in bytes; and of files, in number. */
const maxFile = 1024 * 1024;
const maxFiles = 1000;
const skipped = new Set(['.git', 'target', 'node_modules']);

/**
 * Every `.rs` below a folder called `benches` in the project. What cannot be read is left out.
 *
 * @param dir absolute path of the tree
 * @param projectPath below the tree; empty at its root
 */
export async function readBenchSources(dir: string, projectPath: string): Promise<SourceText[]> {
  const sources: SourceText[] = [];
  const walk = async (folder: string, isBenches: boolean): Promise<void> => {
    const entries = await readdir(join(dir, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !skipped.has(entry.name)) await walk(path, isBenches || entry.name === 'benches');
      if (!entry.isFile() || !isBenches || !entry.name.endsWith('.rs') || sources.length >= maxFiles) continue;
      const file = join(dir, path);
      const size = await stat(file).then(
        (found) => found.size,
        () => maxFile + 1,
      );
      if (size > maxFile) continue;
      const text = await readFile(file, 'utf8').catch(() => null);
      if (text !== null) sources.push({ path, text });
    }
  };
  await walk(projectPath, false);
  return sources;
}

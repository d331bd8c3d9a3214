// The Rust sources of a tree's benchmarks, in which a benchmark is looked up by its name.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { walkTree } from '../adapters/walk-tree.ts';
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
 * @returns paths below the tree
 */
export async function readBenchSources(dir: string, projectPath: string): Promise<SourceText[]> {
  const sources: SourceText[] = [];
  for await (const file of walkTree(join(dir, projectPath), skipped)) {
    if (!/(^|\/)benches\/.*\.rs$/.test(file)) continue;
    const path = projectPath === '' ? file : `${projectPath}/${file}`;
    const size = await stat(join(dir, path)).then(
      (found) => found.size,
      () => maxFile + 1,
    );
    if (size > maxFile) continue;
    const text = await readFile(join(dir, path), 'utf8').catch(() => null);
    if (text !== null) sources.push({ path, text });
    if (sources.length === maxFiles) break;
  }
  return sources;
}

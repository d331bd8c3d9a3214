// The Rust sources of a tree's benchmarks, in which a benchmark is looked up by its name.

import { join } from 'node:path';
import { readFileBelow } from '../adapters/regular-file.ts';
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
    const text = await readFileBelow(dir, path, maxFile).catch(() => undefined);
    if (text !== undefined) sources.push({ path, text });
    if (sources.length === maxFiles) break;
  }
  return sources;
}

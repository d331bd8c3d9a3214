// Build: reads how a project uses Criterion, from its tree as data: its benches' sources, and the version it depends
// on.

import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readFileBelow } from '../adapters/regular-file.ts';
import { findRepositoryRoot } from '../adapters/repository-root.ts';
import { walkTree } from '../adapters/walk-tree.ts';
import type { CriterionUse, SourceText } from '../plan/criterion-command.ts';

/** Maximum size of one file, in bytes, and number of files. */
const maxFile = 1024 * 1024;
const maxFiles = 1000;
const maxLock = 16 * 1024 * 1024;
const skipped = new Set(['.git', 'target', 'node_modules']);

/**
 * Reads every `.rs` below a folder called `benches` in the project. Unreadable files are left out.
 *
 * @param dir absolute path of the tree
 * @param projectPath path below the tree; empty at its root
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

/**
 * Reads how a project uses Criterion. The version comes from the nearest Cargo.lock, in the project or above it.
 *
 * @param project absolute path of its folder
 */
export async function readCriterionUse(project: string): Promise<CriterionUse> {
  const folder = await realpath(project);
  const root = await findRepositoryRoot(folder);
  const below = relative(root, folder);
  const lock = (await readNearest(root, below, 'Cargo.lock')) ?? '';
  return {
    sources: await readBenchSources(root, below),
    wholeSeconds: /^name = "criterion"\r?\nversion = "0\.[0-3]\./m.test(lock),
  };
}

async function readNearest(root: string, below: string, name: string): Promise<string | undefined> {
  const parts = below === '' ? [] : below.split('/');
  for (let depth = parts.length; depth >= 0; depth--) {
    const text = await readFileBelow(root, [...parts.slice(0, depth), name].join('/'), maxLock).catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

// Gate: where the names that compilers give to source files are looked up.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceTree } from '../bench/locate-source.ts';
import type { Builds, RevisionName } from '../model/build.ts';

/** Finds the sources of a revision. Given objects come without theirs, so each name below the folder counts. */
export function findSources(
  { sources, workDir, projectPath, ...builds }: Builds,
  revision: RevisionName,
): Pick<SourceTree, 'workDir' | 'projectPath' | 'hasFile'> {
  if (sources !== undefined) {
    return { workDir: sources, projectPath, hasFile: (path) => !path.split('/').includes('..') };
  }
  return { workDir, projectPath, hasFile: (path) => existsSync(join(builds[revision].dir, path)) };
}

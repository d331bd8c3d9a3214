// Gate: where the names that compilers give to source files are looked up.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { walkProjects } from '../adapters/walk-tree.ts';
import type { FileTree } from '../bench/locate-source.ts';
import type { Builds, RevisionName } from '../model/build.ts';

/** Finds the sources of a revision. Given objects come without theirs, which may be below the working folder. */
export async function findSources(
  { sources, workDir, projectPath, ...builds }: Builds,
  revision: RevisionName,
): Promise<FileTree> {
  const dir = sources ?? builds[revision].dir;
  const hasFile = (path: string) => existsSync(join(dir, path));
  if (sources !== undefined) return { workDir: sources, projectPath, hasFile, files: [], objects: [], isPartial: true };
  const files: string[] = [];
  for await (const path of walkProjects(dir)) files.push(path);
  const objects = builds.objects.filter((object) => object.revision === revision);
  return { workDir, projectPath, hasFile, files, objects, isPartial: false };
}

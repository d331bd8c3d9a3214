// Build: finds the BPF objects a build left, by their first bytes.

import { hash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { readAtMost, readStart, withReadable } from '../adapters/regular-file.ts';
import { walkTree } from '../adapters/walk-tree.ts';
import { bpfObjectStart, isBpfObject, maxObject, maxObjects } from '../common/bpf-object.ts';
import { BuildError } from '../common/errors.ts';
import { leadsOut } from '../common/paths.ts';
import type { Build } from '../model/build.ts';
import type { FoundObject } from './name-objects.ts';
import { goCache } from './seed.ts';

/** Folders that are not built, or are cargo's or Go's own. */
export const skippedFolders = new Set(['.git', 'node_modules', '.fingerprint', 'incremental', goCache]);

/**
 * Finds every BPF object in a built tree's project, and in cargo's target folder at the tree's root.
 *
 * @param projectPath path below the tree's root; empty at the root
 * @throws BuildError when there are more than 20,000
 */
export async function findObjects(
  build: Build,
  projectPath: string,
  log: Log,
  signal?: AbortSignal,
): Promise<FoundObject[]> {
  const { revision } = build;
  const dir = await realpath(build.dir);
  const project = join(dir, projectPath);
  const found: FoundObject[] = [];
  for (const folder of projectPath === '' ? [project] : [project, join(dir, 'target')]) {
    for await (const below of walkTree(folder, skippedFolders)) {
      signal?.throwIfAborted();
      const file = join(folder, below);
      const object = await readObject(file);
      if (object === undefined) continue;
      if (object === 'too large') {
        log.warn(
          `${relative(dir, file)} of ${revision} is larger than ${maxObject / 2 ** 20} MiB, and is not verified`,
        );
        continue;
      }
      if (found.length === maxObjects) {
        throw new BuildError(`the build of ${revision} left more than ${maxObjects} BPF objects`, {
          hint: 'let build.command remove what no bench needs',
        });
      }
      const inProject = relative(project, file);
      const path = relative(dir, file);
      found.push({ revision, path, projectPath: leadsOut(inProject) ? path : inProject, ...object });
    }
  }
  return found;
}

/** Reads an object. A file that the build left unreadable, or that another program removes meanwhile, is none. */
async function readObject(file: string) {
  return await withReadable(file, async (handle) => {
    if (!isBpfObject(await readStart(handle, bpfObjectStart))) return undefined;
    const { mtimeMs } = await handle.stat();
    const bytes = await readAtMost(handle, maxObject);
    return bytes === undefined ? 'too large' : { digest: hash('sha256', bytes), modifiedMs: mtimeMs };
  });
}

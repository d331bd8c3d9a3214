// Build: puts the objects that a user gives where a project's build would have left them.

import { hash } from 'node:crypto';
import { copyFile, mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hashFile } from '../adapters/hash-file.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import { adoptEntry, makeCacheFolder } from '../cache/cache.ts';
import { withLock } from '../cache/lock.ts';
import { InputError } from '../common/errors.ts';
import type { Build, Builds, RevisionName } from '../model/build.ts';
import type { GivenObject, GivenObjects } from '../model/inputs.ts';
import { holdKept, type KeptRequest, pruneKept, takeKept } from './kept-builds.ts';
import { type FoundObject, nameObjects } from './name-objects.ts';
import { seal } from './seal.ts';

const kind = join('builds', 'objects');

export interface ObjectsRequest extends KeptRequest {
  readonly objects: GivenObjects;
}

/**
 * Copies the objects of each revision into a tree of the cache, named after their paths and contents.
 *
 * @throws InputError when one changes meanwhile
 */
export async function takeObjects({ objects, ...request }: ObjectsRequest): Promise<Builds> {
  const home = join(request.cache.root, kind);
  await makeCacheFolder(home);
  const workDir = join(home, 'work');
  const waiting = 'waiting for another bpfgate that copies objects';
  return await withLock(join(home, 'lock'), { ...request, waiting }, async () => {
    const taken = { base: await takeTree('base', objects.base), head: await takeTree('head', objects.head) };
    await pruneKept(home);
    const named = nameObjects([...taken.base.objects, ...taken.head.objects], ['*'], true);
    const builds = { base: taken.base.build, head: taken.head.build, workDir, projectPath: '' };
    return { ...builds, sources: process.cwd(), objects: named, warnings: [] };
  });

  async function takeTree(revision: RevisionName, own: readonly GivenObject[]) {
    const found: FoundObject[] = [];
    for (const { file, path } of own) {
      const { mtimeMs: modifiedMs } = await stat(file);
      found.push({ revision, path, projectPath: path, digest: await hashFile(file), modifiedMs });
    }
    const content = JSON.stringify(found.map(({ path, digest }) => [path, digest]).toSorted());
    // Not shortened: an author of objects could make two sets with one short name.
    const tree = hash('sha256', content);
    const ref = describe(own);
    const dir = join(home, tree);
    let sealed = await takeKept(`${revision} (${ref})`, dir, request.log);
    if (sealed === undefined) {
      await removeTree(workDir);
      await mkdir(workDir);
      for (const [index, { file, path }] of own.entries()) {
        const copy = join(workDir, path);
        await mkdir(dirname(copy), { recursive: true });
        await copyFile(file, copy);
        if ((await hashFile(copy)) !== found[index]?.digest) {
          throw new InputError(`\`${file}\` was changed while it was copied`, { hint: 'run it again' });
        }
      }
      await adoptEntry({ root: request.cache.root }, kind, tree, workDir);
      sealed = await seal(dir);
    }
    await holdKept(dir, request);
    const build: Build = { revision, ref, commit: null, tree, dir, seal: sealed, starts: {}, tools: {} };
    return { build, objects: found };
  }
}

/** `probe.bpf.o`; `3 objects` */
function describe(objects: readonly GivenObject[]): string {
  const [only] = objects;
  if (only !== undefined && objects.length === 1) return basename(only.file);
  return objects.length === 0 ? 'no objects' : `${objects.length} objects`;
}

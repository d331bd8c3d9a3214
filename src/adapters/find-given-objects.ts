// Adapter: finds the BPF object files that a user names instead of a project to build.

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { bpfObjectStart, isBpfObject, maxObject, maxObjects } from '../common/bpf-object.ts';
import { InputError } from '../common/errors.ts';
import { matchesGlob } from '../common/glob.ts';
import type { GivenObject } from '../model/inputs.ts';
import { readStart, withReadable } from './regular-file.ts';
import { walkTree } from './walk-tree.ts';

const neverWalked = new Set(['.git', 'node_modules']);

/**
 * Finds objects by paths and globs. `*` matches within and across `/`. A glob's other files are left out; a path has to
 * be a BPF object.
 *
 * @param patterns relative to the current folder, or absolute
 * @param spelled what the user gave them as, for messages: `--head-objects`
 * @returns each file once, in the order of the patterns
 * @throws InputError naming a pattern without an object, or an object of more than 64 MiB; also for more than 20,000
 */
export async function findGivenObjects(patterns: readonly string[], spelled: string): Promise<GivenObject[]> {
  if (patterns.length === 0) throw new InputError(`${spelled} names no file`, { hint: 'give a path or a glob' });
  const found = new Map<string, GivenObject>();
  const taken = new Set<string>();
  for (const pattern of patterns) {
    let isFound = false;
    for await (const { file, path } of expand(pattern)) {
      if (!found.has(file) && !(await isObject(file, spelled))) continue;
      isFound = true;
      if (found.has(file)) continue;
      // Two patterns can find files of one name.
      const own = taken.has(path) ? file.slice(1) : path;
      taken.add(own);
      found.set(file, { file, path: own });
      if (found.size > maxObjects) {
        throw new InputError(`${spelled}: more than ${maxObjects} BPF objects`, { hint: 'give fewer at a time' });
      }
    }
    if (isFound) continue;
    const isThere = !pattern.includes('*') && (await stat(pattern).catch(() => undefined)) !== undefined;
    throw new InputError(
      isThere
        ? `${spelled}: \`${pattern}\` is not a BPF object: no relocatable ELF file for BPF, little-endian`
        : `${spelled}: no BPF object is called \`${pattern}\``,
      { hint: 'a BPF object is what clang or rustc makes for target bpf; `*` matches within and across folders' },
    );
  }
  return [...found.values()];
}

/** Lists the files that a pattern matches. The folders before its first `*` are its fixed part. */
async function* expand(pattern: string): AsyncGenerator<GivenObject> {
  const star = pattern.indexOf('*');
  if (star === -1) {
    const file = await realpath(pattern).catch(() => undefined);
    if (file !== undefined) yield { file, path: basename(pattern) };
    return;
  }
  const given = dirname(`${pattern.slice(0, star)}.`);
  const fixed = await realpath(given).catch(() => resolve(given));
  const glob = pattern.slice(pattern.lastIndexOf('/', star) + 1);
  for await (const path of walkTree(fixed, neverWalked)) {
    if (matchesGlob(glob, path)) yield { file: `${fixed}/${path}`, path };
  }
}

async function isObject(file: string, spelled: string): Promise<boolean | undefined> {
  return await withReadable(file, async (handle) => {
    if (!isBpfObject(await readStart(handle, bpfObjectStart))) return false;
    if ((await handle.stat()).size <= maxObject) return true;
    throw new InputError(`${spelled}: \`${file}\` is larger than ${maxObject / 2 ** 20} MiB`, { hint: 'leave it out' });
  });
}

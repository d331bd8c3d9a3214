// Adapter: finds the BPF object files that a user names instead of a project to build.

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import {
  bpfObjectStart,
  findObjectEnd,
  isBpfElf,
  isBpfObject,
  maxObject,
  maxObjects,
  withoutTarget,
} from '../common/bpf-object.ts';
import { InputError } from '../common/errors.ts';
import { matchesGlob } from '../common/glob.ts';
import { groupBy } from '../common/group-by.ts';
import { isLfsPointer, lfsHint, lfsProblem } from '../common/lfs-pointer.ts';
import type { GivenObject } from '../model/inputs.ts';
import { readAtMost, readStart, withReadable } from './regular-file.ts';
import { walkTree } from './walk-tree.ts';

/** Bytes of a file that say what it is. */
const startBytes = Math.max(bpfObjectStart, 60);
const neverWalked = new Set(['.git', 'node_modules']);

/**
 * Finds objects by paths and globs. `*` matches within and across `/`. A glob's other files are left out; a path has to
 * be a BPF object.
 *
 * @param patterns relative to the current folder, or absolute
 * @param spelled what the user gave them as, for messages: `--head-objects`
 * @returns each file once, in the order of the patterns
 * @throws InputError naming a pattern without an object, or an object that is cut or of more than 64 MiB; also for more
 * than 20,000
 */
export async function findGivenObjects(patterns: readonly string[], spelled: string): Promise<GivenObject[]> {
  if (patterns.length === 0) throw new InputError(`${spelled} names no file`, { hint: 'give a path or a glob' });
  const found = new Map<string, GivenObject>();
  for (const pattern of patterns) {
    const others = new Set<NoObject>();
    let isFound = false;
    for await (const { file, path } of expand(pattern)) {
      const problem = found.has(file) ? undefined : await checkObject(file, spelled);
      if (problem !== undefined) {
        others.add(problem);
        continue;
      }
      isFound = true;
      if (found.has(file)) continue;
      found.set(file, { file, path });
      if (found.size > maxObjects) {
        throw new InputError(`${spelled}: more than ${maxObjects} BPF objects`, { hint: 'give fewer at a time' });
      }
    }
    if (!isFound) throw await explainNone(pattern, spelled, others);
  }
  return distinguish([...found.values()]);
}

/** Gives files of one path their paths below the folder that holds them all, so that all have folders to be named by. */
function distinguish(objects: readonly GivenObject[]): GivenObject[] {
  const below = new Map<string, string>();
  for (const group of groupBy(objects, ({ path }) => withoutTarget(path))) {
    const start = commonFolder(group.map(({ file }) => file));
    if (group.length > 1) for (const { file } of group) below.set(file, file.slice(start.length));
  }
  const taken = new Set<string>();
  return objects.map(({ file, path }) => {
    const wanted = below.get(file) ?? path;
    const own = taken.has(wanted) ? file.slice(1) : wanted;
    taken.add(own);
    return { file, path: own };
  });
}

/** The folder that holds all files, with its last `/`. */
function commonFolder(files: readonly string[]): string {
  const [first, ...others] = files.map((file) => file.split('/').slice(0, -1));
  const end = first?.findIndex((folder, depth) => others.some((other) => other[depth] !== folder)) ?? 0;
  return `${first?.slice(0, end === -1 ? undefined : end).join('/')}/`;
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

type NoObject = 'of another kind' | 'big-endian' | 'a pointer';

/**
 * Checks that a file is an object that guests can read whole.
 *
 * @returns undefined for an object
 * @throws InputError when it is too large, or cut, or a pointer by the name of an object
 */
async function checkObject(file: string, spelled: string): Promise<NoObject | undefined> {
  const checked = await withReadable(file, async (handle): Promise<{ readonly problem?: NoObject }> => {
    const start = await readStart(handle, startBytes);
    if (isLfsPointer(start)) {
      if (!file.endsWith('.o')) return { problem: 'a pointer' };
      throw new InputError(`${spelled}: \`${file}\`: ${lfsProblem}`, { hint: lfsHint });
    }
    if (!isBpfObject(start)) return { problem: isBpfElf(start) ? 'big-endian' : 'of another kind' };
    const bytes = await readAtMost(handle, maxObject);
    if (bytes === undefined) {
      const message = `${spelled}: \`${file}\` is larger than ${maxObject / 2 ** 20} MiB`;
      throw new InputError(message, { hint: 'leave it out' });
    }
    const end = findObjectEnd(bytes);
    if (end <= bytes.length) return {};
    throw new InputError(`${spelled}: \`${file}\` ends at byte ${bytes.length} of ${end}`, {
      hint: 'copy or build it again',
    });
  });
  return checked === undefined ? 'of another kind' : checked.problem;
}

const whatObjectsAre = 'a BPF object is what clang or rustc makes for target bpf';

/** @param others what is wrong with the files that the pattern matches */
async function explainNone(pattern: string, spelled: string, others: ReadonlySet<NoObject>): Promise<InputError> {
  const refuse = (message: string, hint: string) => new InputError(`${spelled}: ${message}`, { hint });
  if (others.has('big-endian')) {
    const what = pattern.includes('*') ? `what \`${pattern}\` matches` : `\`${pattern}\``;
    return refuse(`${what} is big-endian, and guests are little-endian`, 'build it with -target bpfel');
  }
  if (others.has('a pointer')) return refuse(`\`${pattern}\`: ${lfsProblem}`, lfsHint);
  if (pattern.includes('*')) {
    if (others.size > 0) return refuse(`files match \`${pattern}\`, but none is a BPF object`, whatObjectsAre);
    return refuse(`no file matches \`${pattern}\``, '`*` matches within and across folders');
  }
  const there = await stat(pattern).catch(() => undefined);
  if (there === undefined)
    return refuse(`there is no file \`${pattern}\``, 'check the path; globs are given in quotes');
  if (there.isDirectory()) return refuse(`\`${pattern}\` is a folder`, `give '${pattern.replace(/\/+$/, '')}/*.o'`);
  return refuse(`\`${pattern}\` is not a BPF object: no relocatable ELF file for BPF`, whatObjectsAre);
}

// Build: seals of finished builds. A seal records each file of a tree at the end of its build, so that nothing is
// measured that was changed since, by another revision's build or by anyone else who can write the cache.

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { runOrThrow } from '../adapters/process.ts';
import { MachineError } from '../common/errors.ts';
import type { Build } from '../model/build.ts';

/**
 * Lists each entry's path, then type, mode, size, inode, time of the last write, time of the last change of any kind,
 * link target. The kernel sets the second time whenever content, mode, owner or name changes, and no program can set it
 * (inode(7), "st_ctime").
 */
const list =
  'cd -- "$1" && find . -mindepth 1 -printf "%P\\t%y %m %s %i %T@ %C@ %l\\0" | LC_ALL=C sort --zero-terminated';
/** Maximum length of a list that is read to name a file, in characters. */
const maxList = 256 * 2 ** 20;

/**
 * Seals a tree.
 *
 * @param dir absolute path; the list is stored next to it
 * @returns SHA-256 of the list, for `findChange`
 */
export async function seal(dir: string): Promise<string> {
  await bash(`${list} >"$2"`, dir, sealOf(dir));
  return hash('sha256', await readFile(sealOf(dir)));
}

/** The seal of a tree, as `seal` returned it; undefined where it has none. */
export async function readSeal(dir: string): Promise<string | undefined> {
  const content = await readFile(sealOf(dir)).catch(() => undefined);
  return content === undefined ? undefined : hash('sha256', content);
}

/** Path of a tree's seal. */
export function sealOf(dir: string): string {
  return `${dir}.seal`;
}

/**
 * Finds what has changed in a tree since it was sealed.
 *
 * @returns a path below it, or what is wrong with the seal; undefined where nothing has changed
 */
export async function findChange(dir: string, sealed: string): Promise<string | undefined> {
  const before = await readFile(sealOf(dir)).catch(() => undefined);
  if (before === undefined || hash('sha256', before) !== sealed) return 'its seal';
  const [now] = (await bash(`${list} | sha256sum`, dir)).split(' ');
  if (now === sealed) return undefined;
  return firstDifference(before.toString(), await bash(list, dir));
}

async function bash(script: string, ...args: readonly string[]): Promise<string> {
  return await runOrThrow('bash', ['-o', 'pipefail', '-c', script, 'seal', ...args], { maxOutput: maxList });
}

/**
 * Checks builds before they are used.
 *
 * @throws MachineError naming the first file that was changed
 */
export async function checkSeals(builds: readonly Build[]): Promise<void> {
  for (const { revision, ref, dir, seal } of builds) {
    const changed = await findChange(dir, seal);
    if (changed === undefined) continue;
    throw new MachineError(`the build of ${revision} (${ref}) was changed after it was built: ${changed}`, {
      hint: 'something that runs as the same user changed the cache; run it again with --fresh, and build in a sandbox or a guest',
    });
  }
}

function firstDifference(before: string, after: string): string {
  const [one = [], other = []] = [before, after].map((text) => text.split('\0'));
  const [known, left] = [new Set(one), new Set(other)];
  const changed = other.find((line) => !known.has(line)) ?? one.find((line) => !left.has(line)) ?? '';
  return changed.split('\t')[0] ?? '';
}

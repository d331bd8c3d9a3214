// Prerequisites: the error of an installation that a full disk stopped.

import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MachineError, saysFullDisk } from '../common/errors.ts';

/** Free bytes below which a disk counts as full: a program that failed may have removed some of what it wrote. */
const fullBytes = 4_000_000;

/** Whether the disk of a folder is full; of the nearest folder above that exists, where it does not. */
export async function isFull(folder: string): Promise<boolean> {
  const found = await statfs(folder).catch(() => undefined);
  if (found === undefined) return dirname(folder) !== folder && (await isFull(dirname(folder)));
  // Some file systems count no files.
  return found.bavail * found.bsize < fullBytes || (found.files > 0 && found.ffree === 0);
}

/**
 * Makes the error for a program that found a disk full; undefined where it failed for another reason.
 *
 * @param what such as `installing nightly`
 * @param output output of the program
 * @param folders folders it writes to. The full ones of their disks are named, or all where none is full any more
 * @param variables variables by which another disk is chosen. Default: none
 */
export async function fullDisk(
  what: string,
  output: string,
  folders: readonly string[],
  variables: readonly string[] = [],
): Promise<MachineError | undefined> {
  if (!saysFullDisk(output)) return undefined;
  return await diskError(what, output, folders, variables);
}

/** Makes the same error for a program that may not have reported a full disk. */
export async function diskError(
  what: string,
  output: string,
  folders: readonly string[],
  variables: readonly string[] = [],
): Promise<MachineError> {
  const full: string[] = [];
  for (const folder of folders) if (await isFull(folder)) full.push(folder);
  const disks = new Set(await Promise.all((full.length > 0 ? full : folders).map(mountPointOf)));
  const names = [...disks].map((disk) => `\`${disk}\``);
  const which = names.length === 1 ? `the disk of ${names[0]} is full` : `a disk is full, of ${names.join(', ')}`;
  const all = output.trim().split('\n');
  const saying = all.filter((line) => saysFullDisk(line));
  const lines = (saying.length > 0 ? saying.slice(-3) : all.slice(-10)).join('\n');
  const others = variables.length === 0 ? '' : `, or set ${variables.join(', ')} to a folder on another disk`;
  return new MachineError(`${what} failed: ${which}${lines === '' ? '' : `:\n${lines}`}`, {
    hint: `free space on it${others}, then try again`,
  });
}

/** Mount point of the file system that a folder is on, or will be. */
async function mountPointOf(folder: string): Promise<string> {
  const device = async (path: string) => (await stat(path).catch(() => undefined))?.dev;
  const above = dirname(folder);
  if (above === folder) return folder;
  const own = await device(folder);
  return own === undefined || own === (await device(above)) ? await mountPointOf(above) : folder;
}

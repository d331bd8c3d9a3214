// Prerequisites: the error of an installation that a full disk has stopped.

import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MachineError, saysFullDisk } from '../errors.ts';

/** What is free on a disk that a program could not write to; it may have removed some of what it had written. */
const fullBytes = 4_000_000;

/** Whether there is no room in a folder, or in the nearest one above that exists. */
export async function isFull(folder: string): Promise<boolean> {
  const found = await statfs(folder).catch(() => undefined);
  if (found === undefined) return dirname(folder) !== folder && (await isFull(dirname(folder)));
  // Some file systems count no files.
  return found.bavail * found.bsize < fullBytes || (found.files > 0 && found.ffree === 0);
}

/**
 * The error of a program that has found a disk full; undefined where that is not why it failed.
 *
 * @param what such as `installing nightly`
 * @param output of the program
 * @param folders those it writes to; of their disks the full ones are named, or all, where none is full any more
 * @param variables by which another disk is chosen. Default: none
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

/** The same of a program that may not have said so. */
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

/** The topmost folder of the file system that a folder is on, or will be. */
async function mountPointOf(folder: string): Promise<string> {
  const device = (path: string) =>
    stat(path).then(
      ({ dev }) => dev,
      () => undefined,
    );
  const above = dirname(folder);
  if (above === folder) return folder;
  const own = await device(folder);
  return own === undefined || own === (await device(above)) ? await mountPointOf(above) : folder;
}

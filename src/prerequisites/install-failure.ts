// Prerequisites: the error of a program that could not install something.

import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RunResult } from '../adapters/process.ts';
import { MachineError, saysFullDisk } from '../common/errors.ts';

/** Free bytes below which a disk counts as full: a program that failed may have removed some of what it wrote. */
const fullBytes = 4_000_000;

/**
 * Makes the error with the last lines of what the program printed.
 *
 * @param what such as `building vmtest 0.18.0`
 * @param folders folders it writes to, which are named when their disks are full
 * @param hint the next step when no disk is full
 */
export async function installFailure(
  what: string,
  { stdout, stderr, timedOut }: Pick<RunResult, 'stdout' | 'stderr' | 'timedOut'>,
  folders: readonly string[],
  hint: string,
): Promise<MachineError> {
  const full: string[] = [];
  for (const folder of folders) if (await isFull(folder)) full.push(folder);
  const isDisk = full.length > 0 || saysFullDisk(`${stdout}${stderr}`);
  const disks = (full.length > 0 ? full : folders).map((folder) => `\`${folder}\``).join(', ');
  // apt passes on dpkg's errors as its own output.
  const own = /^dpkg: error/m.test(stdout) ? stdout.slice(stdout.indexOf('dpkg: error')) : '';
  const lines = (`${own}${stderr}`.trim() || stdout.trim()).split('\n').slice(-15).join('\n');
  return new MachineError(`${what} ${timedOut ? 'ran out of time' : 'failed'}:\n${lines}`, {
    hint: isDisk ? `free space on the disk of ${disks}, then try again` : hint,
  });
}

/** Whether the disk of a folder is full; of the nearest folder above that exists, where it does not. */
async function isFull(folder: string): Promise<boolean> {
  const found = await statfs(folder).catch(() => undefined);
  if (found === undefined) return dirname(folder) !== folder && (await isFull(dirname(folder)));
  // Some file systems count no files.
  return found.bavail * found.bsize < fullBytes || (found.files > 0 && found.ffree === 0);
}

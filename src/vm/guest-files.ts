// Reads what a guest left in its run folder. Root in the guest can put anything there: a link to the host's files, a
// pipe that never ends, a file without bounds.

import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type GateError, VmError } from '../errors.ts';

/**
 * Opens a regular file in a folder the guest can write, for reading.
 *
 * @returns null when there is no such file
 * @throws VmError when it is anything but a regular file right in its folder
 */
export async function openGuestFile(path: string): Promise<FileHandle | null> {
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK, opening a pipe waits for a writer that never comes.
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new VmError(`the guest left a ${basename(path)} that is not a file (${code})`, { cause });
  }
  const folder = dirname(path);
  if ((await handle.stat()).isFile() && (await realpath(folder)) === folder) return handle;
  await handle.close();
  throw new VmError(`the guest left a ${basename(path)} that is not a file in its run folder`);
}

/** How a file is spoken of in errors. */
export interface Naming {
  /** Default: its name. */
  readonly what?: string;
  /** The error where it is too long. Default: one that names both lengths. */
  readonly tooLong?: () => GateError;
}

/**
 * The whole text of a guest's file.
 *
 * @param maxBytes what is longer is refused, not cut
 * @throws VmError when it is missing, no regular file, or too long, if `naming` has no other error for that
 */
export async function readGuestFile(path: string, maxBytes: number, naming?: Naming): Promise<string> {
  return (await readGuestBytes(path, maxBytes, naming)).toString('utf8');
}

/** The same for a file that need not be text. */
export async function readGuestBytes(path: string, maxBytes: number, naming: Naming = {}): Promise<Buffer> {
  const { what = basename(path), tooLong } = naming;
  const handle = await openGuestFile(path);
  if (handle === null) throw new VmError(`the guest left no ${what}`);
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) {
      throw tooLong?.() ?? new VmError(`the guest left ${what} of ${size} bytes; at most ${maxBytes} are read`);
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

// Reads what a guest left in its run folder. Root in the guest can put anything there: a link to the host's files, a
// pipe that never ends, a file without bounds.

import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { openRegularFile, readAtMost, UnreadableFile } from '../adapters/regular-file.ts';
import { type GateError, VmError } from '../errors.ts';

/**
 * Opens a regular file in a folder the guest can write, for reading.
 *
 * @returns null when there is no such file
 * @throws VmError when it is anything but a regular file right in its folder
 */
export async function openGuestFile(path: string): Promise<FileHandle | null> {
  try {
    return (await openRegularFile(path)) ?? null;
  } catch (cause) {
    if (!(cause instanceof UnreadableFile)) throw cause;
    throw new VmError(`the guest left a ${basename(path)} that is not a file in its run folder: ${cause.reason}`, {
      cause,
    });
  }
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

/**
 * The last `length` characters of a guest's file.
 *
 * @throws VmError as `readGuestFile`
 */
export async function readGuestEnd(path: string, maxBytes: number, length: number, naming?: Naming): Promise<string> {
  const bytes = await readGuestBytes(path, maxBytes, naming);
  // Cut before it is text: a slice of a text keeps the whole in memory.
  return bytes
    .subarray(-4 * length)
    .toString('utf8')
    .slice(-length);
}

/** The content of a guest's file, as `readGuestFile` has the text. */
export async function readGuestBytes(path: string, maxBytes: number, naming: Naming = {}): Promise<Buffer> {
  const { what = basename(path), tooLong } = naming;
  const handle = await openGuestFile(path);
  if (handle === null) throw new VmError(`the guest left no ${what}`);
  try {
    const bytes = await readAtMost(handle, maxBytes);
    if (bytes !== undefined) return bytes;
    throw tooLong?.() ?? new VmError(`the guest left ${what} of more than ${maxBytes} bytes`);
  } finally {
    await handle.close();
  }
}

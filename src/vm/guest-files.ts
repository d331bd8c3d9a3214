// Guest: reads files that a guest left in its run folder. Root in the guest can put anything there: a link to the
// host's files, a pipe that never ends, a file without bounds.

import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { openRegularFile, readAtMost, UnreadableFile } from '../adapters/regular-file.ts';
import { type GateError, VmError } from '../common/errors.ts';

/**
 * Opens a regular file for reading, in a folder that the guest can write.
 *
 * @returns null when there is no such file
 * @throws VmError when it is anything but a regular file directly in its folder
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

/** How errors describe a file. */
export interface FileErrors {
  /** Name in errors. Default: the file's name. */
  readonly what?: string;
  /** The error for a file that is too long. Default: one that names the file and `maxBytes`. */
  readonly tooLong?: () => GateError;
}

/**
 * Reads the whole text of a guest's file.
 *
 * @param maxBytes a longer file is refused, not cut
 * @throws VmError when it is missing, not a regular file, or too long (if `errors` has no other error for that)
 */
export async function readGuestFile(path: string, maxBytes: number, errors?: FileErrors): Promise<string> {
  return (await readGuestBytes(path, maxBytes, errors)).toString('utf8');
}

/**
 * Reads the last `length` characters of a guest's file.
 *
 * @throws VmError as `readGuestFile`
 */
export async function readGuestEnd(
  path: string,
  maxBytes: number,
  length: number,
  errors?: FileErrors,
): Promise<string> {
  const bytes = await readGuestBytes(path, maxBytes, errors);
  // The bytes are cut before they become text: a slice of a text keeps the whole in memory.
  return bytes
    .subarray(-4 * length)
    .toString('utf8')
    .slice(-length);
}

/** Reads the whole content of a guest's file, which need not be text. */
export async function readGuestBytes(path: string, maxBytes: number, errors: FileErrors = {}): Promise<Buffer> {
  const { what = basename(path), tooLong } = errors;
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

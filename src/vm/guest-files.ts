// Reads what a guest left in its run folder. Root in the guest can put anything there: a link to the host's files, a
// pipe that never ends, a file without bounds.

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { openRegularFile, readAtMost, UnreadableFile } from '../adapters/regular-file.ts';
import { type GateError, VmError } from '../errors.ts';
import { changedInGuest } from './authenticate.ts';

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

/** How a file is spoken of in errors, and what it is to be. */
export interface Expected {
  /** Default: its name. */
  readonly what?: string;
  /** The error where it is too long. Default: one that names both lengths. */
  readonly tooLong?: () => GateError;
  /** As the agent's record has it; null, or none: anything. */
  readonly sha256?: string | null;
}

/**
 * The whole text of a guest's file.
 *
 * @param maxBytes what is longer is refused, not cut
 * @throws VmError when it is missing, no regular file, too long (if `expected` has no other error for that), or another
 */
export async function readGuestFile(path: string, maxBytes: number, expected?: Expected): Promise<string> {
  return (await readGuestBytes(path, maxBytes, expected)).toString('utf8');
}

/**
 * The last `length` characters of a guest's file.
 *
 * @throws VmError as `readGuestFile`
 */
export async function readGuestEnd(
  path: string,
  maxBytes: number,
  length: number,
  expected?: Expected,
): Promise<string> {
  const bytes = await readGuestBytes(path, maxBytes, expected);
  // Cut before it is text: a slice of a text keeps the whole in memory.
  return bytes
    .subarray(-4 * length)
    .toString('utf8')
    .slice(-length);
}

/** The same for a file that need not be text. */
export async function readGuestBytes(path: string, maxBytes: number, expected: Expected = {}): Promise<Buffer> {
  const { what = basename(path), tooLong, sha256 = null } = expected;
  const handle = await openGuestFile(path);
  if (handle === null) throw new VmError(`the guest left no ${what}`);
  try {
    const bytes = await readAtMost(handle, maxBytes);
    if (bytes === undefined) throw tooLong?.() ?? new VmError(`the guest left ${what} of more than ${maxBytes} bytes`);
    if (sha256 === null || createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
    throw changedInGuest(`${what} is not as the agent wrote it`);
  } finally {
    await handle.close();
  }
}

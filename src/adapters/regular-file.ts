// Adapter: the only access to files that a pull request or a guest controls. They are opened as regular files, without
// following links and without waiting, and read up to a limit.

import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { InputError, machineFailure } from '../common/errors.ts';
import { isWithin } from '../common/paths.ts';

/** An existing file that is not read. The tree's author has to fix it, unless a caller says otherwise. */
export class UnreadableFile extends InputError {
  /** The reason, without the file's name: `it is a link`. */
  readonly reason: string;

  constructor(file: string, reason: string, hint: string, cause?: unknown) {
    super(`cannot read ${file}: ${reason}`, { hint, cause });
    this.reason = reason;
  }
}

const replaceIt = 'put a regular file in its place';

/**
 * Opens a regular file for reading. No part of its path may be a link.
 *
 * @returns undefined when there is no such file
 * @throws UnreadableFile when it is anything else, or this user may not read it
 */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  const file = resolve(path);
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK, opening a pipe waits for a writer.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (machineFailure(cause) !== undefined) throw cause;
    if (code === 'ELOOP') throw new UnreadableFile(file, 'it is a link', replaceIt, cause);
    if (code === 'ENXIO') throw new UnreadableFile(file, 'it is not a regular file', replaceIt, cause);
    throw new UnreadableFile(file, `it cannot be opened (${code})`, 'let this user read it', cause);
  }
  try {
    // Checked on the open file: a guest or a build that still runs can change what the path leads to.
    const opened = await readlink(`/proc/self/fd/${handle.fd}`);
    if (opened !== file && opened !== `${file} (deleted)`) {
      throw new UnreadableFile(file, 'a folder of its path is a link', 'put a folder in the place of the link');
    }
    if (!(await handle.stat()).isFile()) throw new UnreadableFile(file, 'it is not a regular file', replaceIt);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Does some work with a regular file; undefined where it is none, or may not be read. No part of its path may be a link. */
export async function withReadable<T>(path: string, work: (handle: FileHandle) => Promise<T>): Promise<T | undefined> {
  const handle = await openRegularFile(path).catch(() => undefined);
  try {
    return handle && (await work(handle));
  } finally {
    await handle?.close();
  }
}

/** Reads the first `length` bytes of an open file, or all of a shorter one. */
export async function readStart(handle: FileHandle, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** Reads the content of an open file; undefined if it is longer than `maxBytes`. */
export async function readAtMost(handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  if ((await handle.stat()).size > maxBytes) return undefined;
  // One byte more may be read: a file can grow meanwhile, and those of /proc claim to be empty.
  const bytes = await buffer(handle.createReadStream({ start: 0, end: maxBytes, autoClose: false }));
  return bytes.length > maxBytes ? undefined : bytes;
}

/**
 * Reads a regular file. No part of its path may be a link.
 *
 * @returns undefined when there is no such file
 * @throws UnreadableFile when it is anything else, is longer than `maxBytes`, or this user may not read it
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const handle = await openRegularFile(path);
  if (handle === undefined) return undefined;
  try {
    const bytes = await readAtMost(handle, maxBytes);
    if (bytes === undefined) throw new UnreadableFile(path, `it is longer than ${maxBytes} bytes`, 'shorten it');
    return bytes;
  } finally {
    await handle.close();
  }
}

/** Reads a text below a folder: see {@link readBytesBelow}. */
export async function readFileBelow(folder: string, path: string, maxBytes: number): Promise<string | undefined> {
  return (await readBytesBelow(folder, path, maxBytes))?.toString('utf8');
}

/**
 * Reads a file below a folder. The folder itself may be a link, but nothing below it.
 *
 * @param path relative to the folder
 * @returns undefined when there is no such file
 * @throws UnreadableFile when it leads out of the folder or through a link, is no regular file, is longer than
 * `maxBytes`, or this user may not read it
 */
export async function readBytesBelow(folder: string, path: string, maxBytes: number): Promise<Buffer | undefined> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return undefined;
  const file = join(root, path);
  if (!isWithin(file, root)) {
    throw new UnreadableFile(file, 'it is outside of the folder', `give a path below ${root}`);
  }
  return await readRegularFile(file, maxBytes);
}

// Guest: checks a guest's archive of a tree before tar unpacks it on the host. Root in the guest can have put anything
// into it: device nodes, files of terabytes that take no room, names that lead outside.

import type { FileHandle } from 'node:fs/promises';
import { BuildError, VmError } from '../common/errors.ts';

export interface TreeLimits {
  /** Maximum number of files, folders and links. */
  readonly maxEntries: number;
  /** Maximum size of all files together, unpacked. */
  readonly maxBytes: number;
}

const block = 512;
/** Maximum length of a path on Linux. An extended header names at most a file and a link. */
const maxPath = 4096;
const maxExtension = 4 * maxPath;
/** Maximum size of the padding: tar fills its last record with zeros. */
const maxPadding = 1024 * 1024;
/** Number of bytes that are read at once. */
const windowSize = 256 * 1024;
/** Attributes that `vm/build` has tar write in addition to a file's contents. Others could make another file of it. */
const knownKeywords = new Set(['path', 'linkpath', 'mtime', 'uid', 'gid', 'uname', 'gname']);
const kinds: Readonly<Record<string, string>> = {
  3: 'a device node',
  4: 'a device node',
  6: 'a named pipe',
  S: 'a sparse file',
};
const leaveLess = 'let build.command remove what no bench needs';

/**
 * Makes sure that unpacking creates only regular files, folders and links below one folder, and no more than the
 * limits. It knows what tar writes for `vm/build` and refuses everything else, so that tar finds nothing in an archive
 * that was not seen here.
 *
 * @param handle its position stays unchanged
 * @throws BuildError when a build has left entries that no tree may hold, or too much
 * @throws VmError when it is not an archive that `vm/build` writes
 */
export async function checkTreeArchive(handle: FileHandle, limits: TreeLimits): Promise<void> {
  const file = new WindowedFile(handle);
  const links = new Set<string>();
  let [position, entries, bytes] = [0, 0, 0];
  let extension: ReadonlyMap<string, string> | undefined;
  for (;;) {
    const header = await file.read(position, block);
    position += block;
    if (isZero(header)) break;
    const { type, size, name, linkName } = readHeader(header);
    const end = position + Math.ceil(size / block) * block;
    if (type === 'x') {
      if (extension !== undefined || size > maxExtension) throw malformed('an extended header is too long');
      extension = readExtension(await file.read(position, size));
    } else {
      const [path = name, target = linkName] = [extension?.get('path'), extension?.get('linkpath')];
      extension = undefined;
      checkEntry({ type, path, target, size }, links);
      entries += 1;
      bytes += size;
      if (entries > limits.maxEntries) {
        throw new BuildError(`the build left more than ${limits.maxEntries} files, folders and links`, {
          hint: leaveLess,
        });
      }
      if (bytes > limits.maxBytes) {
        throw new BuildError(`the build left files of more than ${limits.maxBytes} bytes`, { hint: leaveLess });
      }
    }
    position = end;
  }
  const padding = await file.readRest(position, maxPadding);
  if (padding === null || !isZero(padding)) throw malformed('it goes on after its end');
}

interface Header {
  readonly type: string;
  /** Number of bytes that follow. */
  readonly size: number;
  readonly name: string;
  readonly linkName: string;
}

function readHeader(header: Buffer): Header {
  const text = (from: number, length: number) => {
    const field = header.toString('latin1', from, from + length);
    return field.includes('\0') ? field.slice(0, field.indexOf('\0')) : field;
  };
  const number = (from: number, length: number) => {
    const digits = text(from, length);
    if (!/^[0-7]+$/.test(digits)) throw malformed('a number is not in octal digits');
    return Number.parseInt(digits, 8);
  };
  // The sum is computed with blanks in its own place.
  const summed = Buffer.from(header).fill(' ', 148, 156);
  if (header.toString('latin1', 257, 265) !== 'ustar\x0000') throw malformed('a header is of no known format');
  if (number(148, 8) !== summed.reduce((sum, byte) => sum + byte, 0)) throw malformed('a header has a wrong sum');
  const prefix = text(345, 155);
  return {
    type: text(156, 1),
    size: number(124, 12),
    name: prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`,
    linkName: text(157, 100),
  };
}

/** Reads records of the form `LENGTH KEYWORD=VALUE`, each with a line end. */
function readExtension(data: Buffer): Map<string, string> {
  const fields = new Map<string, string>();
  let rest = data.toString('latin1');
  while (rest !== '') {
    const [record = ''] = /^[1-9]\d*/.exec(rest) ?? [];
    const line = rest.slice(0, Number(record));
    const [, keyword = '', value = ''] = /^\d+ ([^=\n\0]+)=([^\0]*)\n$/.exec(line) ?? [];
    if (record === '' || line.length !== Number(record) || value === '')
      throw malformed('an extended header is broken');
    if (!knownKeywords.has(keyword)) {
      throw malformed(`a file has the attribute ${JSON.stringify(printable(keyword))}`);
    }
    fields.set(keyword, value);
    rest = rest.slice(line.length);
  }
  return fields;
}

interface Entry {
  readonly type: string;
  readonly path: string;
  readonly target: string;
  readonly size: number;
}

/** @param links the symbolic links before the entry; the entry is added if it is one */
function checkEntry({ type, path, target, size }: Entry, links: Set<string>): void {
  const isFolder = type === '5';
  const own = toInner(isFolder ? path.replace(/\/$/, '') : path);
  if (own === undefined || (own === '.' && !isFolder)) {
    throw malformed(`it names ${JSON.stringify(printable(path))}, which is not below the tree`);
  }
  const kind = kinds[type];
  if (kind !== undefined) {
    throw new BuildError(`the build left ${kind}, ${JSON.stringify(printable(own))}`, {
      hint: 'let build.command leave files, folders and links only',
    });
  }
  if (!['0', '1', '2', '5'].includes(type)) throw malformed(`it holds something of type ${JSON.stringify(type)}`);
  if (type !== '0' && size > 0) throw malformed('something other than a file has contents');
  // When unpacked, a file below a link could be anywhere the link leads.
  for (const inner of type === '1' ? [own, target] : [own]) {
    const link = findLinkAbove(inner, links);
    if (link !== undefined) throw malformed(`it has files below ${JSON.stringify(printable(link))}, which is a link`);
  }
  if (type === '1' && toInner(target) === undefined) {
    throw malformed(`it links ${JSON.stringify(printable(own))} to ${JSON.stringify(printable(target))}`);
  }
  if (type === '2' || (type === '1' && links.has(target))) links.add(own);
}

/** Finds a folder in a path that is a link. */
function findLinkAbove(path: string, links: ReadonlySet<string>): string | undefined {
  if (links.size === 0) return undefined;
  for (let slash = path.indexOf('/', 2); slash > 0; slash = path.indexOf('/', slash + 1)) {
    if (links.has(path.slice(0, slash))) return path.slice(0, slash);
  }
  return undefined;
}

/** Returns a path in the form of `vm/build`, `.` or `./...` without detours; undefined for any other. */
function toInner(path: string): string | undefined {
  if (path === '.') return path;
  const [first, ...parts] = path.split('/');
  const isInner = first === '.' && parts.length > 0 && parts.every((part) => !['', '.', '..'].includes(part));
  return isInner && path.length < maxPath ? path : undefined;
}

function isZero(data: Buffer): boolean {
  return data.every((byte) => byte === 0);
}

/** Decodes a name from the archive's bytes and shortens it for a message. */
function printable(name: string): string {
  return Buffer.from(name, 'latin1').toString('utf8').slice(0, 200);
}

function malformed(why: string): VmError {
  return new VmError(`the guest left no tree that can be unpacked: ${why}`, {
    hint: 'see whether the build command, or what it runs, tampers with the guest',
  });
}

/** Reads a file in order, mostly from memory. */
class WindowedFile {
  readonly #handle: FileHandle;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** @throws VmError when the file ends too early */
  async read(position: number, length: number): Promise<Buffer> {
    const end = this.#start + this.#window.length;
    if (position < this.#start || position + length > end) {
      this.#window = await this.#readAt(position, Math.max(length, windowSize));
      this.#start = position;
    }
    const data = this.#window.subarray(position - this.#start, position - this.#start + length);
    if (data.length < length) throw malformed('it ends in the middle');
    return data;
  }

  /** Reads everything from a position on; null when that is longer than `maxLength`. */
  async readRest(position: number, maxLength: number): Promise<Buffer | null> {
    const rest = await this.#readAt(position, maxLength + 1);
    return rest.length > maxLength ? null : rest;
  }

  async #readAt(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(buffer, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  }
}

// Prerequisites: finding programs, and whether one needs libraries.

import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/** Administrators' folders, often missing from an ordinary user's PATH; depmod is there. */
const administratorFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The absolute folders of PATH, with others put before them, and the administrators' folders after them. */
export function extendPath(path: string | undefined, before: readonly string[] = []): string {
  const folders = (path ?? '').split(delimiter).filter(isAbsolute);
  return [...new Set([...before, ...folders, ...administratorFolders])].join(delimiter);
}

/** Absolute path of a program on `env`'s PATH or in an administrators' folder. */
export async function findExecutable(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of extendPath(env.PATH).split(delimiter)) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Whether a 64-bit little-endian ELF file names no program interpreter, that is, needs no shared library. */
export async function isStaticallyLinked(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return bytesRead >= 64 && buffer.readUInt32BE(0) === 0x7f454c46 && !hasInterpreter(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Offsets and PT_INTERP as in elf(5); linkers put the program headers right after the file header. */
function hasInterpreter(start: Buffer): boolean {
  const headerOffset = Number(start.readBigUInt64LE(32));
  const headerSize = start.readUInt16LE(54);
  const headers = start.readUInt16LE(56);
  for (let i = 0; i < headers; i++) {
    const offset = headerOffset + i * headerSize;
    if (offset + 4 > start.length) return false;
    if (start.readUInt32LE(offset) === 3) return true;
  }
  return false;
}

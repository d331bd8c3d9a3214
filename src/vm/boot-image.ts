// Guest: the image that QEMU starts, which is the kernel's ELF image, unpacked once from its bzImage. Under emulation a
// distribution kernel spends half of its boot unpacking itself. QEMU starts the unpacked image at its PVH entry.

import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '../adapters/hash-file.ts';
import { type Cache, findEntry, publishEntry } from '../cache/cache.ts';
import { KernelError } from '../common/errors.ts';
import { unpackImage } from '../kernels/unpack-image.ts';
import type { CachedKernel } from '../model/kernel.ts';

const kind = 'boot-images';
/** Part of the key. Incremented when this file makes another image from the same kernel. */
const revision = 2;

const imageName = 'vmlinux';
/** File of an entry with the image's SHA-256; empty where QEMU starts the bzImage. */
const sumName = 'sha256';

/**
 * Makes the image to start a kernel from, once per kernel, and keeps it in the cache.
 *
 * @returns absolute path of the ELF image, or of the bzImage where that has no PVH entry (Xen's note, CONFIG_PVH) or is
 * packed in an unknown way
 * @throws MachineError when the disk is full
 */
export async function makeBootImage(
  kernel: CachedKernel,
  cache: Cache,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const entry = await publishEntry(cache, kind, keyOf(kernel), async (folder) => {
    const image = join(folder, imageName);
    const isEntered = (await unpackImage(kernel.image, image, environment)) && (await hasPvhEntry(image));
    if (!isEntered) await rm(image, { force: true });
    await writeFile(join(folder, sumName), isEntered ? await hashFile(image) : '');
  });
  const image = join(entry, imageName);
  return existsSync(image) ? image : kernel.image;
}

/**
 * Checks that an unpacked image in the cache is unchanged.
 *
 * @throws KernelError when it is not, or cannot be read
 */
export async function verifyBootImage(kernel: CachedKernel, cache: Cache): Promise<void> {
  const entry = findEntry(cache, kind, keyOf(kernel));
  if (entry === undefined) return;
  const image = join(entry, imageName);
  const { id, release } = kernel.pin;
  const counted = ['snapshots', 'counts'].map((name) => join(cache.root, name)).join(' ');
  const hint = `rm -rf ${entry} ${counted}: what was counted on it is in doubt; it is unpacked again when next needed`;
  let recorded: string;
  let found: string;
  try {
    recorded = await readFile(join(entry, sumName), 'utf8');
    if (recorded === '' && !existsSync(image)) return;
    found = await hashFile(image);
  } catch (cause) {
    throw new KernelError(`kernel ${id} (${release}): cannot read the unpacked image in \`${entry}\``, { cause, hint });
  }
  if (found === recorded) return;
  throw new KernelError(
    `kernel ${id} (${release}): the unpacked image changed since it was put into the cache:\n  recorded: ${recorded}\n  found:    ${found}\n  in:       ${image}`,
    { hint },
  );
}

function keyOf({ imageSha256 }: CachedKernel): string {
  return hash('sha256', JSON.stringify([imageSha256, revision]));
}

/**
 * Whether an ELF image names the place where QEMU enters it.
 *
 * Source: XEN_ELFNOTE_PHYS32_ENTRY in xen/interface/elfnote.h; QEMU's hw/i386/x86.c looks for the same note.
 */
async function hasPvhEntry(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const header = Buffer.alloc(64);
    await file.read(header, 0, 64, 0);
    if (header.toString('hex', 0, 5) !== '7f454c4602') return false;
    const table = Number(header.readBigUInt64LE(32));
    const entrySize = header.readUInt16LE(54);
    for (let index = 0; index < header.readUInt16LE(56); index++) {
      const entry = Buffer.alloc(56);
      await file.read(entry, 0, 56, table + index * entrySize);
      const isNote = entry.readUInt32LE(0) === 4;
      const length = Number(entry.readBigUInt64LE(32));
      if (!isNote || length > 1_000_000) continue;
      const notes = Buffer.alloc(length);
      await file.read(notes, 0, length, Number(entry.readBigUInt64LE(8)));
      if (noteTypes(notes, 'Xen').includes(18)) return true;
    }
    return false;
  } finally {
    await file.close();
  }
}

function noteTypes(notes: Buffer, owner: string): number[] {
  const types: number[] = [];
  for (let at = 0; at + 12 <= notes.length; ) {
    const nameBytes = notes.readUInt32LE(at);
    const name = notes.toString('latin1', at + 12, at + 12 + nameBytes).replace(/\0+$/, '');
    if (name === owner) types.push(notes.readUInt32LE(at + 8));
    at += 12 + align(nameBytes) + align(notes.readUInt32LE(at + 4));
  }
  return types;
}

function align(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}

// Guest: the image that QEMU starts, which is the kernel's ELF image, unpacked once from its bzImage. Under emulation a
// distribution kernel spends half of its boot unpacking itself. QEMU starts the unpacked image at its PVH entry.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '../adapters/hash-file.ts';
import { run } from '../adapters/process.ts';
import { type Cache, findEntry, publishEntry } from '../cache/cache.ts';
import { KernelError, MachineError, saysFullDisk } from '../common/errors.ts';
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
    const payload = findPayload(await readFile(kernel.image));
    const unpacked = payload !== undefined && (await unpack(kernel.image, payload, image, environment));
    const isEntered = unpacked && (await hasPvhEntry(image));
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
  return createHash('sha256')
    .update(JSON.stringify([imageSha256, revision]))
    .digest('hex');
}

/** The packed kernel in a bzImage. */
export interface Payload {
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** Number of bytes, without the four of the unpacked size that follow. */
  readonly length: number;
  readonly unpackedBytes: number;
  /** Program and arguments that unpack standard input to standard output. */
  readonly unpacker: readonly string[];
}

const unpackers: readonly (readonly [magic: string, unpacker: readonly string[]])[] = [
  ['1f8b', ['gzip', '-dc']],
  ['fd377a585a00', ['xz', '-dc']],
  ['28b52ffd', ['zstd', '-dc']],
  ['02214c18', ['lz4', '-dc']],
];

/**
 * Finds the packed kernel by the setup header.
 *
 * Source: Documentation/arch/x86/boot.rst, fields setup_sects, header, version, payload_offset and payload_length.
 *
 * @returns undefined when it is not a bzImage of boot protocol 2.08 or newer, or is packed in an unknown way
 */
export function findPayload(bzImage: Buffer): Payload | undefined {
  if (bzImage.length < 0x250 || bzImage.toString('latin1', 0x202, 0x206) !== 'HdrS') return undefined;
  if (bzImage.readUInt16LE(0x206) < 0x208) return undefined;
  // Zero means four, in images older than this field.
  const setupSectors = bzImage.readUInt8(0x1f1) || 4;
  const offset = (setupSectors + 1) * 512 + bzImage.readUInt32LE(0x248);
  const length = bzImage.readUInt32LE(0x24c) - 4;
  if (length < 8 || offset + length + 4 > bzImage.length) return undefined;
  const start = bzImage.toString('hex', offset, offset + 6);
  const unpacker = unpackers.find(([magic]) => start.startsWith(magic))?.[1];
  if (unpacker === undefined) return undefined;
  return { offset, length, unpackedBytes: bzImage.readUInt32LE(offset + length), unpacker };
}

async function unpack(
  bzImage: string,
  { offset, length, unpackedBytes, unpacker }: Payload,
  destination: string,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  const script =
    'out=$1 from=$2 bytes=$3 image=$4; shift 4; tail -c "+$((from + 1))" "$image" | head -c "$bytes" | "$@" >"$out"';
  const args = ['-c', script, 'bpfgate', destination, String(offset), String(length), bzImage, ...unpacker];
  const { stderr } = await run('bash', args, { env: environment });
  // The size decides, not the exit code: unpackers report the end of a stream differently.
  const { size } = await stat(destination).catch(() => ({ size: -1 }));
  // An error instead of a result: unlike an image without an entry, this must not stay in the cache.
  if (size !== unpackedBytes && saysFullDisk(stderr)) {
    throw new MachineError(`cannot unpack the kernel \`${bzImage}\`: ${stderr.trim()}`, {
      hint: `free ${Math.ceil(unpackedBytes / 2 ** 20)} MiB on the disk of the cache, or set BPFGATE_CACHE to another`,
    });
  }
  return size === unpackedBytes;
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

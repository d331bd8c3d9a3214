// Kernel images for x86, by their setup header. Source: Documentation/arch/x86/boot.rst in the kernel's sources.

/** Number of bytes that hold the setup header and the release. */
export const imageStart = 64 * 1024;

/** Whether a file begins like a bzImage. */
function isBzImage(start: Buffer): boolean {
  return start.length >= 0x250 && start.toString('latin1', 0x202, 0x206) === 'HdrS';
}

/**
 * Reads what `uname -r` prints in a bzImage's kernel, from the field kernel_version.
 *
 * @returns undefined when it is not there, or is no release
 */
export function readRelease(start: Buffer): string | undefined {
  if (!isBzImage(start)) return undefined;
  const at = start.readUInt16LE(0x20e) + 0x200;
  const [release = ''] = start.toString('latin1', at, at + 65).split(/[ \0]/, 1);
  return /^\d+\.\d+[\w.+~-]*$/.test(release) && release.length < 65 ? release : undefined;
}

/** Says what a file is that is no bootable kernel for x86-64; undefined for one. */
export function describeMisfit(start: Buffer): string | undefined {
  if (start.toString('latin1', 0x38, 0x3c) === 'ARM\x64') return 'is a kernel for arm64; guests are x86-64';
  if (start.toString('latin1', 0, 4) === '\x7fELF') return 'is an ELF file; give the bzImage that was made of it';
  if (!isBzImage(start)) return 'is no bzImage';
  // The field xloadflags, of protocol 2.12 and newer.
  const is64Bit = start.readUInt16LE(0x206) < 0x20c || (start.readUInt16LE(0x236) & 1) === 1;
  if (!is64Bit) return 'is a kernel for 32-bit machines; guests are x86-64';
  return readRelease(start) === undefined ? 'does not say which release it is' : undefined;
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
 * The fields are setup_sects, header, version, payload_offset and payload_length.
 *
 * @returns undefined when it is not a bzImage of boot protocol 2.08 or newer, or is packed in an unknown way
 */
export function findPayload(bzImage: Buffer): Payload | undefined {
  if (!isBzImage(bzImage)) return undefined;
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

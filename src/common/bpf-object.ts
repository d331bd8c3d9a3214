// Common: recognises BPF object files.

/** Maximum size of one object, in bytes. The guest agent has the same limit. */
export const maxObject = 64 * 1024 * 1024;
/** Maximum objects of one revision. A project with all of the kernel's tests has a tenth of that. */
export const maxObjects = 20_000;
/** Number of bytes of a file that `isBpfObject` needs. */
export const bpfObjectStart = 20;

/** Whether a file's first bytes are those of an object for guests, which are little-endian. */
export function isBpfObject(start: Buffer): boolean {
  return isBpfElf(start) && start[5] === 1;
}

/** Whether they are a relocatable 64-bit ELF file's for machine EM_BPF, in the byte order that it declares. */
export function isBpfElf(start: Buffer): boolean {
  if (start.length < bpfObjectStart || start.readUInt32BE(0) !== 0x7f454c46 || start[4] !== 2) return false;
  const read = (offset: number) => (start[5] === 2 ? start.readUInt16BE(offset) : start.readUInt16LE(offset));
  return read(16) === 1 && read(18) === 247;
}

const headerBytes = 64;
const sectionBytes = 64;
/** Types of sections without bytes in the file: SHT_NULL and SHT_NOBITS. */
const absent: readonly number[] = [0, 8];

/**
 * Finds where an object for guests ends by its header and section table, in bytes. One that is cut is shorter.
 *
 * @param object all bytes that are there
 */
export function findObjectEnd(object: Buffer): number {
  if (object.length < headerBytes) return headerBytes;
  const table = Number(object.readBigUInt64LE(40));
  const tableEnd = table + sectionBytes * object.readUInt16LE(60);
  if (tableEnd > object.length) return tableEnd;
  let end = Math.max(headerBytes, tableEnd);
  for (let at = table; at < tableEnd; at += sectionBytes) {
    if (absent.includes(object.readUInt32LE(at + 4))) continue;
    end = Math.max(end, Number(object.readBigUInt64LE(at + 24)) + Number(object.readBigUInt64LE(at + 32)));
  }
  return end;
}

/** Removes from a path what bpf2go adds to a name for a target: `_bpfel.o`, `_x86_bpfel.o`. */
export function withoutTarget(path: string): string {
  return path.replace(/(_[a-z0-9]+)?_bpfe[bl](\.o)?$/, '');
}

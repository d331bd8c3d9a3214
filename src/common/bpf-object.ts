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

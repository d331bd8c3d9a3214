// Common: recognises BPF object files.

/** Maximum size of one object, in bytes. The guest agent has the same limit. */
export const maxObject = 64 * 1024 * 1024;
/** Maximum objects of one revision. A project with all of the kernel's tests has a tenth of that. */
export const maxObjects = 20_000;
/** Number of bytes of a file that `isBpfObject` needs. */
export const bpfObjectStart = 20;

/** Whether a file's first bytes are a relocatable 64-bit ELF file's for machine EM_BPF, little-endian as guests are. */
export function isBpfObject(start: Buffer): boolean {
  if (start.length < bpfObjectStart || start.readUInt32BE(0) !== 0x7f454c46) return false;
  return start[4] === 2 && start[5] === 1 && start.readUInt16LE(16) === 1 && start.readUInt16LE(18) === 247;
}

// Foreign objects: finds BPF objects in other files, such as the skeletons that libbpf's users compile in. Pure.

const magic = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
const headerBytes = 64;
const sectionBytes = 64;
const relocatable = 1;
const bpf = 247;
const noBits = 8;

/** Every complete BPF object in a file: little-endian, 64-bit. An object file contains one, itself. */
export function findObjects(file: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = file.indexOf(magic); at !== -1; at = file.indexOf(magic, at + 1)) {
    const bytes = measureObject(file.subarray(at));
    if (bytes !== null) found.push(file.subarray(at, at + bytes));
  }
  return found;
}

/** The length of the object at the start of the buffer; null if there is none, or only part of one. */
function measureObject(file: Buffer): number | null {
  if (file.length < headerBytes || file.readUInt16LE(16) !== relocatable || file.readUInt16LE(18) !== bpf) return null;
  const table = Number(file.readBigUInt64LE(40));
  const count = file.readUInt16LE(60);
  let end = table + count * sectionBytes;
  if (count === 0 || end > file.length) return null;
  for (let section = table; section < table + count * sectionBytes; section += sectionBytes) {
    if (file.readUInt32LE(section + 4) === noBits) continue;
    end = Math.max(end, Number(file.readBigUInt64LE(section + 24)) + Number(file.readBigUInt64LE(section + 32)));
  }
  return end > file.length ? null : end;
}

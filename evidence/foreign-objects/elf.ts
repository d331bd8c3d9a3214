// Foreign objects: finds BPF objects in other files, such as the skeletons that libbpf's users compile in. Pure.

import { findObjectEnd, isBpfObject } from '../../src/common/bpf-object.ts';

const magic = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
const sectionCountOffset = 60;

/** Every complete BPF object in a file: little-endian, 64-bit. An object file contains one, itself. */
export function findObjects(file: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = file.indexOf(magic); at !== -1; at = file.indexOf(magic, at + 1)) {
    const rest = file.subarray(at);
    if (!isBpfObject(rest)) continue;
    const end = findObjectEnd(rest);
    if (end <= rest.length && rest.readUInt16LE(sectionCountOffset) > 0) found.push(rest.subarray(0, end));
  }
  return found;
}

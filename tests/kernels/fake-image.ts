// A file with the setup header of a bzImage, for tests that boot nothing.

import { gzipSync } from 'node:zlib';

export interface FakeImage {
  readonly release?: string;
  /** Content of the packed kernel. Default: none. */
  readonly kernel?: Buffer;
  readonly is64Bit?: boolean;
}

export function makeBzImage({ release = '6.1.7-test', kernel = Buffer.alloc(0), is64Bit = true }: FakeImage = {}) {
  const header = Buffer.alloc(1024);
  header.writeUInt8(1, 0x1f1);
  header.write('HdrS', 0x202, 'latin1');
  header.writeUInt16LE(0x20f, 0x206);
  header.writeUInt16LE(0x100, 0x20e);
  header.writeUInt16LE(is64Bit ? 1 : 0, 0x236);
  header.write(`${release} (builder@host) #1 SMP\0`, 0x300, 'latin1');
  const packed = gzipSync(kernel);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(kernel.length);
  header.writeUInt32LE(0, 0x248);
  header.writeUInt32LE(packed.length + 4, 0x24c);
  return Buffer.concat([header, packed, size]);
}

/** A packed kernel that has its configuration (CONFIG_IKCONFIG). */
export function withIkconfig(config: string): Buffer {
  return Buffer.concat([Buffer.from('\x7fELF...IKCFG_ST'), gzipSync(config), Buffer.from('IKCFG_ED...')]);
}

import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KernelError } from '../../src/common/errors.ts';
import { makeBootImage, verifyBootImage } from '../../src/vm/boot-image.ts';
import { boot } from './boot-fixture.ts';

let folder: string;
let cache: { readonly root: string };
const kernel = () => ({ ...boot.kernel, image: join(folder, 'vmlinuz') });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-image-'));
  cache = { root: join(folder, 'cache') };
});
afterEach(() => rm(folder, { recursive: true }));

/** An ELF image whose only segment is a Xen note; one of type 18 is the entry point that QEMU starts. */
function elf(noteType: number): Buffer {
  const note = Buffer.alloc(24);
  note.writeUInt32LE(4, 0);
  note.writeUInt32LE(8, 4);
  note.writeUInt32LE(noteType, 8);
  note.write('Xen\0', 12, 'latin1');
  const image = Buffer.alloc(64 + 56);
  image.write('7f454c460201', 0, 'hex');
  image.writeBigUInt64LE(64n, 32);
  image.writeUInt16LE(56, 54);
  image.writeUInt16LE(1, 56);
  image.writeUInt32LE(4, 64);
  image.writeBigUInt64LE(120n, 64 + 8);
  image.writeBigUInt64LE(BigInt(note.length), 64 + 32);
  return Buffer.concat([image, note]);
}

/** A bzImage of the kernel image, as far as the setup header goes: boot protocol 2.15, one sector of setup. */
function bzImage(kernelImage: Buffer): Buffer {
  const setup = Buffer.alloc(2 * 512);
  setup.writeUInt8(1, 0x1f1);
  setup.write('HdrS', 0x202, 'latin1');
  setup.writeUInt16LE(0x20f, 0x206);
  const packed = gzipSync(kernelImage);
  setup.writeUInt32LE(packed.length + 4, 0x24c);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(kernelImage.length);
  return Buffer.concat([setup, packed, size]);
}

const make = () => makeBootImage(kernel(), cache, process.env);
const verify = () => verifyBootImage(kernel(), cache);

describe('the image that QEMU boots', () => {
  test('is the unpacked one if it has an entry point for QEMU', async () => {
    await writeFile(kernel().image, bzImage(elf(18)));
    const image = await make();
    expect(await readFile(image)).toEqual(elf(18));
    await expect(verify()).resolves.toBeUndefined();
  });

  test('is otherwise the packed one', async () => {
    await writeFile(kernel().image, bzImage(elf(6)));
    expect(await make()).toBe(kernel().image);
    await expect(verify()).resolves.toBeUndefined();
  });

  test('is verified only if it exists', async () => {
    await writeFile(kernel().image, bzImage(elf(18)));
    await expect(verify()).resolves.toBeUndefined();
  });

  test('is refused if it was changed or removed', async () => {
    await writeFile(kernel().image, bzImage(elf(18)));
    const image = await make();
    const refused = () => verify().catch((reason: unknown) => reason);
    await appendFile(image, 'x');
    const changed = await refused();
    expect(changed).toBeInstanceOf(KernelError);
    expect(changed).toMatchObject({
      message: expect.stringMatching(/the unpacked image changed .+\n {2}recorded: \w{64}\n {2}found: {4}\w{64}\n/),
      hint: expect.stringContaining(`rm -rf ${dirname(image)} ${join(cache.root, 'snapshots')} `),
    });
    await rm(image);
    expect(await refused()).toMatchObject({ message: expect.stringContaining('cannot read the unpacked image') });
  });

  test('is refused if the check had chosen the packed one', async () => {
    await writeFile(kernel().image, bzImage(elf(6)));
    await make();
    const [entry = ''] = await readdir(join(cache.root, 'boot-images'));
    await writeFile(join(cache.root, 'boot-images', entry, 'vmlinux'), elf(18));
    await expect(verify()).rejects.toThrow('the unpacked image changed');
  });
});

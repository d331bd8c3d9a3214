// Archives of a built tree with what root in a guest can put into them, and what unpacking does on the host.
// @module-tag hostile

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { removeTree } from '../../src/adapters/remove-tree.ts';
import { BuildError, VmError } from '../../src/common/errors.ts';
import { unpackTree } from '../../src/vm/build-in-guest.ts';

let folder: string;
let archive: string;
let workDir: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-tree-')));
  archive = join(folder, 'stdout');
  workDir = join(folder, 'work');
  mkdirSync(workDir);
  writeFileSync(join(workDir, 'as-it-was'), '');
});
// Also removes folders without read permission: their owner is not root on every machine.
afterEach(() => removeTree(folder));

const maxBytes = 16 * 2 ** 20;
const limits = { maxEntries: 1000, maxBytes };

interface Member {
  readonly name: string;
  /** Default: a regular file. */
  readonly type?: string;
  readonly link?: string;
  readonly content?: string;
  /** The size in the header. Default: the content's. */
  readonly size?: number;
}

function member({ name, type = '0', link = '', content = '', size = content.length }: Member): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, from: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, from, 'latin1');
  header.write(name, 0, 'latin1');
  octal(0o644, 100, 8);
  octal(size, 124, 12);
  header.write(type, 156, 'latin1');
  header.write(link, 157, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  header.fill(' ', 148, 156);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

function extended(keyword: string, value: string): Buffer {
  const rest = ` ${keyword}=${value}\n`;
  const length = [1, 2, 3, 4].map((digits) => rest.length + digits).find((sum, at) => `${sum}`.length === at + 1);
  return member({ name: './PaxHeaders/x', type: 'x', content: `${length}${rest}` });
}

const theEnd = Buffer.alloc(10_240);
const root = member({ name: './', type: '5' });
const pack = (...parts: Buffer[]) => writeFileSync(archive, Buffer.concat([root, ...parts, theEnd]));

/** Expects that nothing of a refused archive is on the host. */
function expectUntouched(): void {
  expect(readdirSync(workDir)).toEqual(['as-it-was']);
  expect(readdirSync(folder).sort()).toEqual(['stdout', 'work']);
}

test('a tree packed by `vm/build` is unpacked unchanged, links and times included', async () => {
  const tree = join(folder, 'tree');
  const deep = join(tree, 'd'.repeat(120), 'e'.repeat(200));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'ü'.repeat(60)), 'deep');
  writeFileSync(join(tree, 'large'), 'x'.repeat(700_000));
  linkSync(join(tree, 'large'), join(tree, 'same'));
  symlinkSync('/usr/bin/env', join(tree, 'outside'));
  symlinkSync('../elsewhere', join(tree, 'dangling'));
  symlinkSync('d'.repeat(120), join(tree, 'short'));
  const script = readFileSync(join(packageRoot, 'vm', 'build'), 'utf8');
  writeFileSync(archive, execFileSync('bash', ['-c', script, 'build', tree, 'true'], { cwd: tree }));

  await unpackTree(archive, workDir, limits);
  expect(readdirSync(workDir, { recursive: true }).sort()).toEqual(readdirSync(tree, { recursive: true }).sort());
  const [before, after] = [tree, workDir].map((at) => lstatSync(join(at, 'large'), { bigint: true }));
  expect(after?.mtimeNs).toBe(before?.mtimeNs);
  expect(lstatSync(join(workDir, 'large')).ino).toBe(lstatSync(join(workDir, 'same')).ino);
  expect(readlinkSync(join(workDir, 'outside'))).toBe('/usr/bin/env');
  expect(readlinkSync(join(workDir, 'dangling'))).toBe('../elsewhere');
  expect(existsSync(`${workDir}.guest`)).toBe(false);
});

describe('an invalid tree from a guest is refused', () => {
  test.each([
    ['a character device', /left a device node, ".\/null"/, [member({ name: './null', type: '3' })]],
    ['a disk', /left a device node, ".\/sda"/, [member({ name: './sda', type: '4' })]],
    ['a named pipe', /left a named pipe, ".\/pipe"/, [member({ name: './pipe', type: '6' })]],
    ['a file of 8 GiB', /left files of more than 16777216 bytes/, [member({ name: './huge', size: 2 ** 33 - 1 })]],
    ['a sparse file', /left a sparse file, ".\/huge"/, [member({ name: './huge', type: 'S' })]],
  ])('with %s: a build error', async (_, message, parts) => {
    pack(...parts);
    const unpacked = unpackTree(archive, workDir, limits);
    await expect(unpacked).rejects.toThrow(BuildError);
    await expect(unpacked).rejects.toThrow(message);
    expectUntouched();
  });

  test.each([
    [
      'a sparse file of 1 TiB in the newer format',
      [extended('GNU.sparse.realsize', `${2 ** 40}`), member({ name: './f' })],
    ],
    ['another size than its header says', [extended('size', `${2 ** 40}`), member({ name: './f' })]],
    ['a file that is longer than the archive', [member({ name: './f', size: maxBytes })]],
    ['a name that leads up', [member({ name: './../f' })]],
    ['a name that leads up and down', [member({ name: './a/../../f' })]],
    ['an absolute name', [member({ name: '/etc/f' })]],
    ['an absolute name in an extended header', [extended('path', '/etc/f'), member({ name: './f' })]],
    ['no file, but the tree itself', [member({ name: '.' })]],
    ['files below a link', [member({ name: './l', type: '2', link: '/etc' }), member({ name: './l/f' })]],
    [
      'files below a hard link to a link',
      [
        member({ name: './l', type: '2', link: '/etc' }),
        member({ name: './m', type: '1', link: './l' }),
        member({ name: './m/f' }),
      ],
    ],
    ['a hard link to a file of the host', [member({ name: './h', type: '1', link: '/etc/passwd' })]],
    ['a hard link that leads up', [member({ name: './h', type: '1', link: './../as-it-was' })]],
    [
      'a hard link through a link',
      [member({ name: './l', type: '2', link: '/etc' }), member({ name: './h', type: '1', link: './l/passwd' })],
    ],
    ['settings for all that follows', [member({ name: './g', type: 'g', content: '16 path=/etc/fff\n' })]],
    ['two extended headers in a row', [extended('path', './a'), extended('path', './b'), member({ name: './f' })]],
    ['an extended header of another length', [member({ name: './x', type: 'x', content: '99 path=./a\n' })]],
    ['a folder with contents', [member({ name: './d', type: '5', content: 'hidden' })]],
    ['an end in its middle', [theEnd, member({ name: './sda', type: '4' })]],
    ['a header of another sum', [member({ name: './f' }).fill('g', 2, 3)]],
    ['a size that is no number', [member({ name: './f' }).fill(0xff, 124, 136)]],
    ['compressed contents', [Buffer.from('1f8b0800', 'hex')]],
  ])('with %s', async (_, parts) => {
    pack(...parts);
    await expect(unpackTree(archive, workDir, limits)).rejects.toThrow(VmError);
    expectUntouched();
  });

  test('that does not end', async () => {
    writeFileSync(archive, Buffer.concat([root, member({ name: './f', content: 'all' })]));
    await expect(unpackTree(archive, workDir, limits)).rejects.toThrow('it ends in the middle');
    expectUntouched();
  });
});

test('a tree from a guest has a limit of entries and bytes', async () => {
  pack(...Array.from({ length: 20_000 }, (_, index) => member({ name: `./${index}` })));
  const tooMany = unpackTree(archive, workDir, { maxEntries: 20_000, maxBytes });
  await expect(tooMany).rejects.toThrow('the build left more than 20000 files, folders and links');
  expectUntouched();
  const tooLarge = unpackTree(archive, workDir, { maxEntries: 20_001, maxBytes: 10_000_000 });
  await expect(tooLarge).rejects.toThrow(/the guest left a tree of \d+ bytes, more than its memory holds/);
  expectUntouched();
  await unpackTree(archive, workDir, { maxEntries: 20_001, maxBytes });
  expect(readdirSync(workDir)).toHaveLength(20_000);
});

import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findObjects } from '../../src/build/find-objects.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bpfgate-objects-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** The beginning of an ELF header: 64 bits, little-endian, relocatable, EM_BPF. */
function elf({ bits = 2, order = 1, type = 1, machine = 247, rest = '' } = {}): Buffer {
  const header = Buffer.alloc(64);
  header.set([0x7f, 0x45, 0x4c, 0x46, bits, order, 1]);
  header.writeUInt16LE(type, 16);
  header.writeUInt16LE(machine, 18);
  return Buffer.concat([header, Buffer.from(rest)]);
}

function write(path: string, content: Buffer | string): void {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const find = async (projectPath = '') => {
  const build = { revision: 'head', ref: '', commit: null, tree: '', dir, seal: '', starts: {}, tools: {} } as const;
  const objects = await findObjects(build, projectPath, { progress: () => {}, warn: () => {} });
  return objects.toSorted((a, b) => (a.path < b.path ? -1 : 1));
};

test('finds BPF objects by their contents', async () => {
  write('src/probe.bpf.o', elf());
  write('out/xdp', elf({ rest: 'more' }));
  write('out/x86.o', elf({ machine: 62 }));
  write('out/executable', elf({ type: 2 }));
  write('counter_bpfeb.o', elf({ order: 2 }));
  write('short.o', elf().subarray(0, 19));
  write('empty.o', '');
  write('probe.bpf.c', 'int main;');
  write('.git/probe.bpf.o', elf());
  write('node_modules/a/probe.bpf.o', elf());
  symlinkSync(join(dir, 'out/xdp'), join(dir, 'link.o'));
  symlinkSync(dir, join(dir, 'loop'));
  expect((await find()).map(({ path }) => path)).toEqual(['out/xdp', 'src/probe.bpf.o']);
});

test('marks objects with equal contents', async () => {
  write('a.o', elf());
  write('b.o', elf());
  write('c.o', elf({ rest: 'c' }));
  const [a, b, c] = (await find()).map(({ digest }) => digest);
  expect(a).toBe(b);
  expect(a).not.toBe(c);
});

test("searches the project and the tree's own target folder", async () => {
  write('project/a.o', elf());
  write('target/release/build/a/out/b.o', elf());
  write('other/c.o', elf());
  expect((await find('project')).map(({ path, projectPath }) => [path, projectPath])).toEqual([
    ['project/a.o', 'a.o'],
    ['target/release/build/a/out/b.o', 'target/release/build/a/out/b.o'],
  ]);
});

test('is an error if a build left too many files', async () => {
  write('0', elf());
  for (let count = 1; count <= 20_000; count++) linkSync(join(dir, '0'), join(dir, `${count}`));
  await expect(find()).rejects.toThrow('the build of head left more than 20000 BPF objects');
}, 300_000);

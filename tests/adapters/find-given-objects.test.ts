import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findGivenObjects } from '../../src/adapters/find-given-objects.ts';

const fixture = join(import.meta.dirname, '..', '..', 'vm', 'agent', 'tests', 'fixtures', 'good.bpf.o');
let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'bpfgate-objects-')));
  await mkdir(join(folder, 'objs', 'xdp'), { recursive: true });
  for (const path of ['objs/a.o', 'objs/xdp/b.bpf.o', 'a.o']) await copyFile(fixture, join(folder, path));
  await writeFile(join(folder, 'objs', 'host.o'), 'of another machine');
});

afterEach(() => rm(folder, { recursive: true }));

const find = async (...patterns: string[]) =>
  (
    await findGivenObjects(
      patterns.map((pattern) => join(folder, pattern)),
      '--head-objects',
    )
  ).map(({ path }) => path);

test('a glob finds BPF objects, and names them by their paths below its fixed part', async () => {
  expect(await find('objs/*.o')).toEqual(['a.o', 'xdp/b.bpf.o']);
  expect(await find('ob*.o')).toEqual(['objs/a.o', 'objs/xdp/b.bpf.o']);
});

test('a path is named by its file, and may lead through a link', async () => {
  await symlink(join(folder, 'objs'), join(folder, 'link'));
  expect(await find('link/xdp/b.bpf.o')).toEqual(['b.bpf.o']);
  expect(await find('link/xd*.o')).toEqual(['xdp/b.bpf.o']);
});

test('a file is found once, and two files have two names', async () => {
  expect(await find('objs/a.o', 'objs/*.o')).toEqual(['a.o', 'xdp/b.bpf.o']);
  expect(await find('objs/a.o', 'a.o')).toEqual(['objs/a.o', 'a.o']);
});

test('a pattern without an object is an error that names it and the reason', async () => {
  await expect(find('objs/none.o')).rejects.toThrow(`--head-objects: there is no file \`${folder}/objs/none.o\``);
  await expect(find('objs/*.ko')).rejects.toThrow(`no file matches \`${folder}/objs/*.ko\``);
  await expect(find('objs/h*.o')).rejects.toThrow(`files match \`${folder}/objs/h*.o\`, but none is a BPF object`);
  await expect(find('objs/host.o')).rejects.toThrow(`\`${folder}/objs/host.o\` is not a BPF object`);
  await expect(find('objs/')).rejects.toMatchObject({
    message: `--head-objects: \`${folder}/objs/\` is a folder`,
    hint: `give '${folder}/objs/*.o'`,
  });
});

test('an object of the other byte order is named as such', async () => {
  const bytes = await readFile(fixture);
  bytes[5] = 2;
  bytes.subarray(16, 18).reverse();
  bytes.subarray(18, 20).reverse();
  await writeFile(join(folder, 'objs/a.o'), bytes);
  await expect(find('objs/a.o')).rejects.toMatchObject({
    message: `--head-objects: \`${folder}/objs/a.o\` is big-endian, and guests are little-endian`,
    hint: 'build it with -target bpfel',
  });
});

test('a pointer of Git LFS is an error that names it, also among objects', async () => {
  await writeFile(join(folder, 'objs/a.o'), 'version https://git-lfs.github.com/spec/v1\noid sha256:4665\nsize 9\n');
  await writeFile(join(folder, 'objs/b.elf'), 'version https://git-lfs.github.com/spec/v1\noid sha256:4665\nsize 9\n');
  for (const [pattern, named] of [
    ['objs/*', 'objs/a.o'],
    ['objs/b.elf', 'objs/b.elf'],
  ] as const) {
    await expect(find(pattern)).rejects.toMatchObject({
      message: `--head-objects: \`${folder}/${named}\`: it is a pointer of Git LFS, whose content is not here`,
      hint: 'git lfs pull; in a workflow, set `lfs: true` for actions/checkout',
    });
  }
});

test('an object that is cut is an error, not one of which nothing is known', async () => {
  const { length } = await readFile(fixture);
  for (const end of [40, Math.floor(length / 2), length - 1]) {
    await copyFile(fixture, join(folder, 'objs/a.o'));
    await truncate(join(folder, 'objs/a.o'), end);
    const whole = end === 40 ? 64 : length;
    await expect(find('objs/*.o')).rejects.toThrow(`\`${folder}/objs/a.o\` ends at byte ${end} of ${whole}`);
  }
});

test('sections have to lie in the file, but for those without bytes in it', async () => {
  const bytes = await readFile(fixture);
  const section = Number(bytes.readBigUInt64LE(40)) + 2 * 64;
  bytes.writeBigUInt64LE(BigInt(bytes.length), section + 32);
  await writeFile(join(folder, 'objs/a.o'), bytes);
  await expect(find('objs/a.o')).rejects.toThrow(`ends at byte ${bytes.length} of ${bytes.length + 64}`);
  bytes.writeUInt32LE(8, section + 4);
  await writeFile(join(folder, 'objs/a.o'), bytes);
  expect(await find('objs/a.o')).toEqual(['a.o']);
});

test('an object that the agent would not read is an error, not skipped', async () => {
  await truncate(join(folder, 'objs/a.o'), 64 * 1024 * 1024 + 1);
  await expect(find('objs/*.o')).rejects.toThrow(`\`${folder}/objs/a.o\` is larger than 64 MiB`);
});

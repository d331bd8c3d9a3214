import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
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
  expect(await find('objs/a.o', 'a.o')).toEqual(['a.o', join(folder, 'a.o').slice(1)]);
});

test('a pattern without an object is an error that names it', async () => {
  await expect(find('objs/*.ko')).rejects.toThrow(`--head-objects: no BPF object is called \`${folder}/objs/*.ko\``);
  await expect(find('objs/host.o')).rejects.toThrow(`\`${folder}/objs/host.o\` is not a BPF object`);
});

test('an object that the agent would not read is an error, not skipped', async () => {
  await truncate(join(folder, 'objs/a.o'), 64 * 1024 * 1024 + 1);
  await expect(find('objs/*.o')).rejects.toThrow(`\`${folder}/objs/a.o\` is larger than 64 MiB`);
});

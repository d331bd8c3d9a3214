import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { locateGivenKernels, locateProjectKernels } from '../../src/adapters/locate-kernels.ts';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'bpfgate-locate-')));
  await writeFile(join(folder, 'bzImage'), '');
});
afterEach(() => rm(folder, { recursive: true }));

test('what a user gives is relative to the current folder, and links are followed', async () => {
  await symlink(join(folder, 'bzImage'), join(folder, 'link'));
  const given = [`6.1,file:${relative('.', join(folder, 'link'))}`, `file:${folder}/bzImage`];
  const image = `file:${folder}/bzImage`;
  expect(await locateGivenKernels(given, '--kernels')).toEqual([`6.1,${image}`, image]);
  await expect(locateGivenKernels([`file:${folder}/none`], '--kernels')).rejects.toThrow(
    `--kernels: there is no file or folder \`${folder}/none\``,
  );
});

test('what a project gives is relative to it', async () => {
  expect(await locateProjectKernels(['6.1', 'file:a/bzImage'], folder, 'bpfgate.toml')).toEqual([
    '6.1',
    `file:${folder}/a/bzImage`,
  ]);
});

test.each(['/boot/vmlinuz', '../bzImage', 'a/../../b'])(
  'a project cannot give %s',
  { tags: ['hostile'] },
  async (path) => {
    await expect(locateProjectKernels([`file:${path}`], folder, 'bpfgate.toml')).rejects.toThrow(
      `bpfgate.toml: kernel \`file:${path}\` is outside of the project`,
    );
  },
);

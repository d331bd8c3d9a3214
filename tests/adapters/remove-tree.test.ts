import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runOrThrow } from '../../src/adapters/process.ts';
import { removeTree } from '../../src/adapters/remove-tree.ts';

const makeFolder = () => mkdtemp(join(tmpdir(), 'bpfgate-remove-'));

test('a folder nested deeper than the longest path is removed', async () => {
  const folder = await makeFolder();
  const nest = 'n=$(printf %0200d 0); for i in $(seq 30); do mkdir $n; cd -P ./$n; done; : >bottom';
  await runOrThrow('sh', ['-c', nest], { cwd: folder });
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
});

test('a folder without permissions for its owner is removed, and the targets of its links stay', async () => {
  const [folder, other] = [await makeFolder(), await makeFolder()];
  await writeFile(join(other, 'file'), '');
  await mkdir(join(folder, 'closed', 'inner'), { recursive: true });
  await symlink(other, join(folder, 'closed', 'inner', 'link'));
  await chmod(join(folder, 'closed', 'inner'), 0);
  await chmod(join(folder, 'closed'), 0);
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
  expect(existsSync(join(other, 'file'))).toBe(true);
  await removeTree(other);
});

test('a missing folder is no error', async () => {
  await expect(removeTree(join(tmpdir(), 'bpfgate-remove-nothing'))).resolves.toBeUndefined();
});

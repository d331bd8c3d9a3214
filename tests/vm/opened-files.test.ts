import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seal } from '../../src/build/seal.ts';
import { hashOpened, readTreeFiles, type TreeFiles } from '../../src/vm/opened-files.ts';

let dir: string;
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'bpfgate-opened-')), 'tree');
  write('src/a', '1');
  write('target/CACHEDIR.TAG', '');
});
afterEach(() => rmSync(dirname(dir), { recursive: true }));

function write(path: string, content: string) {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), content);
}

async function read(): Promise<TreeFiles> {
  const files = await readTreeFiles({ dir, seal: await seal(dir) });
  if (files === undefined) throw new Error('the seal is not read');
  return files;
}

test.each([
  ['a file is changed', () => write('src/a', '2'), false],
  ['a file is added to a cache', () => write('target/deps/a-1', ''), false],
  ['a file is added', () => write('src/b\tf 1 ', ''), true],
  ['a link is added to a cache', () => symlinkSync('x', join(dir, 'target/link')), true],
])('if %s, other names: %3$s', async (_, change, isOther) => {
  const before = await read();
  change();
  expect((await read()).names !== before.names).toBe(isOther);
});

test('the hash is of the names and of what was opened', async () => {
  write('src/b', '1');
  const before = await hashOpened(await read(), ['src/a', '../seal', 'missing']);
  expect(await hashOpened(await read(), ['src/a'])).not.toBe(before);
  write('src/b', '2');
  expect(await hashOpened(await read(), ['src/a', '../seal', 'missing'])).toBe(before);
  write('src/a', '2');
  expect(await hashOpened(await read(), ['src/a', '../seal', 'missing'])).not.toBe(before);
});

test('folders have names', async () => {
  write('target/deps/x/y', '');
  const { has, list } = await read();
  expect(list('/')).toEqual(['src', 'target']);
  expect(list('target/')).toEqual(['target/CACHEDIR.TAG', 'target/deps']);
  expect(['/', 'target/', 'src/a', 'src/a/', 'target', 'no/'].map(has)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  const before = await hashOpened(await read(), ['target/deps/']);
  write('target/deps/z', '');
  expect(await hashOpened(await read(), ['target/deps/'])).not.toBe(before);
});

test('a seal that is not that of the build is not read', async () => {
  const sealed = await seal(dir);
  expect(await readTreeFiles({ dir, seal: sealed.replace(/./, 'x') })).toBeUndefined();
  rmSync(`${dir}.seal`);
  expect(await readTreeFiles({ dir, seal: sealed })).toBeUndefined();
});

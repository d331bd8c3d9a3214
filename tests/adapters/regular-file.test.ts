// @module-tag hostile

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readFileBelow, readRegularFile } from '../../src/adapters/regular-file.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-regular-')));
  mkdirSync(join(folder, 'tree/real'), { recursive: true });
  writeFileSync(join(folder, 'outside'), 'secret');
  writeFileSync(join(folder, 'tree/real/file'), 'text');
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (path: string) => readFileBelow(join(folder, 'tree'), path, 4);

describe('a file of a tree', () => {
  test('is read if it is regular, also when the tree is reached through a link', async () => {
    symlinkSync('tree', join(folder, 'link'));
    expect(await readFileBelow(join(folder, 'link'), 'real/../real/file', 4)).toBe('text');
  });

  test.each(['none', 'none/file', 'real/file/none'])('is undefined if it is missing: %s', async (path) => {
    expect(await read(path)).toBeUndefined();
  });

  test.each<[string, string, (place: string) => void]>([
    ['a link', 'it is a link', (place) => symlinkSync('real/file', place)],
    ['a link to nothing', 'it is a link', (place) => symlinkSync('nothing', place)],
    ['a link to a device', 'it is a link', (place) => symlinkSync('/dev/zero', place)],
    ['a pipe', 'it is not a regular file', (place) => execFileSync('mkfifo', [place])],
    ['a folder', 'it is not a regular file', (place) => mkdirSync(place)],
    ['too long', 'it is longer than 4 bytes', (place) => writeFileSync(place, 'texts')],
    ['a terabyte', 'it is longer than 4 bytes', (place) => [writeFileSync(place, ''), truncateSync(place, 2 ** 40)]],
  ])('is refused at once if it is %s, with its name and the next step', async (_what, reason, make) => {
    const place = join(folder, 'tree/place');
    make(place);
    await expect(read('place')).rejects.toMatchObject({
      message: `cannot read ${place}: ${reason}`,
      hint: expect.stringMatching(/./),
      exitCode: 2,
    });
  });

  test('is refused if a folder on its path is a link, or it is outside the tree', async () => {
    symlinkSync('..', join(folder, 'tree/up'));
    symlinkSync('real', join(folder, 'tree/same'));
    await expect(read('up/outside')).rejects.toMatchObject({ reason: 'a folder of its path is a link' });
    await expect(read('same/file')).rejects.toMatchObject({ reason: 'a folder of its path is a link' });
    await expect(read('../outside')).rejects.toMatchObject({ reason: 'it is outside of the folder' });
  });
});

test('a file with a size of 0 is read only up to the limit', async () => {
  await expect(readRegularFile(`/proc/${process.pid}/status`, 10)).rejects.toThrow('longer than 10 bytes');
});

test('a device is refused', async () => {
  await expect(readRegularFile('/dev/zero', 10)).rejects.toThrow('cannot read /dev/zero: it is not a regular file');
});

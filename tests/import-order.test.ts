// Imports between folders of src go down only. Cycles of files, and the world in pure folders, are the linter's.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { expect, test } from 'vitest';

/** Folders of `src`, lowest first. Those of one row do not import each other. */
const floors = [
  ['model', 'common'],
  ['statistics', 'inputs'],
  ['plan', 'profile'],
  ['bench'],
  ['compare'],
  ['report'],
  ['workflow'],
  ['export', 'history'],
  ['adapters'],
  ['cache'],
  ['prerequisites'],
  ['kernels', 'sandbox'],
  ['build'],
  ['vm'],
  ['publish', 'gate'],
  // The gate, and what starts it.
  ['.'],
];
const src = join(import.meta.dirname, '..', 'src');

const folderOf = (file: string) => (file.includes(sep) ? (file.split(sep)[0] ?? '') : '.');
const floorOf = (file: string) => floors.findIndex((floor) => floor.includes(folderOf(file)));

test('every folder has a floor, and imports only from lower ones', () => {
  const files = globSync('**/*.ts', { cwd: src });
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter((file) => floorOf(file) === -1)).toEqual([]);
  const upward = files.flatMap((file) => {
    const specifiers = readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+\.ts)'/g);
    return [...specifiers]
      .map(([, specifier = '']) => normalize(join(dirname(file), specifier)))
      .filter((imported) => existsSync(join(src, imported)) && folderOf(imported) !== folderOf(file))
      .filter((imported) => floorOf(imported) >= floorOf(file))
      .map((imported) => `${file} imports ${imported}`);
  });
  expect(upward).toEqual([]);
});

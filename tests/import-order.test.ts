// Imports between folders of src go down only. Cycles of files, and the world in pure folders, are the linter's.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { expect, test } from 'vitest';

/** The seven floors of docs/architecture.md, lowest first. On one floor, a folder imports only those to its left. */
const floors = [
  ['model', 'common'],
  // Pure rules.
  ['statistics', 'inputs', 'plan', 'profile', 'bench', 'compare', 'report', 'workflow', 'export', 'history'],
  ['adapters', 'cache'],
  ['prerequisites', 'kernels', 'sandbox', 'build', 'vm', 'publish'],
  ['gate', 'gate.ts'],
  ['commands'],
  // Entry points.
  ['.'],
].flat();
const src = join(import.meta.dirname, '..', 'src');

const folderOf = (file: string) => (file.includes(sep) || file === 'gate.ts' ? (file.split(sep)[0] ?? '') : '.');
const floorOf = (file: string) => floors.indexOf(folderOf(file));

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

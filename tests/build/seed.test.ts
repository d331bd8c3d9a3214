// Seeds: what of a kept build another one starts from. tests/build/build-revisions.test.ts has whole builds.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeTree } from '../../src/adapters/remove-tree.ts';
import { goCache, plantGoCache } from '../../src/build/seed.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-seed-'));
});
afterEach(() => removeTree(folder));

/** Plants the Go cache of a kept build in a tree of these files, of which those named `changed` are new. */
async function plant(files: Readonly<Record<string, string>>, changed: readonly string[], settings = 'go build') {
  const [dir, to] = [join(folder, 'kept'), join(folder, 'tree')];
  rmSync(to, { recursive: true, force: true });
  mkdirSync(join(dir, goCache), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), text);
  }
  const after = Object.fromEntries(Object.keys(files).map((path) => [path, '1']));
  const before = { ...after, ...Object.fromEntries(changed.map((path) => [path, '0'])) };
  await plantGoCache({ dir, depth: 0, files: before, rebuilt: [] }, after, to, settings);
  return existsSync(join(to, goCache));
}

test('a Go cache is not used where C that Go does not know of may have changed', async () => {
  const go = { 'go.mod': 'module m\n', 'm.go': 'package m\n', 'inc/x.h': '' };
  expect(await plant(go, ['m.go', 'inc/x.h'])).toBe(true);
  expect(await plant(go, ['inc/x.h'], 'CGO_CFLAGS=-I$PWD/inc go build')).toBe(false);
  const cgo = { ...go, 'm.go': 'package m\n\nimport (\n\t"C"\n)\n' };
  expect(await plant(cgo, ['m.go', 'go.sum'])).toBe(true);
  expect(await plant(cgo, ['inc/x.h'])).toBe(false);
  expect(await plant({ ...go, Makefile: 'all:\n\tCGO_ENABLED=0 go build\n' }, ['Makefile'])).toBe(true);
  expect(await plant({ ...go, Makefile: 'export CGO_CFLAGS = -Iinc\n' }, ['libbpf'])).toBe(false);
});

test('links in a Go cache stay links, and what git tracks in its place stays', { tags: ['hostile'] }, async () => {
  mkdirSync(join(folder, 'kept', goCache), { recursive: true });
  symlinkSync('/etc', join(folder, 'kept', goCache, 'link'));
  expect(await plant({ 'go.mod': '' }, [])).toBe(true);
  expect(readdirSync(join(folder, 'tree', goCache), { withFileTypes: true })[0]?.isSymbolicLink()).toBe(true);
  expect(await plant({ [`${goCache}/x`]: '' }, [])).toBe(true);
  expect(readdirSync(join(folder, 'tree', goCache))).toEqual(['x']);
});

test('a Go cache that cannot be copied is left out', { tags: ['hostile'] }, async () => {
  mkdirSync(join(folder, 'kept', goCache), { recursive: true });
  const nest = 'name=$(printf %0200d 0); for _ in {1..30}; do mkdir $name && cd $name; done';
  execFileSync('bash', ['-c', nest], { cwd: join(folder, 'kept', goCache) });
  expect(await plant({ 'go.mod': '' }, [])).toBe(false);
});

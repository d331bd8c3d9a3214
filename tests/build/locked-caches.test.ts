// @module-tag hostile

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCrates, findModules, sumFiles } from '../../src/build/locked-caches.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-locked-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

test('finds a crate, its archive and its entry of the index, or its repository', () => {
  const at = (name: string, path: string, source: string | null = 'registry+x') => ({
    ...{ name, source, manifest_path: `/c/${path}/Cargo.toml` },
  });
  const packages = [
    at('Aya_x', 'registry/src/host-1/Aya_x-1.0.0'),
    at('own', '../tree/own', null),
    // Named by `path = "/c/..."` in the project's manifest.
    at('secret', 'registry/src/corp-3/secret-1.0.0', null),
    at('private', 'git/checkouts/private-4/abc', null),
    at('g', 'git/checkouts/g-2/abc/sub'),
  ];
  expect(findCrates(JSON.stringify({ packages }), '/c')).toEqual([
    ...['src/host-1/Aya_x-1.0.0', 'cache/host-1/Aya_x-1.0.0.crate', 'index/host-1/.cache/ay/a_/aya_x'].map(
      (path) => `/c/registry/${path}`,
    ),
    ...['/c/registry/index/host-1/config.json', '/c/registry/index/host-1/.git'],
    ...['/c/git/checkouts/g-2/abc', '/c/git/db/g-2'],
  ]);
  const entries = ['a', 'ab', 'abc'].flatMap((name) =>
    findCrates(JSON.stringify({ packages: [at(name, `registry/src/h/${name}-1`)] }), '/c').slice(2, 3),
  );
  expect(entries.map((path) => path.replace('/c/registry/index/h/.cache/', ''))).toEqual(['1/a', '2/ab', '3/a/abc']);
});

test("finds a Go module by its sum, and none of another project's by its name", async () => {
  const manifest = 'module example.org/Own\n';
  const hash = (text: string) => createHash('sha256').update(text);
  const sum = `h1:${hash(`${hash(manifest).digest('hex')}  go.mod\n`).digest('base64')}`;
  const [own, other] = ['example.org/!own/@v/v1.0.0', 'corp.example/secret/@v/v1.0.0'];
  for (const each of [own, other]) {
    write(`cache/cache/download/${each}.ziphash`, 'h1:zip=\n');
    write(`cache/cache/download/${each}.mod`, manifest);
  }
  const lines = [
    ...['example.org/Own v1.0.0 h1:zip=', `example.org/Own v1.0.0/go.mod ${sum}`],
    ...['corp.example/secret v1.0.0 h1:guess=', 'corp.example/secret v1.0.0/go.mod h1:guess='],
    ...['corp.example/secret v1.0.0', '../../../x v1 h1:zip=', ''],
  ];
  write('tree/sub/go.sum', lines.join('\n'));
  const found = await findModules(join(folder, 'tree'), 'sub/go.sum', join(folder, 'cache'));
  const stored = join(folder, 'cache/cache/download', own);
  expect(found).toEqual([
    ...[`${stored}.zip`, `${stored}.ziphash`, `${stored}.info`, join(folder, 'cache/example.org/!own@v1.0.0')],
    ...[`${stored}.mod`, `${stored}.info`],
  ]);
});

test('reads the sums of a module and of workspaces around it', () => {
  expect(sumFiles('/t', '/t/a/b')).toEqual(['a/b/go.sum', 'a/b/go.work.sum', 'a/go.work.sum', 'go.work.sum']);
  expect(sumFiles('/t', '/t')).toEqual(['go.sum', 'go.work.sum']);
});

// The bundle is the same bytes wherever it is built. scripts/check-generated.ts compares it with the committed one, in
// this folder; this test builds it in two others.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-bundle-'));
});
afterAll(() => rm(scratch, { recursive: true }), 60_000);

/** Copies what the bundler reads, so that no path leads back. Only the bundler itself is linked. */
function copyTo(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@rolldown'), { recursive: true });
  for (const name of ['src', 'kernels', 'vm/programs.json', 'package.json', 'rolldown.config.ts', 'tsconfig.json']) {
    cpSync(join(packageRoot, name), join(folder, name), { recursive: true });
  }
  const { packages } = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  for (const [path, { dev, optional }] of Object.entries(packages)) {
    // The only optional package is Node itself, which is large.
    if (path === '' || dev || optional) continue;
    const from = join(packageRoot, path);
    // Nested packages have their own entries. Most other files are of kinds that no bundler reads.
    const filter = (file: string) =>
      !relative(from, file).startsWith('node_modules') && !/\.(map|[mc]?ts|md)$/.test(file);
    cpSync(from, join(folder, path), { recursive: true, filter });
  }
  symlinkSync(join(packageRoot, 'node_modules/rolldown'), join(folder, 'node_modules/rolldown'));
}

function build(folder: string, env: NodeJS.ProcessEnv): Map<string, string> {
  copyTo(folder);
  const rolldown = join(packageRoot, 'node_modules/.bin/rolldown');
  execFileSync(process.execPath, [rolldown, '--config', '--logLevel', 'silent'], {
    cwd: folder,
    env: { PATH: dirname(process.execPath), HOME: folder, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const dist = join(folder, 'dist');
  return new Map(readdirSync(dist).map((name) => [name, readFileSync(join(dist, name), 'base64')]));
}

test('two folders, homes, time zones and locales give the same bytes', { timeout: 300_000 }, () => {
  const one = build(join(scratch, 'a'), { TZ: 'UTC', LC_ALL: 'C' });
  const two = build(join(scratch, 'elsewhere/b c'), { TZ: 'Asia/Tokyo', LC_ALL: 'tr_TR.UTF-8', CI: 'true' });
  expect([...one.keys()]).toEqual(expect.arrayContaining(['action.js', 'cli.js', 'licenses.txt']));
  expect([...two.keys()]).toEqual([...one.keys()]);
  for (const [name, bytes] of one) expect(two.get(name) === bytes, name).toBe(true);
  // The chart library is loaded only where a page is written.
  const usesPlot = (bytes = '') => Buffer.from(bytes, 'base64').includes('@observablehq/plot');
  expect([...one.keys()].filter((name) => name.endsWith('.js') && usesPlot(one.get(name)))).toEqual(['html.js']);
});

// The bundle is the committed bytes wherever it is built. scripts/check-generated.ts builds it in this folder; this test in
// two others.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';

const committed = join(packageRoot, 'dist');
const { packages } = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { dependencies?: Record<string, string> }>;
};
/** The packages with code in a bundle, and those that they depend on, which may have only passed it on. */
const bundled = new Set(
  [...readFileSync(join(committed, 'licenses.txt'), 'utf8').matchAll(/^(\S+) [\d.]+: /gm)].map(([, name]) => name),
);
for (const name of bundled) {
  const entries = Object.entries(packages).filter(([path]) => nameOf(path) === name);
  for (const [, { dependencies }] of entries) for (const each of Object.keys(dependencies ?? {})) bundled.add(each);
}

/** Returns the name of a package from its path below node_modules. */
function nameOf(path: string): string {
  return path.replace(/^.*node_modules\//, '');
}

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
  for (const path of Object.keys(packages)) {
    if (!bundled.has(nameOf(path))) continue;
    const from = join(packageRoot, path);
    // Nested packages have their own entries. Most other files are of kinds that no bundler reads.
    const filter = (file: string) => !relative(from, file).startsWith('node_modules') && !/\.(map|[mc]?ts)$/.test(file);
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
  return readBundle(join(folder, 'dist'));
}

function readBundle(folder: string): Map<string, string> {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]));
}

test('other folders, homes, time zones and locales give the committed bytes', { timeout: 300_000 }, () => {
  const expected = readBundle(committed);
  for (const [folder, environment] of [
    ['a', { TZ: 'UTC', LC_ALL: 'C' }],
    ['elsewhere/b c', { TZ: 'Asia/Tokyo', LC_ALL: 'tr_TR.UTF-8', CI: 'true' }],
  ] as const) {
    const built = build(join(scratch, folder), environment);
    expect([...built.keys()]).toEqual([...expected.keys()]);
    for (const [name, bytes] of expected) expect(built.get(name) === bytes, name).toBe(true);
  }
  // The chart library is loaded only where a page is written.
  const usesPlot = (bytes = '') => Buffer.from(bytes, 'base64').includes('@observablehq/plot');
  expect([...expected.keys()].filter((name) => name.endsWith('.js') && usesPlot(expected.get(name)))).toEqual([
    'html.js',
  ]);
});

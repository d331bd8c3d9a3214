// The demo: the bundled example project in a repository of its own, with a planted regression in its second commit,
// and what the gate must say about it.

import { createHash } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from './adapters/package-root.ts';
import { runOrThrow } from './adapters/process.ts';
import { type Cache, publishEntry } from './cache/cache.ts';
import { MachineError } from './errors.ts';
import type { Results } from './report/results.ts';

export const demoBase = 'base';
export const demoHead = 'head';

/** What the planted regression slows down, on every kernel; nothing else may change. */
const planted = [/^macro\/fun_xdp/, /^micro\/source_addr/];

/**
 * Makes the repository, with tags `base` and `head`, or finds it in the cache. Equal sources give equal commits.
 *
 * @returns the absolute path of the project
 */
export async function makeDemoRepository(cache: Cache): Promise<string> {
  const source = join(packageRoot, 'example-project');
  const key = await hashFolder(source);
  const folder = await publishEntry(cache, 'demo', key.slice(0, 16), async (entry) => {
    const project = join(entry, 'example-project');
    await cp(source, project, { recursive: true, filter: (path) => !isGenerated(path, source) });
    await git(project, ['init', '--quiet', '--initial-branch=main']);
    await commit(project, 'xdp: match the thirteen Fibonacci bytes', demoBase);

    const manifest = join(project, 'xdp-common', 'Cargo.toml');
    const before = await readFile(manifest, 'utf8');
    const after = before.replace('default = []', 'default = ["slow-fibonacci"]');
    if (after === before) throw new MachineError(`${manifest} has no \`default = []\` to plant the regression in`);
    await writeFile(manifest, after);
    await commit(project, 'xdp: compute the Fibonacci sequence for every packet', demoHead);
  });
  return join(folder, 'example-project');
}

/** What the gate should have said and did not; empty when it behaved as it must. */
export function demoFailures(results: Results): string[] {
  const failures: string[] = [];
  for (const { id, error } of results.kernels) {
    if (error !== null) failures.push(`${id} could not be measured: ${error.message}`);
    else if (!results.comparisons.some(({ kernel, benchmark }) => kernel === id && benchmark === 'macro/fun_xdp')) {
      failures.push(`macro/fun_xdp was not compared on ${id}`);
    }
  }
  for (const { kernel, benchmark, measure, verdict, delta } of results.comparisons) {
    const expected = planted.some((pattern) => pattern.test(benchmark)) ? 'regression' : 'unchanged';
    if (verdict === expected) continue;
    failures.push(`${benchmark} (${measure}) on ${kernel}: ${verdict} (${delta}), expected ${expected}`);
  }
  return failures;
}

function isGenerated(path: string, source: string): boolean {
  return path === join(source, 'target') || path === join(source, '.git');
}

async function hashFolder(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const child = join(path, entry.name);
      if (isGenerated(child, folder)) continue;
      if (entry.isDirectory()) await walk(child);
      else hash.update(child.slice(folder.length)).update(await readFile(child));
    }
  };
  await walk(folder);
  return hash.digest('hex');
}

async function commit(project: string, message: string, tag: string): Promise<void> {
  await git(project, ['add', '--all']);
  await git(project, ['commit', '--quiet', '--message', message]);
  await git(project, ['tag', tag]);
}

function git(project: string, args: readonly string[]): Promise<string> {
  const who = { NAME: 'bpfgate demo', EMAIL: 'demo@bpfgate.invalid', DATE: '2026-01-01T00:00:00Z' };
  const env = Object.fromEntries(
    Object.entries(who).flatMap(([part, value]) => [
      [`GIT_AUTHOR_${part}`, value],
      [`GIT_COMMITTER_${part}`, value],
    ]),
  );
  // The user's own configuration (signing, hooks, templates) has no say in this repository.
  return runOrThrow('git', args, {
    cwd: project,
    env: { PATH: process.env.PATH, ...env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  });
}

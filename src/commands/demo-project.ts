// Commands: the bundled example project in a repository of its own, with planted regressions in its later commits, and what
// the gate must report about them.

import { createHash } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../adapters/package-root.ts';
import { runOrThrow } from '../adapters/process.ts';
import { type Cache, publishEntry } from '../cache/cache.ts';
import { MachineError } from '../common/errors.ts';
import type { ComparisonRecord, Results } from '../report/results.ts';

/** Folder of the project that is copied into the repository. */
export const exampleProject = join(packageRoot, 'example-project');
export const demoBase = 'base';
export const demoHead = 'head';

/** Cargo features that head turns on by default, each in a commit of its own. */
const plants = [
  { crate: 'xdp-common', feature: 'slow-fibonacci', message: 'xdp: compute the Fibonacci sequence for every packet' },
  { crate: 'profiler', feature: 'oops', message: 'profiler: take a short break after each sample' },
] as const;

/**
 * Benchmarks and measures that they make worse, each on every kernel; nothing else may change. The planted break
 * allocates from the heap: it shows in the total, but not in the peak, and is freed at the end.
 */
const planted = [
  { name: 'macro/fun_xdp bpf-instructions', pattern: /^macro\/fun_xdp.* bpf-instructions$/ },
  { name: 'macro/fun_xdp latency', pattern: /^macro\/fun_xdp.* (net-)?latency$/ },
  { name: 'micro/xdp/source_addr instructions', pattern: /^micro\/xdp\/source_addr instructions$/ },
  {
    name: 'profiler/profiler/process_sample instructions',
    pattern: /^profiler\/profiler\/process_sample instructions$/,
  },
  { name: 'heap/process_sample total-bytes', pattern: /^heap\/process_sample total-bytes$/ },
  { name: 'heap/process_sample total-blocks', pattern: /^heap\/process_sample total-blocks$/ },
  { name: 'xdp/fun_xdp verified-instructions', pattern: /^xdp\/fun_xdp verified-instructions$/ },
  { name: 'xdp/fun_xdp stack-bytes', pattern: /^xdp\/fun_xdp stack-bytes$/ },
  { name: 'xdp/fun_xdp xlated-bytes', pattern: /^xdp\/fun_xdp xlated-bytes$/ },
  { name: 'xdp/fun_xdp jited-bytes', pattern: /^xdp\/fun_xdp jited-bytes$/ },
] as const;

/**
 * Makes the repository, with tags `base` and `head`, or finds it in the cache. Equal sources give equal commits.
 *
 * @returns the absolute path of the project
 */
export async function makeDemoRepository(cache: Cache): Promise<string> {
  const source = exampleProject;
  const key = await hashFolder(source);
  const folder = await publishEntry(cache, 'demo', key.slice(0, 16), async (entry) => {
    const project = join(entry, 'example-project');
    await cp(source, project, { recursive: true, filter: (path) => !isGenerated(path, source) });
    await git(project, ['init', '--quiet', '--initial-branch=main']);
    await commit(project, 'The example project');
    await git(project, ['tag', demoBase]);

    for (const { crate, feature, message } of plants) {
      const manifest = join(project, crate, 'Cargo.toml');
      const before = await readFile(manifest, 'utf8');
      const after = before.replace('default = []', `default = ["${feature}"]`);
      if (after === before) throw new MachineError(`${manifest} has no \`default = []\` to plant the regression in`);
      await writeFile(manifest, after);
      await commit(project, message);
    }
    await git(project, ['tag', demoHead]);
  });
  return join(folder, 'example-project');
}

/** Lists what the gate should have reported and did not; empty if it behaved as it must. */
export function demoFailures(results: Results): string[] {
  const failures: string[] = [];
  for (const { id, error } of results.kernels) {
    if (error !== null) {
      failures.push(`${id} could not be measured: ${error.message}`);
      continue;
    }
    const compared = results.comparisons.filter(({ kernel }) => kernel === id).map(toKey);
    const missing = planted.filter(({ pattern }) => !compared.some((key) => pattern.test(key)));
    failures.push(...missing.map(({ name }) => `${name} was not compared on ${id}`));
  }
  for (const comparison of results.comparisons) {
    const { kernel, benchmark, measure, verdict, delta, warnings } = comparison;
    const expected = planted.some(({ pattern }) => pattern.test(toKey(comparison))) ? 'regression' : 'unchanged';
    if (verdict === expected) continue;
    const why = warnings.length === 0 ? '' : `: ${warnings.join('; ')}`;
    failures.push(`${benchmark} (${measure}) on ${kernel}: ${verdict} (${delta}), expected ${expected}${why}`);
  }
  return failures;
}

function toKey({ benchmark, measure }: ComparisonRecord): string {
  return `${benchmark} ${measure}`;
}

function isGenerated(path: string, source: string): boolean {
  return path === join(source, 'target') || path === join(source, '.git');
}

/** Hashes the folder's files and what is planted in them. */
async function hashFolder(folder: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(plants));
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

async function commit(project: string, message: string): Promise<void> {
  await git(project, ['add', '--all']);
  await git(project, ['commit', '--quiet', '--message', message]);
}

function git(project: string, args: readonly string[]): Promise<string> {
  const who = { NAME: 'bpfgate demo', EMAIL: 'demo@bpfgate.invalid', DATE: '2026-01-01T00:00:00Z' };
  const variables = Object.fromEntries(
    Object.entries(who).flatMap(([part, value]) => [
      [`GIT_AUTHOR_${part}`, value],
      [`GIT_COMMITTER_${part}`, value],
    ]),
  );
  // The user's own configuration (signing, hooks, templates) does not apply in this repository.
  return runOrThrow('git', args, {
    cwd: project,
    variables: { ...variables, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  });
}

// Checks out base and head and builds each at one and the same path, so that equal sources give equal bytes. Built
// trees are kept in the cache by everything that went into them.

import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitSession, Tree } from '../adapters/git.ts';
import type { Log } from '../adapters/log.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import type { Cache } from '../cache/cache.ts';
import { withLock } from '../cache/lock.ts';
import { BuildError } from '../errors.ts';
import type { Config } from '../inputs/inputs.ts';
import type { Build, Builds, RevisionName } from './build.ts';
import { projectEnvironment } from './environment.ts';

export interface BuildRequest {
  readonly git: GitSession;
  readonly base: Tree;
  readonly head: Tree;
  readonly config: Config;
  readonly cache: Cache;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
}

/** Built trees kept per repository; the least recently used go first. */
const keptBuilds = 6;
/** Variables that say who builds and where, not what. */
const unshaping = /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LC_.*|CARGO_HOME|RUSTUP_HOME|RUST_BACKTRACE)$/;
const buildTimeoutMs = 3_600_000;

/**
 * @throws BuildError when a revision does not build, or its build changes files that git tracks
 * @throws InputError when a tree cannot be checked out
 */
export async function buildRevisions(request: BuildRequest): Promise<Builds> {
  const { repository } = request.git;
  const environment = projectEnvironment(request.environment);
  const tools = await toolVersions(environment);
  // Who builds and where tools lie is no part of the key: `tools` says what they are.
  const shaping = Object.entries(environment).filter(([name]) => !unshaping.test(name));
  const home = join(request.cache.root, 'builds', shortHash(repository.root));
  const workDir = join(home, 'work');
  await mkdir(home, { recursive: true });

  return withLock(join(home, 'lock'), request, async () => {
    const build = async (revision: RevisionName, tree: Tree, seed?: Build): Promise<Build> => {
      const key = shortHash(
        JSON.stringify([tree.id, repository.projectPath, request.config.build.command, tools, shaping]),
      );
      const dir = join(home, key);
      if (await exists(dir)) {
        request.log.progress(`${revision} (${tree.ref}) is built already`);
        const now = new Date();
        await utimes(dir, now, now);
      } else {
        await buildTree(request, revision, tree, environment, workDir, seed);
        await rename(workDir, dir);
      }
      return { revision, ref: tree.ref, commit: tree.commit, tree: tree.id, dir };
    };
    const base = await build('base', request.base);
    const head = await build('head', request.head, base);
    await prune(home, [base.dir, head.dir]);
    return { base, head, workDir, projectPath: repository.projectPath, tools };
  });
}

async function buildTree(
  request: BuildRequest,
  revision: RevisionName,
  tree: Tree,
  environment: Record<string, string>,
  workDir: string,
  seed: Build | undefined,
): Promise<void> {
  const { command } = request.config.build;
  await rm(workDir, { recursive: true, force: true });
  try {
    await request.git.checkOut(tree, workDir);
    if (seed !== undefined) await copyTarget(seed.dir, workDir, request.git.repository.projectPath);
    request.log.progress(`building ${revision} (${tree.ref}): ${command}`);
    let lastShown = Date.now();
    const result = await run('bash', ['-c', command], {
      cwd: join(workDir, request.git.repository.projectPath),
      env: environment,
      timeoutMs: buildTimeoutMs,
      signal: request.signal,
      onLine: (line) => {
        if (Date.now() - lastShown < 10_000) return;
        lastShown = Date.now();
        request.log.progress(`building ${revision}: ${line.trim().slice(0, 100)}`);
      },
    });
    if (result.exitCode !== 0) {
      const how = result.timedOut
        ? `did not end within ${buildTimeoutMs / 60_000} min`
        : `exited with ${result.exitCode ?? result.signal}`;
      const output = `${result.stdout}\n${result.stderr}`.trim().split('\n').slice(-25).join('\n');
      throw new BuildError(`the build of ${revision} (${tree.ref}) ${how}: ${command}\n${output}`, {
        hint: 'run the same command in the project, or change build.command in bpfgate.toml',
      });
    }
    const changed = await request.git.changedFiles(tree, workDir);
    if (changed.length > 0) {
      throw new BuildError(
        `the build of ${revision} (${tree.ref}) changed files that git tracks: ${changed.slice(0, 10).join(', ')}; what was built is not what was committed`,
        { hint: 'commit the changed files, or keep the build from touching them (cargo: --locked)' },
      );
    }
  } catch (error) {
    await rm(workDir, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Starts a build from another revision's cargo target folder, at the root or in the project. cargo rebuilds every crate
 * whose sources are newer, and all that were just checked out are; what stays are the dependencies.
 */
async function copyTarget(from: string, to: string, projectPath: string): Promise<void> {
  for (const folder of new Set(['', projectPath])) {
    const target = join(from, folder, 'target');
    if (await exists(join(target, 'CACHEDIR.TAG'))) {
      await runOrThrow('cp', ['--archive', '--reflink=auto', target, join(to, folder, 'target')]);
    }
  }
}

/** What compiled and linked the project: part of the fingerprint. A tool that is not there is left out. */
async function toolVersions(environment: Record<string, string>): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const [name, args] of [
    ['rustc', ['-vV']],
    ['bpf-linker', ['--version']],
    ['clang', ['--version']],
    ['go', ['version']],
  ] as const) {
    const result = await run(name, args, { env: environment }).catch(() => null);
    if (result?.exitCode === 0) versions[name] = result.stdout.trim().split('\n')[0] ?? '';
  }
  versions.ld = (await runOrThrow('bash', ['-c', 'ld --version 2>/dev/null | head -n 1'], { env: environment })).trim();
  return versions;
}

async function prune(home: string, inUse: readonly string[]): Promise<void> {
  const builds: { path: string; usedMs: number }[] = [];
  for (const name of await readdir(home)) {
    const path = join(home, name);
    if (!/^[0-9a-f]{12}$/.test(name) || inUse.includes(path)) continue;
    builds.push({ path, usedMs: (await stat(path)).mtimeMs });
  }
  builds.sort((a, b) => b.usedMs - a.usedMs);
  for (const { path } of builds.slice(keptBuilds - inUse.length)) await rm(path, { recursive: true, force: true });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

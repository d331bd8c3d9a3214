// Build: the place where a tree's build command runs. That is the host, in a sandbox if there is one, or a guest of the
// kernel that will be measured.

import { existsSync } from 'node:fs';
import { lstat, mkdir, realpath, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type RunResult, run } from '../adapters/process.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import { type BuildLimits, watchLimits } from '../sandbox/build-limits.ts';
import type { SandboxChoice } from '../sandbox/sandbox.ts';

/** One build of one checked-out tree. */
export interface TreeBuild {
  /** Shell command of bpfgate.toml. */
  readonly command: string;
  /** Absolute path of the tree, which the build changes. */
  readonly workDir: string;
  /** Absolute path of the project in it, where the command runs. */
  readonly project: string;
  /** Absolute path of a folder for the place's own use, on the same disk as the tree. */
  readonly scratch: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Names in `environment` that `[build] env` added. */
  readonly variables: readonly string[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with every line the command prints, as it comes. */
  readonly onLine: (line: string) => void;
}

export interface BuildEnd {
  /** Description of its failure, such as `exited with 2`; undefined when it succeeded. */
  readonly failure: string | undefined;
  /** The command's output, or at least its end. */
  readonly output: string;
}

/** Whether a build's dependencies are downloaded to this machine before it runs. */
export type Downloads = 'needed' | 'tried' | 'left to the build';

export interface BuildPlace {
  /** Suffix for messages: ` in a guest of kernel 6.1`; empty on the host. */
  readonly label: string;
  /** What shapes a build there in addition to its inputs; part of a kept build's key. */
  readonly key: readonly string[];
  /** `tried` where a build can download, but not to a place where the next build and guests find it. */
  readonly downloads: Downloads;
  /** What to look at when a build fails there. */
  readonly hint: string;
  /** Warnings for the report. */
  readonly warnings: readonly string[];
  /** Time limit of a build there. */
  readonly timeoutMs: number;
  readonly build: (build: TreeBuild) => Promise<BuildEnd>;
}

const hostTimeoutMs = 3_600_000;

/** Builds like any other program of the user, where there is no sandbox. */
export const onHost: BuildPlace = {
  label: '',
  key: [],
  downloads: 'left to the build',
  hint: 'run the same command in the project, or change build.command in bpfgate.toml',
  warnings: [],
  timeoutMs: hostTimeoutMs,
  build: async ({ command, project, environment, variables: _, scratch, ...options }) => {
    // The project's own command, in its own folder: the one step in which a project's code runs on the host.
    const place = { cwd: project, env: {}, variables: environment };
    return await withLimits(scratch, options, (limited) => run('bash', ['-c', command], { ...limited, ...place }));
  },
};

/**
 * Builds on the host, in the chosen sandbox.
 *
 * @param read what the build may read, as absolute paths without links
 * @param limits default: those of `watchLimits`
 */
export function inSandbox(
  { sandbox, reasons }: SandboxChoice,
  read: readonly string[],
  limits?: BuildLimits,
): BuildPlace {
  if (sandbox === undefined) {
    const warning = `builds ran without a sandbox, with every right of the user who ran bpfgate: ${reasons.join('; ')}`;
    return { ...onHost, warnings: [warning] };
  }
  return {
    ...onHost,
    key: ['sandbox'],
    downloads: 'tried',
    hint: `a build runs in a sandbox (${sandbox.name}): it reads tools and its own tree, changes that tree only, and has an empty home folder; docs/building.md says how to show it more`,
    build: async ({ command, workDir, project, environment, variables: _, scratch, ...options }) => {
      const [home = '', temporary = '', kept = ''] = ['home', 'tmp', 'cache'].map((name) => join(scratch, name));
      for (const folder of [home, temporary]) await mkdir(folder, { recursive: true });
      const goCache = await realpath(join(environment.HOME ?? '/', goCacheOfHome)).catch(() => undefined);
      if (existsSync(kept)) await rename(kept, join(home, '.cache'));
      else if (goCache !== undefined) await seedGoCache(project, goCache, join(home, goCacheOfHome), options.signal);
      // The sandbox would show it read-only, which Go refuses.
      const shown = read.filter((path) => path !== goCache);
      const view = { read: shown, write: workDir, home, temporary, cwd: project, variables: environment };
      try {
        const end = await withLimits(scratch, options, (limited) => sandbox.run(command, view, limited), limits);
        await dropSetId(workDir);
        return end;
      } finally {
        const userHome = await realpath(environment.HOME ?? '/').catch(() => '/');
        await keepCache(join(home, '.cache'), kept, relativeTo(join(userHome, '.cache'), [...shown, workDir]));
        for (const folder of [home, temporary]) await removeTree(folder);
      }
    },
  };
}

/**
 * Keeps what base's compilers have cached, for head's compilers to read: head is built last.
 *
 * @param places paths below the cache at which the sandbox showed something. They are removed, because head's sandbox
 * makes them again and would follow a link there: base is built by head's command
 */
async function keepCache(cache: string, kept: string, places: readonly string[]): Promise<void> {
  if (!(await lstat(cache).catch(() => undefined))?.isDirectory()) return;
  for (const name of new Set(places.map((path) => path.split('/')[0] ?? ''))) await removeTree(join(cache, name));
  await rename(cache, kept);
}

function relativeTo(folder: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : []));
}

/** Removes set-id bits from what a build leaves: other users could start such programs with its owner's rights. */
async function dropSetId(folder: string): Promise<void> {
  await run('find', [folder, '-type', 'f', '-perm', '/6000', '-exec', 'chmod', 'ug-s', '{}', '+']);
}

/** Go's build cache: https://pkg.go.dev/cmd/go#hdr-Build_and_test_caching */
const goCacheOfHome = '.cache/go-build';
/** MiB. Copying a larger cache takes longer than compiling Go's library. */
const maxGoCacheMiB = 2048;

/** Copies the user's Go build cache for a Go project's build, which must not write to the original. */
async function seedGoCache(project: string, from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  if (!existsSync(join(project, 'go.mod'))) return;
  const { stdout } = await run('du', ['--summarize', '--block-size=1M', from], { signal });
  if (Number.parseInt(stdout, 10) > maxGoCacheMiB) return;
  await mkdir(dirname(to), { recursive: true });
  await run('cp', ['--archive', '--reflink=auto', from, to], { signal });
}

type Limited = Pick<TreeBuild, 'timeoutMs' | 'signal' | 'onLine'>;

/** Runs a build, and ends it when it takes too long or too much of the machine. */
async function withLimits(
  folder: string,
  options: Limited,
  start: (options: Limited) => Promise<RunResult>,
  limits?: BuildLimits,
): Promise<BuildEnd> {
  const tooMuch = new AbortController();
  let what: string | undefined;
  const onExceeded = (exceeded: string) => {
    what = exceeded;
    tooMuch.abort();
  };
  const unwatch = await watchLimits(folder, onExceeded, limits);
  const signals = [tooMuch.signal, ...(options.signal === undefined ? [] : [options.signal])];
  try {
    const end = await start({ ...options, signal: AbortSignal.any(signals) });
    return { failure: describeFailure(end, options.timeoutMs), output: `${end.stdout}\n${end.stderr}` };
  } catch (error) {
    if (what === undefined || options.signal?.aborted) throw error;
    return { failure: `${what}, and was ended`, output: '' };
  } finally {
    unwatch();
  }
}

function describeFailure({ exitCode, signal, timedOut }: RunResult, timeoutMs: number): string | undefined {
  if (timedOut) return `did not end within ${timeoutMs / 60_000} min`;
  return exitCode === 0 ? undefined : `exited with ${exitCode ?? signal}`;
}

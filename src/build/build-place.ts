// Build: the place where a tree's build command runs. That is the host, in a sandbox if there is one, or a guest of the
// kernel that will be measured.

import { constants } from 'node:fs';
import { copyFile, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type RunResult, run } from '../adapters/process.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import { isWithin } from '../common/paths.ts';
import type { Warning } from '../model/warning.ts';
import { type BuildLimits, watchLimits } from '../sandbox/build-limits.ts';
import type { SandboxChoice } from '../sandbox/sandbox.ts';
import { withoutNetwork } from './environment.ts';
import { goCache } from './seed.ts';

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
  /** Absolute paths of what was downloaded for it, from `downloadDependencies`. */
  readonly dependencies: readonly string[];
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
  /** What to do when it fails because it wanted to download something. */
  readonly downloadHint: string;
  readonly warnings: readonly Warning[];
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
  downloadHint: 'put what it downloads into the tree, or build where there is a network',
  warnings: [],
  timeoutMs: hostTimeoutMs,
  build: async ({ command, project, environment, scratch, timeoutMs, signal, onLine }) => {
    const options = { timeoutMs, signal, onLine };
    // The project's own command, in its own folder: the one step in which a project's code runs on the host.
    const place = { cwd: project, env: {}, variables: environment };
    return await withLimits(scratch, options, (limited) => run('bash', ['-c', command], { ...limited, ...place }));
  },
};

/**
 * Builds on the host, in the chosen sandbox.
 *
 * @param read what the build may read, as absolute paths without links
 * @param network whether it has one
 * @param limits default: those of `watchLimits`
 */
export function inSandbox(
  choice: SandboxChoice,
  read: readonly string[],
  network: boolean,
  limits?: BuildLimits,
): BuildPlace {
  const { sandbox } = choice;
  if (sandbox === undefined) {
    const reason = `builds ran without a sandbox, with every right of the user who ran bpfgate: ${choice.reason}`;
    return { ...onHost, warnings: [{ about: [], reason }] };
  }
  return {
    ...onHost,
    key: [network ? 'sandbox with a network' : 'sandbox'],
    downloads: 'tried',
    hint: `a build runs in a sandbox (${sandbox.name}): it reads tools and its own tree, changes that tree only, and has an empty home folder${network ? '' : ' and no network'}; docs/building.md says how to give it more`,
    downloadHint: network
      ? 'the build has a network, but not to this host'
      : 'a build has no network, and only what lock files name is downloaded before: commit a lock file or what it downloads, or write `network = true` in [build] of bpfgate.toml',
    build: async ({ command, workDir, project, environment, dependencies, scratch, timeoutMs, signal, onLine }) => {
      const [home, temporary] = [join(scratch, 'home'), join(scratch, 'tmp')];
      for (const folder of [home, temporary]) await mkdir(folder, { recursive: true });
      const options = { timeoutMs, signal, onLine };
      const mounted = await copyFiles(dependencies, environment.HOME ?? '/', home);
      const variables = {
        ...(network ? environment : withoutNetwork(environment)),
        GOCACHE: join(workDir, goCache),
      };
      const view = {
        read: [...read, ...mounted],
        write: workDir,
        home,
        temporary,
        cwd: project,
        network,
        variables,
      };
      try {
        return await withLimits(scratch, options, (limited) => sandbox.run(command, view, limited), limits);
      } finally {
        for (const folder of [home, temporary]) await removeTree(folder);
      }
    },
  };
}

/**
 * Copies the files among a build's dependencies into its home folder: bubblewrap takes seconds to mount a thousand.
 *
 * @returns the others, which are to be mounted
 */
async function copyFiles(paths: readonly string[], userHome: string, home: string): Promise<string[]> {
  const from = await realpath(userHome).catch(() => userHome);
  const isCopied = async (path: string) => {
    if (!isWithin(path, from) || !(await stat(path)).isFile()) return false;
    const copy = join(home, relative(from, path));
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    return true;
  };
  const copied = await Promise.all(paths.map(isCopied));
  return paths.filter((_, index) => !copied[index]);
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

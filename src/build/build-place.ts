// Where a tree's build command runs: on the host, or in a guest of the kernel it is to be measured on.

import { type RunResult, run } from '../adapters/process.ts';

/** One build of one checked-out tree. */
export interface TreeBuild {
  /** Shell command of bpfgate.toml. */
  readonly command: string;
  /** Absolute path of the tree, which the build changes. */
  readonly workDir: string;
  /** Absolute path of the project in it, where the command runs. */
  readonly project: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Names in it that `[build] env` has added. */
  readonly variables: readonly string[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Every line the command prints, as it comes. */
  readonly onLine: (line: string) => void;
}

export interface BuildEnd {
  /** How it failed, such as `exited with 2`; undefined when it did not. */
  readonly failure: string | undefined;
  /** What the command printed, the end of it at least. */
  readonly output: string;
}

export interface BuildPlace {
  /** For a person: ` in a guest of kernel 6.1`; empty on the host. */
  readonly label: string;
  /** What shapes a build there beside its inputs: part of a kept build's key. */
  readonly key: readonly string[];
  /** Whether what a build would download has to be on the host before. */
  readonly offline: boolean;
  /** How long a build may take there. */
  readonly timeoutMs: number;
  readonly build: (build: TreeBuild) => Promise<BuildEnd>;
}

export const onHost: BuildPlace = {
  label: '',
  key: [],
  offline: false,
  timeoutMs: 3_600_000,
  build: async ({ command, project, environment, variables: _, ...options }) => {
    // The project's own command, in its own folder: the one step in which a project's code runs on the host.
    const place = { cwd: project, env: {}, variables: environment };
    const end = await run('bash', ['-c', command], { ...options, ...place });
    return { failure: describeFailure(end, options.timeoutMs), output: `${end.stdout}\n${end.stderr}` };
  },
};

function describeFailure({ exitCode, signal, timedOut }: RunResult, timeoutMs: number): string | undefined {
  if (timedOut) return `did not end within ${timeoutMs / 60_000} min`;
  return exitCode === 0 ? undefined : `exited with ${exitCode ?? signal}`;
}

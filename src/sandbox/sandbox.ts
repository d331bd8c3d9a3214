// What a sandbox is: the place in which a project's own command runs on the host.

import type { RunOptions, RunResult } from '../adapters/process.ts';

/** Whether builds on the host are sandboxed: where that is possible, or not without, or not at all. */
export const sandboxPolicies = ['auto', 'required', 'off'] as const;
export type SandboxPolicy = (typeof sandboxPolicies)[number];

/** What one command sees and may change. Paths are absolute, without links, and are there. */
export interface SandboxView {
  /** Files and folders to read and execute; of a folder all that is in it. */
  readonly read: readonly string[];
  /** The folder to change: the tree that is built. */
  readonly write: string;
  /** An empty folder in the place of the user's home, of which only the tools in `read` are seen. */
  readonly home: string;
  /** An empty folder for temporary files. */
  readonly temporary: string;
  /** Where the command runs, in `write`. */
  readonly cwd: string;
  /** Its whole environment, but for where its home and its temporary files are. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Sandbox {
  /** For a person: `bubblewrap`, `Landlock and namespaces`. */
  readonly name: string;
  /** Runs a shell command. All that it starts has ended when this returns. */
  run(command: string, view: SandboxView, options: SandboxOptions): Promise<RunResult>;
}

export type SandboxOptions = Pick<RunOptions, 'timeoutMs' | 'signal' | 'onLine'>;

/** What is chosen on this machine. */
export interface SandboxChoice {
  /** Undefined: builds run as any other program of the user. */
  readonly sandbox: Sandbox | undefined;
  /** Why it is no better one, for each that was tried, `bubblewrap is not installed`; empty for the best. */
  readonly reasons: readonly string[];
}

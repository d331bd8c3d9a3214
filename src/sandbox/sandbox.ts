// Sandbox: the place in which a project's own command runs on the host.

import type { RunOptions, RunResult } from '../adapters/process.ts';

/** What one command sees and may change. Paths are absolute, without links, and are there. */
export interface SandboxView {
  /** Files and folders to read and execute. A folder stands for all that is in it. */
  readonly read: readonly string[];
  /** The folder to change: the tree that is built. */
  readonly write: string;
  /** An empty folder in place of the user's home. Of that, only the tools in `read` are seen. */
  readonly home: string;
  /** An empty folder for temporary files. */
  readonly temporary: string;
  /** The folder in `write` where the command runs. */
  readonly cwd: string;
  /** Its whole environment, except for the places of its home and its temporary files. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Sandbox {
  /** Name for messages: `bubblewrap`, `Landlock and namespaces`. */
  readonly name: string;
  /** Runs a shell command. All that it starts has ended when this returns. */
  run(command: string, view: SandboxView, options: SandboxOptions): Promise<RunResult>;
}

export type SandboxOptions = Pick<RunOptions, 'timeoutMs' | 'signal' | 'onLine'>;

/** The choice on this machine. */
export interface SandboxChoice {
  /** Undefined: builds run like any other program of the user. */
  readonly sandbox: Sandbox | undefined;
  /** Why no better one was chosen, for each that was tried: `bubblewrap is not installed`. Empty for the best. */
  readonly reasons: readonly string[];
}

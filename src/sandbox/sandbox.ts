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
  /** Whether it has a network, in which no socket of this host is reached. Otherwise it has none. */
  readonly network: boolean;
  /** Its whole environment, except for the places of its home and its temporary files. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Sandbox {
  /** Name for messages: `bubblewrap`. */
  readonly name: string;
  /** Runs a shell command. All that it starts has ended when this returns. */
  run(command: string, view: SandboxView, options: SandboxOptions): Promise<RunResult>;
}

export type SandboxOptions = Pick<RunOptions, 'timeoutMs' | 'signal' | 'onLine'>;

/** The sandbox on this machine, or why there is none: `bubblewrap is not installed`. */
export type SandboxChoice = { readonly sandbox: Sandbox } | { readonly sandbox: undefined; readonly reason: string };

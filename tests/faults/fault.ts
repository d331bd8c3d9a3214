// One fault, what is done to a gate, and what must come of it.

import type { Ended, GateOptions, GateProcess } from './gate-process.ts';
import type { Sandbox, Trouble } from './sandbox.ts';

export const stages = ['build', 'fetch', 'boot', 'bench', 'report', 'cache', 'whole run'] as const;
export type Stage = (typeof stages)[number];

export interface Fault {
  /** Words with hyphens, unique. */
  readonly name: string;
  /** What is done, for a reader: `QEMU is killed while a bench runs`. */
  readonly what: string;
  readonly stage: Stage;
  /** Whether `npm run test:all` injects it as well. */
  readonly inShort?: boolean;
  /** Whether it mounts file systems or makes namespaces, which takes root. */
  readonly needsRoot?: boolean;
  readonly trouble?: Trouble;
  /** Default `6.1`. */
  readonly kernels?: string;
  readonly options?: readonly string[];
  readonly environment?: (sandbox: Sandbox) => NodeJS.ProcessEnv;
  readonly gate?: Partial<GateOptions>;
  /** What of the prepared cache the gate begins with. Default `all`. */
  readonly cache?: 'all' | 'no kernel' | 'kernels only';
  /** Makes the fault ready before the gate is started. Gives what undoes it, which is called before leftovers are looked for. */
  readonly prepare?: (sandbox: Sandbox) => Promise<() => Promise<void>>;
  /** Does it, while the gate runs. */
  readonly inject?: (gate: GateProcess, sandbox: Sandbox) => Promise<void>;
  readonly expect: Expectation;
}

export interface Expectation {
  /** Exit codes of which it is one. More than one where either is right by when exactly the fault comes. */
  readonly codes: readonly number[];
  /** In one line of stderr: what a person is told. None where nothing has to be said. */
  readonly message?: RegExp;
  /** Kernels whose results must be there, in `results.json` and in the report. */
  readonly measured?: readonly string[];
  /** Kernels that must be in `results.json` with an error, and what the report has to say of it. */
  readonly missing?: Readonly<Record<string, RegExp>>;
  /** Where results must not be in the output folder. Default: where nothing is `measured`. */
  readonly nothingWritten?: boolean;
  /** More that must hold. Gives what does not, in words. */
  readonly check?: (ended: Ended, sandbox: Sandbox) => string[] | Promise<string[]>;
}

/** What came of one fault. */
export interface FaultOutcome {
  readonly fault: Fault;
  readonly code: number | null;
  /** The line that `expect.message` found. */
  readonly message: string;
  readonly seconds: number;
  /** Of bpfgate's own process. */
  readonly peakMiB: number;
  /** Of what it has started, QEMU excepted. */
  readonly othersPeakMiB: number;
  /** Processes, sockets, folders and changes, in words. */
  readonly left: readonly string[];
  /** What else was not as it must be. */
  readonly problems: readonly string[];
}

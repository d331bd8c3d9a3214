// One fault: what is done to a gate, and the outcome that is required.

import type { Ended, GateOptions, GateProcess } from './gate-process.ts';
import type { Sandbox, Trouble } from './sandbox.ts';

export interface Fault {
  /** Unique; words joined by hyphens. */
  readonly name: string;
  /** The fault in words, for a reader: `QEMU is killed while a bench runs`. */
  readonly what: string;
  /** When the signal comes, of a fault that is one: `the build`. */
  readonly moment?: string;
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
  /** The part of the prepared cache that the gate begins with. Default `all`. */
  readonly cache?: 'all' | 'no kernel' | 'kernels only';
  /** Prepares the fault before the gate starts. Returns a function that undoes it before the check for leftovers. */
  readonly prepare?: (sandbox: Sandbox) => Promise<() => Promise<void>>;
  /** Injects the fault while the gate runs. */
  readonly inject?: (gate: GateProcess, sandbox: Sandbox) => Promise<void>;
  readonly expect: Expectation;
}

export interface Expectation {
  /** The allowed exit codes. More than one if the right one depends on when exactly the fault comes. */
  readonly codes: readonly number[];
  /** Matches the message for the user, in one line of stderr. Undefined if none is required. */
  readonly message?: RegExp;
  /** Kernels whose results must be there, in `results.json` and in the report. */
  readonly measured?: readonly string[];
  /** Kernels that must be in `results.json` with an error, and what the report must say about it. */
  readonly missing?: Readonly<Record<string, RegExp>>;
  /** Whether there must be no results in the output folder. Default: true if nothing is `measured`. */
  readonly nothingWritten?: boolean;
  /** Checks further requirements. Returns the violated ones, in words. */
  readonly check?: (ended: Ended, sandbox: Sandbox) => string[] | Promise<string[]>;
}

/** The outcome of one fault. */
export interface FaultOutcome extends Pick<Ended, 'code' | 'seconds' | 'peakMiB' | 'othersPeakMiB'> {
  readonly fault: Fault;
  /** The line that `expect.message` found. */
  readonly message: string;
  /** Processes, sockets, folders and changes that are left, in words. */
  readonly left: readonly string[];
  /** Everything else that was not as required. */
  readonly problems: readonly string[];
}

// Errors: those that a user can meet, one class per fix. Each carries the exit code of the command line's contract.

export interface GateErrorOptions {
  /** The next step: a command or a sentence, without a period. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Complete outputs that the message quotes in part, by file name. Default: none. */
  readonly logs?: Readonly<Record<string, string>>;
  /** The bench that failed. Default: none, or not known. */
  readonly bench?: FailedBench | undefined;
}

export interface FailedBench {
  readonly name: string;
  /** Null unless it failed on only one of them. */
  readonly revision: 'base' | 'head' | null;
}

/** Base of all expected errors. `message` names the thing; `hint` says what to do next. */
export class GateError extends Error {
  readonly exitCode: number = 3;
  readonly hint: string | undefined;
  readonly logs: Readonly<Record<string, string>>;
  readonly bench: FailedBench | undefined;

  constructor(message: string, options: GateErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
    this.logs = options.logs ?? {};
    this.bench = options.bench;
  }
}

/** Bad usage or configuration: fixed by the author of the command, the workflow or bpfgate.toml. */
export class InputError extends GateError {
  override readonly exitCode = 2;
}

/** A kernel that cannot be fetched, verified or unpacked: fixed in kernels.json or on the network. */
export class KernelError extends GateError {
  override readonly exitCode = 3;
}

/** Something on the machine failed or is missing: fixed by the person who runs it. */
export class MachineError extends GateError {
  override readonly exitCode = 3;
}

/** The VM did not boot, hung, or ended without its status file. */
export class VmError extends GateError {
  override readonly exitCode = 3;
  /** The last lines of the guest's console, oldest first. */
  readonly consoleTail: readonly string[];
  /** Whether the guest's kernel panicked before it had started what the guest was for. */
  readonly panickedInBoot: boolean;
  /** Whether the guest ended by itself after that, before its work was done. */
  readonly isLost: boolean;

  constructor(
    message: string,
    options: GateErrorOptions & {
      readonly consoleTail?: readonly string[];
      readonly panickedInBoot?: boolean;
      readonly isLost?: boolean;
    } = {},
  ) {
    super(message, { hint: 'run it again; if it fails again, report this', ...options });
    this.consoleTail = options.consoleTail ?? [];
    this.panickedInBoot = options.panickedInBoot ?? false;
    this.isLost = options.isLost ?? false;
  }
}

/** The project does not build: fixed by the pull request's author. */
export class BuildError extends GateError {
  override readonly exitCode = 4;
}

/** Base does not build: head may be there to correct that. */
export class BaseBuildError extends BuildError {}

/** A benchmark failed, printed nothing or broke its format's rules: fixed by the pull request's author. */
export class BenchError extends GateError {
  override readonly exitCode = 4;
}

/** Stopped by SIGINT or SIGTERM. */
export class InterruptedError extends GateError {
  override readonly exitCode = 130;
}

/** Error numbers of the system that mean a failure of the machine, not of the input or bpfgate, with hints. */
const machineFailures: Readonly<Record<string, string>> = {
  ENOSPC:
    'free space on the disks of the cache, the temporary folder and the output folder, or set BPFGATE_CACHE and TMPDIR to others',
  EDQUOT: 'free space in the quota, or set BPFGATE_CACHE and TMPDIR to other disks',
  EROFS: 'set BPFGATE_CACHE and TMPDIR to folders that can be written',
  EIO: 'check the disk, and set BPFGATE_CACHE and TMPDIR to another one meanwhile',
  EMFILE: 'raise the limit of open files (ulimit -n)',
  ENFILE: 'end other programs, or raise the limit of open files (fs.file-max)',
};

/** Whether a program says, in the system's words or apt's, that a disk or a quota is full. */
export function saysFullDisk(text: string): boolean {
  return /No space left on device|Disk quota exceeded|You don't have enough free space/.test(text);
}

/**
 * Creates the error of something that cannot be put into the cache, because its disk is full.
 *
 * @param work such as `unpack kernel 5.8`
 */
export function fullCache(work: string, cause?: unknown): MachineError {
  return new MachineError(`cannot ${work}: the disk of the cache is full`, {
    cause,
    hint: 'free space on it, or set BPFGATE_CACHE to a folder on another disk',
  });
}

/** Converts a system's error to an error of the machine, wherever it came up; undefined for any other error. */
export function machineFailure(error: unknown): MachineError | undefined {
  if (!(error instanceof Error)) return undefined;
  const hint = machineFailures[(error as NodeJS.ErrnoException).code ?? ''];
  return hint === undefined ? undefined : new MachineError(error.message, { cause: error, hint });
}

// The errors a person can meet, one class per remedy. Each carries the exit code of the command line's contract.

export interface GateErrorOptions {
  /** What to do next: a command or a sentence, without a period. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Base of all expected errors. `message` names the thing; `hint` says what to do next. */
export class GateError extends Error {
  readonly exitCode: number = 3;
  readonly hint: string | undefined;

  constructor(message: string, options: GateErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
  }
}

/** Bad usage or configuration: mended by whoever wrote the command, the workflow or bpfgate.toml. */
export class InputError extends GateError {
  override readonly exitCode = 2;
}

/** A kernel that cannot be fetched, verified or unpacked: mended in kernels.json or on the network. */
export class KernelError extends GateError {
  override readonly exitCode = 3;
}

/** The machine lacks something or failed: mended by whoever runs it. */
export class MachineError extends GateError {
  override readonly exitCode = 3;
}

/** The VM did not boot, hung, or ended without its status file. */
export class VmError extends GateError {
  override readonly exitCode = 3;
  /** The last lines of the guest's console, oldest first. */
  readonly consoleTail: readonly string[];

  constructor(message: string, options: GateErrorOptions & { readonly consoleTail?: readonly string[] } = {}) {
    super(message, options);
    this.consoleTail = options.consoleTail ?? [];
  }
}

/** The project does not build: mended by the pull request's author. */
export class BuildError extends GateError {
  override readonly exitCode = 4;
}

/** A benchmark failed, printed nothing or printed what its format does not allow: mended by the pull request's author. */
export class BenchError extends GateError {
  override readonly exitCode = 4;
}

/** Stopped by SIGINT or SIGTERM. */
export class InterruptedError extends GateError {
  override readonly exitCode = 130;
}

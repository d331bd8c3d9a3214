// Commands: what all commands of one process share.

import { setMaxListeners } from 'node:events';
import { basename, dirname } from 'node:path';
import { CommanderError } from 'commander';
import { openLog, toTerminal } from '../adapters/log.ts';
import { openCache } from '../cache/cache.ts';
import { GateError, InterruptedError, machineFailure, VmError } from '../common/errors.ts';
import type { ToolEnvironment } from '../prerequisites/prerequisites.ts';
import { writeOutputs } from '../publish/write-outputs.ts';
import { breakCommands } from '../report/plain-text.ts';
import type { GuestContext } from '../vm/guest.ts';

const interruption = new AbortController();
// Every running program and download listens to it.
setMaxListeners(0, interruption.signal);

/** Progress and warnings, on stderr. */
export const log = openLog();

export const context: GuestContext & { readonly signal: AbortSignal } = {
  get cache() {
    return openCache();
  },
  environment: process.env,
  log,
  signal: interruption.signal,
};

/** Ends guests, programs and downloads. The run's error is then `reason`. */
export function interrupt(reason: InterruptedError): void {
  interruption.abort(reason);
}

/** Options of the commands that measure. */
export interface GuestOptions {
  readonly snapshot: boolean;
  readonly fresh?: boolean;
  /** Share from 0 to 1. */
  readonly audit?: number;
}

/** Adds installed tools, and what options say, to the context. */
export function guestsWith({ env, identities }: ToolEnvironment, options: Partial<GuestOptions> = {}) {
  const { snapshot, fresh, audit } = options;
  return { ...context, environment: env, identities, snapshots: snapshot, fresh, auditShare: audit };
}

/** Prints a command's result on stdout. */
export function write(text: string): void {
  log.clear();
  const line = text.endsWith('\n') ? text : `${text}\n`;
  process.stdout.write(process.env.GITHUB_ACTIONS === 'true' ? breakCommands(line) : line);
}

/** Prints a line that stays, on stderr. */
export function say(line: string): void {
  log.clear();
  process.stderr.write(`bpfgate: ${toTerminal(line)}\n`);
}

export function writeFileWhole(file: string, text: string): Promise<void> {
  return writeOutputs(dirname(file), { [basename(file)]: text });
}

/** Prints one clear message for an error and returns its exit code. */
export function explain(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
  const error = machineFailure(thrown) ?? thrown;
  log.clear();
  if (interruption.signal.aborted) {
    process.stderr.write('bpfgate: interrupted; nothing was left running\n');
    return new InterruptedError('').exitCode;
  }
  if (!(error instanceof GateError)) {
    const stack = toTerminal(`${error instanceof Error ? error.stack : error}`);
    process.stderr.write(`bpfgate: internal error (please report this): ${stack}\n`);
    return 3;
  }
  process.stderr.write(`bpfgate: ${toTerminal(error.message)}\n`);
  if (error instanceof VmError && error.consoleTail.length > 0) {
    process.stderr.write(
      `  last console lines:\n${error.consoleTail.map((line) => `    ${toTerminal(line)}\n`).join('')}`,
    );
  }
  if (error.hint !== undefined) process.stderr.write(`  hint: ${toTerminal(error.hint)}\n`);
  return error.exitCode;
}

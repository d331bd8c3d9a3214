// Runs the work of a script, whose expected errors end it as those of bpfgate's command line do.

import type { TerminalLog } from '../src/adapters/log.ts';
import { GateError } from '../src/common/errors.ts';

/** Prints an expected error with its hint, and sets its exit code. */
export async function runScript(log: TerminalLog, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.clear();
    if (!(error instanceof GateError)) throw error;
    process.stderr.write(`${error.message}\n${error.hint === undefined ? '' : `  hint: ${error.hint}\n`}`);
    process.exitCode = error.exitCode;
  }
}

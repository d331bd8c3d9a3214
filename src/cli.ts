// Command line: reads arguments, runs a command of src/commands, and ends with its exit code.

import { Command } from 'commander';
import { addBisect } from './commands/bisect.ts';
import { addCount } from './commands/count.ts';
import { addDemo } from './commands/demo.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExec } from './commands/exec.ts';
import { addExport } from './commands/export.ts';
import { addHistory } from './commands/history.ts';
import { addInit } from './commands/init.ts';
import { addKernels } from './commands/kernels.ts';
import { addReport } from './commands/report.ts';
import { addRun } from './commands/run.ts';
import { context, explain, interrupt, log } from './commands/session.ts';
import { InterruptedError } from './common/errors.ts';
import { describeRelativeFolders } from './common/host-environment.ts';
import { version } from './common/version.ts';

/** Milliseconds since the process started. */
let interruptedAt = 0;

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // A later second signal means not to wait for the clean-up; timeout(1) signals the process and then its whole
    // group.
    if (context.signal.aborted) {
      if (performance.now() - interruptedAt > 1000) process.exit(130);
      return;
    }
    interruptedAt = performance.now();
    log.progress(`${name}: ending the guests`);
    interrupt(new InterruptedError(`interrupted by ${name}`));
  });
}
// A reader that has seen enough, such as `head`, is not an internal error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') interrupt(new InterruptedError('stdout was closed'));
    else throw error;
  });
}
process.on('uncaughtException', (error) => process.exit(explain(error)));

const leftOutOfPath = describeRelativeFolders(process.env.PATH);
if (leftOutOfPath !== undefined) log.warn(leftOutOfPath);

const program = new Command('bpfgate')
  .description('A performance gate for eBPF: exact instruction counts on pinned kernels, base against head')
  .version(version)
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'bpfgate: ')) })
  .showSuggestionAfterError();
for (const add of [
  addRun,
  addCount,
  addBisect,
  addInit,
  addDemo,
  addKernels,
  addExec,
  addReport,
  addHistory,
  addExport,
  addDoctor,
])
  add(program);
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}
log.clear();

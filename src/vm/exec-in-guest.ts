// Guest: runs one command in a guest of its own.

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { guestEnvironment } from '../build/environment.ts';
import { InputError, VmError } from '../common/errors.ts';
import { shellQuote } from '../common/shell-quote.ts';
import type { CachedKernel } from '../model/kernel.ts';
import { projectOf } from '../sandbox/readable-files.ts';
import { chooseAccelerator } from './accelerator.ts';
import {
  checkConfig,
  FileTail,
  type GuestContext,
  type GuestEnd,
  icount,
  prepareHost,
  startGuest,
  withRunFolder,
} from './guest.ts';
import { makeInitramfs } from './initramfs.ts';
import { type AgentStatus, parseStatus } from './records.ts';
import { limitRunFolder } from './run-folder-limit.ts';
import type { StageTime } from './timing.ts';

type OutputStream = 'stdout' | 'stderr';

export interface ExecRequest {
  readonly kernel: CachedKernel;
  readonly argv: readonly string[];
  /** Absolute path, the same in the guest and on the host. */
  readonly cwd: string;
  readonly memoryMiB: number;
  /** Whether to use the machine of the instruction lane instead of the fastest one. */
  readonly icount: boolean;
  readonly timeoutMs: number;
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
  /** Returns what to wait for before more of a stream is passed on, if anything. Default: nothing. */
  readonly untilTaken?: (stream: OutputStream) => Promise<unknown> | undefined;
  /** Called at the end with the time that each stage took. */
  readonly onTiming?: (times: readonly StageTime[]) => void;
}

/** Maximum output of a command to each stream. All of it stays in the run folder until the guest has ended. */
const maxOutputMiB = 1024;

const accelerators = { kvm: 'KVM', tcg: 'TCG', 'tcg-icount': 'TCG with icount' } as const;

/**
 * Boots a kernel, runs one command in it and passes its output on as it comes.
 *
 * @returns the command's exit code; 128 + N when signal N ended it, as in a shell
 * @throws VmError when the guest failed or its time was up, or the command printed more than 1 GiB to either stream
 */
export async function execInGuest(request: ExecRequest, context: GuestContext): Promise<number> {
  const { argv, cwd, onStdout, onStderr } = request;
  return withRunFolder(async (runFolder) => {
    const follow = (stream: OutputStream, onChunk: (chunk: Buffer) => void) =>
      new FileTail(join(runFolder, stream), onChunk, {
        maxBytes: maxOutputMiB * 2 ** 20,
        tooLong: () => printedTooMuch(stream),
        untilTaken: () => request.untilTaken?.(stream),
      });
    const tails = [follow('stdout', onStdout), follow('stderr', onStderr)];
    const [program] = argv;
    const trees = [
      ...(await projectOf(cwd, context.environment)),
      // An absolute path, such as cargo gives. cargo's target folder may be outside the project.
      ...(program !== undefined && isAbsolute(program) ? [program] : []),
    ];
    const end = await runCommand(
      { ...request, cpus: 1, trees, runFolder, argv, cwd, tails, maxRunFolderMiB: 2 * maxOutputMiB },
      context,
    );
    request.onTiming?.(end.timing);
    const status = parseStatus(end.status);
    if (status.outcome === 'failed' && status.exit_code !== null) context.log.warn(status.message);
    return exitCodeOf(status);
  });
}

/** Characters that a shell interprets. */
const shellSyntax = /[\s|&;<>()$`"'*?~#]/;

/**
 * Rejects a command line that is one word with shell syntax: no program has such a name.
 *
 * @throws InputError with the command that has a shell interpret it
 */
export function requireCommand(argv: readonly string[], kernel: string): void {
  const [only = '', ...others] = argv;
  if (others.length > 0 || !shellSyntax.test(only) || existsSync(only)) return;
  const quoted = shellQuote(only);
  throw new InputError(`no program is called ${quoted}`, {
    hint: `have a shell run it: bpfgate exec --kernel ${kernel} -- sh -c ${quoted}`,
  });
}

function printedTooMuch(stream: OutputStream): VmError {
  return new VmError(`the command printed more than ${maxOutputMiB} MiB to ${stream}`, {
    hint: 'let it print less, such as by a filter in the guest: `-- sh -c "COMMAND | tail"`',
  });
}

export interface CommandRequest
  extends Pick<ExecRequest, 'kernel' | 'argv' | 'cwd' | 'memoryMiB' | 'icount' | 'timeoutMs'> {
  readonly cpus: number;
  /** Names of additional variables of the host that the command gets. */
  readonly variables?: readonly string[];
  /** Absolute paths that the guest can read in addition to the host's tools. */
  readonly trees: readonly string[];
  readonly runFolder: string;
  /** Tails that are followed while the guest runs, and closed at the end. */
  readonly tails: readonly FileTail[];
  /** Maximum size of what the guest leaves in the run folder. */
  readonly maxRunFolderMiB: number;
}

/** Runs one command in a guest of its own. Its stdout and stderr are in the run folder. */
export async function runCommand(request: CommandRequest, context: GuestContext): Promise<GuestEnd> {
  const { kernel, argv, cwd, memoryMiB, cpus, trees, runFolder, tails, timeoutMs, maxRunFolderMiB } = request;
  try {
    await checkConfig(kernel, { measured: false });
    const host = await prepareHost(context);
    const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
    const choice = request.icount ? icount : await chooseAccelerator(kernel, initramfs, host.qemu, context);
    context.log.progress(
      `booting ${kernel.pin.id} (${kernel.uname}) under ${accelerators[choice.accelerator]}${choice.reason === null ? '' : `: ${choice.reason}`}`,
    );
    const plan = { mode: 'exec', argv, cwd, env: guestEnvironment(context.environment, request.variables) };
    await writeFile(join(runFolder, 'plan.json'), JSON.stringify(plan));
    const { accelerator } = choice;
    const checkSize = limitRunFolder(runFolder, kernel.pin.id, { maxMiB: maxRunFolderMiB });
    const onTick = async (stop: AbortSignal) => {
      for (const tail of tails) await tail.read(stop);
      await checkSize();
    };
    return await startGuest(host, context, {
      kernel,
      accelerator,
      initramfs,
      memoryMiB,
      cpus,
      trees,
      runFolder,
      timeoutMs,
      onTick,
    }).finally(async () => {
      for (const tail of tails) await tail.finish(context.signal ?? AbortSignal.any([]));
    });
  } finally {
    for (const tail of tails) await tail.close();
  }
}

/** The exit code a shell would show for the command. */
export function exitCodeOf(status: AgentStatus): number {
  switch (status.outcome) {
    case 'exited':
      return status.exit_code;
    case 'signaled':
      return 128 + status.signal;
    case 'failed':
      if (status.exit_code !== null) return status.exit_code;
      throw new VmError(`the guest agent failed: ${status.message}`);
    case 'measured':
      throw new VmError('the guest agent measured instead of running a command');
  }
}

// One command in a guest of its own.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { guestEnvironment } from '../build/environment.ts';
import { VmError } from '../errors.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
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
import type { StageTime } from './timing.ts';

export interface ExecRequest {
  readonly kernel: CachedKernel;
  readonly argv: readonly string[];
  /** Absolute path, seen in the guest as on the host. */
  readonly cwd: string;
  readonly memoryMiB: number;
  /** On the machine of the instruction lane instead of the fastest there is. */
  readonly icount: boolean;
  readonly timeoutMs: number;
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
  /** Called at the end with how long each stage took. */
  readonly onTiming?: (times: readonly StageTime[]) => void;
}

const accelerators = { kvm: 'KVM', tcg: 'TCG', 'tcg-icount': 'TCG with icount' } as const;

/**
 * Boots a kernel and runs one command in it, its output passed on as it comes.
 *
 * @returns the command's exit code; 128 + N when signal N ended it, as a shell says it
 * @throws VmError when the guest failed or its time was up
 */
export async function execInGuest(request: ExecRequest, context: GuestContext): Promise<number> {
  const { argv, cwd, onStdout, onStderr } = request;
  return withRunFolder(async (runFolder) => {
    const tails = [
      new FileTail(join(runFolder, 'stdout'), onStdout),
      new FileTail(join(runFolder, 'stderr'), onStderr),
    ];
    const end = await runCommand({ ...request, cpus: 1, runFolder, argv, cwd, tails }, context);
    request.onTiming?.(end.timing);
    return exitCodeOf(parseStatus(end.status));
  });
}

export interface CommandRequest
  extends Pick<ExecRequest, 'kernel' | 'argv' | 'cwd' | 'memoryMiB' | 'icount' | 'timeoutMs'> {
  readonly cpus: number;
  readonly runFolder: string;
  /** Followed meanwhile, and closed at the end. */
  readonly tails: readonly FileTail[];
}

/** Runs one command in a guest of its own; stdout and stderr are in the run folder. */
export async function runCommand(request: CommandRequest, context: GuestContext): Promise<GuestEnd> {
  const { kernel, argv, cwd, memoryMiB, cpus, runFolder, tails, timeoutMs } = request;
  try {
    await checkConfig(kernel, { measured: false });
    const host = await prepareHost(context);
    const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
    const choice = request.icount ? icount : await chooseAccelerator(kernel, initramfs, host.qemu, context.signal);
    context.log.progress(
      `booting ${kernel.pin.id} (${kernel.uname}) under ${accelerators[choice.accelerator]}${choice.reason === null ? '' : `: ${choice.reason}`}`,
    );
    const plan = { mode: 'exec', argv, cwd, env: guestEnvironment(context.environment) };
    await writeFile(join(runFolder, 'plan.json'), JSON.stringify(plan));
    const { accelerator } = choice;
    const onTick = async () => {
      for (const tail of tails) await tail.read();
    };
    return await startGuest(host, context, {
      ...{ kernel, accelerator, initramfs, memoryMiB, cpus, runFolder, timeoutMs, onTick },
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
      if (typeof status.exit_code === 'number') return status.exit_code;
      throw new VmError(`the guest agent failed: ${status.message}`);
    case 'timed_out':
      throw new VmError(status.message);
    case 'measured':
      throw new VmError('the guest agent measured where it was told to run a command');
  }
}

// Guest: one guest's life. It goes from a run folder with a plan.json to the agent's
// status.json, or to an error that says how the guest ended. No process and no socket is left behind.

import { existsSync, statfsSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { run } from '../adapters/process.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { MachineError, VmError } from '../common/errors.ts';
import { neededOptions } from '../kernels/needs.ts';
import type { Accelerator } from '../model/guest-run.ts';
import type { CachedKernel } from '../model/kernel.ts';
import { readGuestFile } from './guest-files.ts';
import type { Initramfs } from './initramfs.ts';
import { type StageTime, TimeLine } from './timing.ts';

/** A boot: the kernel and everything it is started with. */
export interface Boot {
  readonly kernel: CachedKernel;
  /** Absolute path of the file that QEMU starts: the kernel's ELF image, or its bzImage. */
  readonly image: string;
  readonly accelerator: Accelerator;
  readonly initramfs: Initramfs;
  readonly memoryMiB: number;
  /** Number of virtual processors. More than one only where nothing is counted. */
  readonly cpus: number;
  /** Absolute path. The folder holds the agent's plan.json and becomes the only one the guest can write. */
  readonly runFolder: string;
  /** Absolute path of the guest agent. */
  readonly agent: string;
  /**
   * Absolute path of QEMU's plugin, and the secret that the agent's messages to it begin with, in hexadecimal digits.
   * Default: none is loaded.
   */
  readonly plugin?: { readonly file: string; readonly secret: string } | undefined;
  /** Absolute path of qemu-system-x86_64. */
  readonly qemu: string;
  /** Absolute paths on the host that the guest can read; null where this kernel cannot restrict it to them. */
  readonly readable: readonly string[] | null;
  /** PATH in which the runner finds its programs. */
  readonly path: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called whenever something in the run folder has changed, and at least every 100 ms; once more at the end. Must end
   * when `stop` aborts, however much the guest has left: everything else waits for it.
   */
  readonly onTick?: (stop: AbortSignal) => Promise<void>;
}

/** A program that starts QEMU, and its demands on the host while it runs. */
export interface Launch {
  readonly argv: readonly [string, ...string[]];
  /** Its whole environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Called with each line of the guest's console, or of the runner. */
  readonly onLine?: (line: string) => void;
  /**
   * Called when the run folder may have changed. `end` ends the guest. So does a rejection, which is the boot's error.
   */
  readonly onTick?: () => Promise<'end' | undefined>;
  /** Lines that a lost guest left in addition to its console, such as QEMU's stderr. */
  readonly lastOutput?: () => Promise<readonly string[]>;
  /** Closes what the start has opened outside the run folder. */
  readonly cleanUp: () => Promise<void>;
}

export interface BootEnd {
  /** The text of status.json; undefined when the guest ended, or its time was up, without one. */
  readonly status: string | undefined;
  readonly timedOut: boolean;
  readonly exitCode: number | null;
  /** The guest kernel's reason for its panic; empty when it gave none. Undefined when it did not panic. */
  readonly panic: string | undefined;
  /** The last lines of the guest's console, oldest first. */
  readonly consoleTail: readonly string[];
  readonly timing: readonly StageTime[];
}

/** The end of a guest that left a status. */
export interface RunnerEnd extends Pick<BootEnd, 'timing'> {
  /** The text of status.json. */
  readonly status: string;
  readonly startedFrom: 'boot' | 'snapshot';
}

const tickMs = 100;
const consoleTailLines = 60;
/** Maximum length of a panic's reason, in characters: a program in the guest can write such a line, too. */
const maxPanic = 200;
/** Maximum length of a console line, in characters: a guest can write without end. */
const maxConsoleLine = 65_536;
/** Time for which a kernel that has panicked may go on printing. */
const panicGraceMs = 5000;
const maxStatus = 65_536;

/**
 * Starts a guest and ends it as soon as its agent has written status.json.
 *
 * A runner's own exit code is not used: vmtest reports a command that a signal killed as passed.
 *
 * @throws InterruptedError when `signal` aborts
 */
export async function launchGuest(boot: Boot, launch: Launch): Promise<BootEnd> {
  const statusFile = `${boot.runFolder}/status.json`;
  const consoleTail: string[] = [];
  let panic: { readonly why: string; readonly at: number } | undefined;
  const timeLine = new TimeLine(boot.runFolder);
  const done = new AbortController();
  const interrupted = AbortSignal.any(boot.signal === undefined ? [] : [boot.signal]);
  const cancel = AbortSignal.any([done.signal, interrupted]);
  let failure: { readonly error: unknown } | undefined;
  const watching = onChanges(boot.runFolder, cancel, async () => {
    // Otherwise the guest's end would go unnoticed: all signs of it are in this folder.
    if (!existsSync(boot.runFolder)) throw lostRunFolder(boot);
    const wish = await launch.onTick?.();
    await boot.onTick?.(cancel);
    timeLine.look();
    // A panic ends QEMU, unless it comes too early for the kernel to reset the machine.
    const stuck = panic !== undefined && performance.now() - panic.at > panicGraceMs;
    if (wish === 'end' || stuck || existsSync(statusFile)) done.abort();
  }).catch((error: unknown) => {
    failure = { error };
    done.abort();
  });

  let end = { timedOut: false, exitCode: null as number | null };
  try {
    // pdeathsig: when bpfgate is killed, the guest is killed too.
    end = await run('setpriv', ['--pdeathsig', 'KILL', ...launch.argv], {
      cwd: boot.runFolder,
      env: {},
      variables: launch.variables,
      timeoutMs: boot.timeoutMs,
      signal: cancel,
      maxOutput: maxConsoleLine,
      onLine: (line) => {
        const text = printable(line);
        if (text === '') return;
        timeLine.read(text);
        const why = readPanic(text);
        if (why !== undefined) panic ??= { why, at: performance.now() };
        consoleTail.push(text);
        if (consoleTail.length > consoleTailLines) consoleTail.shift();
        launch.onLine?.(text);
      },
    });
  } catch (error) {
    if (!done.signal.aborted) throw error;
  } finally {
    done.abort();
    await watching;
    await launch.cleanUp();
  }
  if (failure !== undefined) throw failure.error;
  await boot.onTick?.(interrupted);
  interrupted.throwIfAborted();
  timeLine.end();
  const status = existsSync(statusFile) ? await readGuestFile(statusFile, maxStatus) : undefined;
  if (status === undefined) {
    const words = (await launch.lastOutput?.()) ?? [];
    consoleTail.push(...words.map(printable).filter((line) => line !== ''));
  }
  return { ...end, status, panic: panic?.why, consoleTail, timing: timeLine.stages() };
}

/**
 * Reads a kernel panic's reason from a console line; undefined when the line reports no panic.
 *
 * Source: panic() in kernel/panic.c, and early_fixup_exception() in arch/x86/mm/extable.c.
 */
export function readPanic(line: string): string | undefined {
  const found = /Kernel panic - not syncing(?:: (.*))?|PANIC: (early exception.*)/.exec(line);
  return found === null ? undefined : clipMiddle((found[1] ?? found[2] ?? '').trim(), maxPanic);
}

function lostRunFolder({ kernel, runFolder }: Boot): VmError {
  return new VmError(`the run folder of the guest of kernel ${kernel.pin.id} was removed`, {
    hint: `see what removes folders from ${dirname(runFolder)}, or set TMPDIR to another place`,
  });
}

/**
 * The error for a guest that left no status.json.
 *
 * @param known how it ended, where the runner knows more
 */
export function lostGuest(boot: Boot, end: BootEnd, known?: string): VmError {
  const outcome = end.timedOut
    ? `did not finish within its ${boot.timeoutMs / 1000} s and was ended`
    : (known ?? 'ended before the guest agent had finished');
  const last = [...end.consoleTail].reverse().find((line) => /bpfgate-initramfs: cannot/.test(line));
  // When the initramfs fails, init ends, and the kernel panics because of that.
  const why = last === undefined ? end.panic : last.replace(/^.*bpfgate-initramfs: /, '');
  const what = end.panic === undefined ? outcome : 'panicked';
  const started = end.timing.some(({ stage }) => stage === 'command');
  const needs =
    boot.kernel.config === undefined && !started
      ? `\nits configuration is not known; a guest needs:\n${neededOptions}`
      : '';
  return new VmError(`the guest of kernel ${boot.kernel.pin.id} ${what}${why ? `: ${why}` : ''}${needs}`, {
    consoleTail: end.consoleTail,
    panickedInBoot: end.panic !== undefined && !started,
    isLost: started && !end.timedOut && !isFull(boot.runFolder),
    hint: isFull(boot.runFolder)
      ? `the disk of ${dirname(boot.runFolder)} is full: free space there, or set TMPDIR to a folder on another`
      : end.timedOut
        ? 'raise the limit with --timeout (input timeout); the last console lines say how far it came'
        : 'the last console lines say how far it came',
  });
}

/** Number of bytes, less than a guest writes at its end. */
const leastFree = 16_384;

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < leastFree;
  } catch {
    return false; // It is gone, which is reported elsewhere.
  }
}

/** @throws MachineError when a path cannot be passed to QEMU or to the guest's init */
export function checkPaths(paths: readonly string[]): void {
  for (const path of paths) {
    if (!/[\s,"'\\$`;&|<>()*?]/.test(path)) continue;
    throw new MachineError(`the path ${JSON.stringify(path)} has a space, comma, quote or other special character`, {
      hint: 'set BPFGATE_CACHE and TMPDIR to folders without them',
    });
  }
}

/** Calls `work` whenever something in the folder changes, and every tick, because 9p does not report every change. */
async function onChanges(folder: string, stop: AbortSignal, work: () => Promise<void>): Promise<void> {
  let wake = () => {};
  const watcher = watch(folder, () => wake());
  watcher.on('error', () => {}); // The ticks are enough.
  try {
    while (!stop.aborted) {
      const wait = new AbortController();
      wake = () => wait.abort();
      await work();
      await setTimeout(tickMs, undefined, { signal: AbortSignal.any([stop, wait.signal]) }).catch(() => {});
      // Otherwise a guest that writes without end could keep the host busy.
      await setTimeout(5, undefined, { signal: stop }).catch(() => {});
    }
  } finally {
    watcher.close();
  }
}

/** A console line without control sequences, at most 300 characters. */
function printable(line: string): string {
  return (
    line
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
      .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
      .replace(/[\u0000-\u001f\u007f-\u009f]/g, '')
      .trimEnd()
      .slice(0, 300)
  );
}

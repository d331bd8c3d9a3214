// Guest: one start of QEMU, by whichever runner: from a saved machine if there is one, else a boot, which saves it on the
// way. The runner starts vm/qemu, which becomes the command that is prepared here.

import { readdir, realpath, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { packageRoot } from '../adapters/package-root.ts';
import { MachineError } from '../common/errors.ts';
import { type Boot, checkPaths, type Launch, launchGuest, lostGuest, type RunnerEnd } from './boot.ts';
import { readGuestFile } from './guest-files.ts';
import { qemuArguments } from './machine.ts';
import { connectTo, Monitor, saveMachine, waitUntilRunning } from './monitor.ts';
import { addSnapshot, findSnapshot, removeSnapshot, type Snapshot } from './snapshot.ts';

/** Time limit for a saved machine to resume, including QEMU's start. Reading one takes a fraction of a second. */
const restoreDeadlineMs = 30_000;
/** Time limit for a kernel to reach its initramfs. That takes seconds, also under icount, unless the kernel hangs. */
const bootDeadlineMs = 300_000;
/** Maximum length of a Unix socket's path, in bytes, including its final zero (sockaddr_un). */
const maxSocketPath = 108;
/** Maximum size of QEMU's stderr, in bytes. */
const maxStderr = 65_536;

/** The program that a runner starts in the place of QEMU. */
export const qemuWrapper = join(packageRoot, 'vm', 'qemu');

/** A runner that is ready to start `qemuWrapper`. */
export interface RunnerStart {
  readonly argv: readonly [string, ...string[]];
  /** Called again and again until the guest has ended. */
  readonly onTick?: () => Promise<void>;
  readonly close?: () => void;
}

/**
 * Starts a guest, lets the agent carry out plan.json, and ends it as soon as the agent has written status.json.
 *
 * @param prepare prepares the runner in a run folder that holds only the host's files
 * @param snapshot the machine to start from, or to save; undefined: neither
 * @throws VmError when the guest ends or its time is up without that file; with the end of the guest's console
 * @throws InterruptedError when `signal` aborts
 */
export async function runBoot(
  boot: Boot,
  prepare: (boot: Boot) => Promise<RunnerStart>,
  snapshot: Snapshot | undefined,
  log: Log,
): Promise<RunnerEnd> {
  const { image, runFolder, agent, plugin, kernel } = boot;
  checkPaths([image, runFolder, agent, plugin?.file ?? '/', kernel.modulesRoot ?? '/', snapshot?.cache.root ?? '/']);
  if (Buffer.byteLength(join(runFolder, 'monitor.sock')) >= maxSocketPath) {
    throw new MachineError(`the path ${runFolder} is too long for a Unix socket in it`, {
      hint: 'set TMPDIR to a shorter one',
    });
  }
  const saved = snapshot === undefined ? undefined : findSnapshot(snapshot);
  if (snapshot !== undefined && saved !== undefined) {
    await prepareStart(boot, true);
    const start = new Start(boot, await prepare(boot), log, { restore: saved });
    const end = await launchGuest(boot, start);
    if (end.status !== undefined) return { status: end.status, startedFrom: 'snapshot', timing: end.timing };
    if (start.started || end.timedOut) throw lostGuest(boot, end);
    const reason = start.late ? start.describeWait() : (end.consoleTail.at(-1)?.trim() ?? 'QEMU said nothing');
    log.warn(`${kernel.pin.id}: the snapshot did not restore (${reason}); it is removed, and the guest booted`);
    await removeSnapshot(snapshot);
  }
  await prepareStart(boot, false);
  const start = new Start(boot, await prepare(boot), log, { save: snapshot });
  const end = await launchGuest(boot, start);
  if (end.status === undefined) throw lostGuest(boot, end, start.describeLoss());
  return { status: end.status, startedFrom: 'boot', timing: end.timing };
}

/** Names that the host puts into a run folder before any start. */
const fromHost = new Set(['plan.json', 'kernel.config', 'output']);

/**
 * Leaves in the run folder only what one start needs. An earlier start's guest may have put other programs into a file,
 * or links in place of the host's files.
 *
 * @param restored whether the machine comes from a snapshot
 */
export async function prepareStart(boot: Boot, restored: boolean): Promise<void> {
  const { runFolder, readable, accelerator, agent, qemu } = boot;
  for (const name of await readdir(runFolder)) {
    if (!fromHost.has(name)) await rm(join(runFolder, name), { recursive: true, force: true });
  }
  const access = join(runFolder, 'access.json');
  if (readable !== null) {
    // For vm/agent/src/confine.rs. It is read before the guest starts, which could change it from then on.
    const devices = [...(accelerator === 'kvm' ? ['/dev/kvm'] : []), '/dev/null', '/dev/random', '/dev/urandom'];
    await writeFile(access, JSON.stringify({ read: readable, write: [runFolder], devices }));
  }
  const confined = readable === null ? [] : [agent, 'confine', access];
  // QEMU must not outlive the runner, however that ends.
  const command = ['setpriv', '--pdeathsig', 'KILL', ...confined, qemu, ...qemuArguments(boot, restored)];
  await writeFile(join(runFolder, 'qemu.command'), command.join('\0'));
}

/**
 * Command that lets the guest's console bypass the runner, which may keep all of it, even a line without an end: a guest
 * prints for as long as it runs. vm/qemu sends the console to this descriptor, from which it is read in pieces. The
 * runner's own output goes to stderr, because otherwise the two would mix within lines.
 */
const consolePastRunner = ['bash', '-c', 'exec "$@" 3>&1 1>&2', 'runner'] as const;

/** One start: gives the guest the start signal. */
class Start implements Launch {
  readonly argv: readonly [string, ...string[]];
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the guest has answered the start signal. */
  started = false;
  /** Whether it was ended because it was too late. */
  late = false;

  readonly #boot: Boot;
  readonly #runner: RunnerStart;
  readonly #log: Log;
  readonly #save: Snapshot | undefined;
  readonly #restoring: boolean;
  /** Deadline on the clock of `performance.now()`. */
  readonly #deadline: number;
  #ready = false;
  /** The guest's second serial port, connected as long as QEMU runs. */
  #startPort: Socket | undefined;
  #signalled = false;
  /** Why the start signal could not be given. */
  #obstacle = 'QEMU did not start';

  constructor(
    boot: Boot,
    runner: RunnerStart,
    log: Log,
    from: { readonly restore?: string; readonly save?: Snapshot | undefined },
  ) {
    this.#boot = boot;
    this.#runner = runner;
    this.#log = log;
    this.#save = from.save;
    this.#restoring = from.restore !== undefined;
    this.#deadline = performance.now() + (this.#restoring ? restoreDeadlineMs : bootDeadlineMs);
    this.argv = [...consolePastRunner, ...runner.argv];
    this.variables = {
      PATH: boot.path,
      // Runners write files of their own there, which nothing needs and a killed one leaves.
      TMPDIR: boot.runFolder,
      HOME: boot.runFolder,
      LANG: 'C.UTF-8',
      BPFGATE_QEMU: boot.qemu,
      BPFGATE_RUN_FOLDER: boot.runFolder,
      BPFGATE_RESTORE: from.restore ?? '',
    };
  }

  onLine(line: string): void {
    if (line.includes('bpfgate-initramfs: ready')) this.#ready = true;
    if (line.includes('bpfgate-initramfs: start signal received')) this.started = true;
  }

  /** Ends the runner when QEMU has ended, and a machine that is too late. */
  async onTick(): Promise<'end' | undefined> {
    await this.#runner.onTick?.();
    this.#startPort ??= await connectTo(join(this.#boot.runFolder, 'start.sock')).catch(() => undefined);
    // Otherwise QEMU is not ready yet, or has ended, which the runner sees.
    if (this.#startPort !== undefined) {
      // The echo of the guest's terminal is ignored, but the end is only seen by reading.
      if (this.#startPort.resume().closed) return 'end';
      if (!this.#signalled && (this.#restoring || this.#ready)) await this.#giveStartSignal(this.#startPort);
    }
    this.late = !this.#ready && !this.started && performance.now() > this.#deadline;
    return this.late ? 'end' : undefined;
  }

  async lastOutput(): Promise<readonly string[]> {
    const text = await readGuestFile(join(this.#boot.runFolder, 'qemu.stderr'), maxStderr).catch(() => '');
    return text.trim().split('\n');
  }

  /** Description of how a failed boot ended; undefined where nothing more is known. */
  describeLoss(): string | undefined {
    if (this.late) return `did not boot within ${bootDeadlineMs / 1000} s and was ended`;
    return this.#startPort === undefined ? 'was not started' : undefined;
  }

  /** Describes what happened to a saved machine that is late. */
  describeWait(): string {
    const what = this.#signalled ? 'it did not answer the start signal' : this.#obstacle;
    return `${what}, for ${restoreDeadlineMs / 1000} s`;
  }

  async cleanUp(): Promise<void> {
    this.#startPort?.destroy();
    this.#runner.close?.();
  }

  async #giveStartSignal(port: Socket): Promise<void> {
    this.#signalled = true;
    const { kernel, agent } = this.#boot;
    try {
      if (this.#restoring) {
        const left = Math.max(0, Math.ceil(this.#deadline - performance.now()));
        await this.#withMonitor(waitUntilRunning, AbortSignal.timeout(left));
      }
    } catch (error) {
      this.#obstacle = (error as Error).message;
      this.#signalled = false; // The monitor is not there yet; or QEMU has ended, which the next tick sees.
      return;
    }
    if (this.#save !== undefined) await this.#saveMachine(this.#save);
    // The real path, because the initramfs cannot follow a link to an absolute path.
    const modules = kernel.modulesRoot === undefined ? '-' : await realpath(kernel.modulesRoot);
    port.write(`${Math.round(Date.now() / 1000)} ${modules} ${agent}\n`);
  }

  /** Saves the machine. A failure is only a warning: the guest continues either way. */
  async #saveMachine(snapshot: Snapshot): Promise<void> {
    const socket = join(this.#boot.runFolder, 'machine.sock');
    try {
      await this.#withMonitor((monitor) => addSnapshot(snapshot, (file) => saveMachine(monitor, file, socket)));
    } catch (error) {
      this.#log.warn(`${this.#boot.kernel.pin.id}: cannot save the booted machine: ${(error as Error).message}`);
    }
  }

  async #withMonitor(work: (monitor: Monitor) => Promise<void>, until?: AbortSignal): Promise<void> {
    const monitor = await Monitor.open(join(this.#boot.runFolder, 'monitor.sock'), until);
    try {
      await work(monitor);
    } finally {
      monitor.close();
    }
  }
}

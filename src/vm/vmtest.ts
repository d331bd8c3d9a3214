// Guest: the runner vmtest. It starts QEMU with the host's root and the run folder exported over 9p. It starts from a
// saved machine if there is one; otherwise it boots the guest and saves it on the way.

import { readdir, realpath, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'smol-toml';
import type { Log } from '../adapters/log.ts';
import { packageRoot } from '../adapters/package-root.ts';
import { MachineError } from '../common/errors.ts';
import {
  type Boot,
  checkPaths,
  type Launch,
  launchGuest,
  lostGuest,
  qemuVariables,
  type RunnerEnd,
  writeAccess,
} from './boot.ts';
import { readGuestFile } from './guest-files.ts';
import { machineArguments, socketArguments } from './machine.ts';
import { connectTo, Monitor, saveMachine, waitUntilRunning } from './monitor.ts';
import { addSnapshot, findSnapshot, removeSnapshot, type Snapshot } from './snapshot.ts';
import { findVmtestPaths, VmtestSockets } from './vmtest-sockets.ts';

/** Time limit for a saved machine to resume, including QEMU's start. Reading one takes a fraction of a second. */
const restoreDeadlineMs = 30_000;
/** Time limit for a kernel to reach its initramfs. That takes seconds, also under icount, unless the kernel hangs. */
const bootDeadlineMs = 300_000;
/** Maximum length of a Unix socket's path, in bytes, including its final zero (sockaddr_un). */
const maxSocketPath = 108;
/** Maximum size of QEMU's stderr, in bytes. */
const maxStderr = 65_536;
/** Maximum size of QEMU's command line, in bytes. It is in the guest's run folder. */
const maxArguments = 1024 * 1024;

/**
 * Starts a guest, lets the agent carry out plan.json, and ends it as soon as the agent has written status.json.
 *
 * @param snapshot the machine to start from, or to save; undefined: neither
 * @throws VmError when the guest ends or its time is up without that file; with the end of the guest's console
 * @throws InterruptedError when `signal` aborts
 */
export async function runVmtest(boot: Boot, snapshot: Snapshot | undefined, log: Log): Promise<RunnerEnd> {
  const { image, runFolder, agent, plugin = '/', kernel } = boot;
  checkPaths([image, runFolder, agent, plugin, kernel.modulesRoot ?? '/', snapshot?.cache.root ?? '/']);
  if (Buffer.byteLength(join(boot.runFolder, 'monitor.sock')) >= maxSocketPath) {
    throw new MachineError(`the path ${boot.runFolder} is too long for a Unix socket in it`, {
      hint: 'set TMPDIR to a shorter one',
    });
  }
  await prepareStart(boot);

  const saved = snapshot === undefined ? undefined : findSnapshot(snapshot);
  if (snapshot !== undefined && saved !== undefined) {
    const start = new Start(boot, log, { restore: saved });
    const end = await launchGuest(boot, start);
    if (end.status !== undefined) return { status: end.status, startedFrom: 'snapshot', timing: end.timing };
    if (start.started || end.timedOut) throw lostGuest(boot, end);
    const reason = start.late ? start.describeWait() : (end.consoleTail.at(-1)?.trim() ?? 'QEMU said nothing');
    log.warn(`${boot.kernel.pin.id}: the snapshot did not restore (${reason}); it is removed, and the guest booted`);
    await removeSnapshot(snapshot);
    await prepareStart(boot);
  }
  const start = new Start(boot, log, { save: snapshot });
  const end = await launchGuest(boot, start);
  if (end.status === undefined) throw lostGuest(boot, end, start.describeLoss());
  return { status: end.status, startedFrom: 'boot', timing: end.timing };
}

/** Names that the host puts into a run folder before any start. */
const fromHost = new Set(['plan.json', 'kernel.config', 'key', 'output']);

/**
 * Leaves in the run folder only what one start needs. An earlier start's guest may have put other programs into
 * vmtest.toml, or links in place of the host's files.
 */
export async function prepareStart(boot: Boot): Promise<void> {
  for (const name of await readdir(boot.runFolder)) {
    if (!fromHost.has(name)) await rm(join(boot.runFolder, name), { recursive: true, force: true });
  }
  await writeFile(join(boot.runFolder, 'vmtest.toml'), vmtestConfig(boot));
  await writeAccess(boot, []);
}

/** Renders vmtest.toml for one start. */
export function vmtestConfig(boot: Boot): string {
  const machine = machineArguments(boot.accelerator);
  return stringify({
    target: [
      {
        name: `bpfgate-${boot.kernel.pin.minor}`,
        kernel: boot.image,
        kernel_args: machine.kernel.join(' '),
        qemu_command: join(packageRoot, 'vm', 'qemu'),
        // Never run: the initramfs starts the agent, see vmtest-sockets.ts.
        command: 'true',
        vm: {
          num_cpus: boot.cpus,
          memory: `${boot.memoryMiB}M`,
          extra_args: [
            ...['-initrd', boot.initramfs.file, ...machine.qemu, ...socketArguments(boot.cpus)],
            ...(boot.plugin === undefined ? [] : ['-plugin', boot.plugin]),
          ],
        },
      },
    ],
  });
}

/**
 * Command that lets the guest's console bypass vmtest, which would keep all of it, even a line without an end: a guest
 * prints for as long as it runs. vm/qemu sends the console to this descriptor, from which it is read in pieces.
 * vmtest's own output goes to stderr, because otherwise the two would mix within lines.
 */
const consolePastVmtest = ['bash', '-c', 'exec "$@" 3>&1 1>&2', 'vmtest'] as const;

/** One start of vmtest: gives the guest the start signal, and vmtest the answers it expects. */
class Start implements Launch {
  readonly argv: readonly [string, ...string[]];
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the guest has answered the start signal. */
  started = false;
  /** Whether it was ended because it was too late. */
  late = false;

  readonly #boot: Boot;
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
  #sockets: VmtestSockets | undefined;
  /**
   * vmtest's arguments for QEMU, once they are there. They are kept because others can write the folder they come from.
   */
  #arguments = '';

  constructor(boot: Boot, log: Log, from: { readonly restore?: string; readonly save?: Snapshot | undefined }) {
    this.#boot = boot;
    this.#log = log;
    this.#save = from.save;
    this.#restoring = from.restore !== undefined;
    this.#deadline = performance.now() + (this.#restoring ? restoreDeadlineMs : bootDeadlineMs);
    this.argv = [...consolePastVmtest, 'vmtest', '--config', join(boot.runFolder, 'vmtest.toml')];
    this.variables = {
      PATH: boot.path,
      // vmtest writes its init there, which nothing needs and a killed vmtest leaves.
      TMPDIR: boot.runFolder,
      ...qemuVariables(boot),
      BPFGATE_RESTORE: from.restore ?? '',
    };
  }

  onLine(line: string): void {
    if (line.includes('bpfgate-initramfs: ready')) this.#ready = true;
    if (line.includes('bpfgate-initramfs: start signal received')) this.started = true;
  }

  /**
   * Ends vmtest when QEMU has ended, because vmtest would wait for its command. Also ends a machine that is too late.
   */
  async onTick(): Promise<'end' | undefined> {
    const given = await this.#readArguments();
    if (given === '') return undefined;
    this.#sockets ??= await VmtestSockets.open(findVmtestPaths(given));
    this.#startPort ??= await connectTo(join(this.#boot.runFolder, 'start.sock')).catch(() => undefined);
    // Otherwise QEMU is not ready yet, or has ended. vmtest sees that as long as the agent does not answer.
    if (this.#startPort !== undefined) {
      this.#sockets.agentIsThere();
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

  /** Description of how a failed boot ended; undefined where the runner knows nothing more. */
  describeLoss(): string | undefined {
    if (this.late) return `did not boot within ${bootDeadlineMs / 1000} s and was ended`;
    return this.#startPort === undefined ? 'was not started: QEMU ended, or was too slow for vmtest' : undefined;
  }

  /** Describes what happened to a saved machine that is late. */
  describeWait(): string {
    const what = this.#signalled ? 'it did not answer the start signal' : this.#obstacle;
    return `${what}, for ${restoreDeadlineMs / 1000} s`;
  }

  async cleanUp(): Promise<void> {
    this.#startPort?.destroy();
    this.#sockets?.close();
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

  /** Reads the arguments that vm/qemu left; empty before they are complete. */
  async #readArguments(): Promise<string> {
    if (this.#arguments === '') {
      const text = await readGuestFile(join(this.#boot.runFolder, 'qemu.arguments'), maxArguments).catch(() => '');
      if (text.endsWith('\0\0')) this.#arguments = text;
    }
    return this.#arguments;
  }
}

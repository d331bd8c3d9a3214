// One boot of one kernel through vmtest: from a run folder with a plan.json to the agent's status.json, or an error
// that says how the guest ended. Nothing is left behind: no process, no socket.

import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { stringify } from 'smol-toml';
import { packageRoot } from '../adapters/package-root.ts';
import { run } from '../adapters/process.ts';
import { MachineError, VmError } from '../errors.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
import { readGuestFile } from './guest-files.ts';
import type { Accelerator } from './guest-run.ts';
import type { Initramfs } from './initramfs.ts';
import { machineArguments } from './machine.ts';

export interface Boot {
  readonly kernel: CachedKernel;
  readonly accelerator: Accelerator;
  readonly initramfs: Initramfs;
  readonly memoryMiB: number;
  /** Absolute path; holds the agent's plan.json and becomes the only folder the guest can write. */
  readonly runFolder: string;
  /** Absolute path of the guest agent. */
  readonly agent: string;
  /** Absolute path of qemu-system-x86_64. */
  readonly qemu: string;
  /** PATH under which vmtest and, in the guest, its init find their programs. */
  readonly path: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called about ten times a second while the guest runs. */
  readonly onTick?: () => Promise<void>;
}

/** Where the run folder appears in the guest: fixed by vmtest. */
const guestRunFolder = '/mnt/vmtest';
const tickMs = 100;
const consoleTailLines = 60;
const maxStatus = 65_536;

/**
 * Boots, lets the agent carry out plan.json, and ends the VM as soon as the agent has written status.json.
 *
 * vmtest's own exit code is not looked at: it reports a command killed by a signal as passed.
 *
 * @returns the text of status.json
 * @throws VmError when the guest ends or its time is up without that file; with the end of the guest's console
 * @throws InterruptedError when `signal` aborts
 */
export async function bootGuest(boot: Boot): Promise<string> {
  for (const path of [boot.runFolder, boot.kernel.modulesRoot, boot.agent]) {
    if (/[\s,"]/.test(path)) {
      throw new MachineError(`the path ${JSON.stringify(path)} has a space, comma or quote, which QEMU cannot take`, {
        hint: 'set BPFGATE_CACHE or TMPDIR to a folder without them',
      });
    }
  }
  const config = join(boot.runFolder, 'vmtest.toml');
  await writeFile(config, vmtestConfig(boot));

  const consoleLines: string[] = [];
  const statusFile = join(boot.runFolder, 'status.json');
  const done = new AbortController();
  const cancel = AbortSignal.any([done.signal, ...(boot.signal === undefined ? [] : [boot.signal])]);
  let tickFailure: unknown;
  const ticking = tick(async () => {
    await boot.onTick?.();
    if (existsSync(statusFile)) done.abort();
  }, cancel).catch((error: unknown) => {
    tickFailure = error;
    done.abort();
  });

  // pdeathsig: a bpfgate that is killed takes the guest with it.
  let outcome = 'ended before the guest agent had finished';
  try {
    const result = await run('setpriv', ['--pdeathsig', 'KILL', 'vmtest', '--config', config], {
      cwd: boot.runFolder,
      env: {
        PATH: boot.path,
        BPFGATE_QEMU: boot.qemu,
        BPFGATE_RUN_FOLDER: boot.runFolder,
      },
      timeoutMs: boot.timeoutMs,
      signal: cancel,
      onLine: (line) => {
        const text = printable(line);
        if (text === '') return;
        consoleLines.push(text);
        if (consoleLines.length > consoleTailLines) consoleLines.shift();
      },
    });
    if (result.timedOut) outcome = `did not finish within its ${boot.timeoutMs / 1000} s and was ended`;
  } catch (error) {
    if (!done.signal.aborted) throw error;
  } finally {
    done.abort();
    await ticking;
    await removeLeftovers(boot.runFolder);
  }
  if (tickFailure !== undefined) throw tickFailure;
  await boot.onTick?.();

  if (existsSync(statusFile)) return readGuestFile(statusFile, maxStatus);
  throw new VmError(`the guest of kernel ${boot.kernel.pin.id} ${outcome}`, {
    consoleTail: consoleLines,
    hint: 'the last console lines say how far it came',
  });
}

/** vmtest.toml of one boot. */
export function vmtestConfig(boot: Boot): string {
  const machine = machineArguments(boot.accelerator);
  return stringify({
    target: [
      {
        name: `bpfgate-${boot.kernel.pin.id}`,
        kernel: boot.kernel.image,
        kernel_args: [...machine.kernel, `bpfgate.modules=${boot.kernel.modulesRoot}`].join(' '),
        qemu_command: join(packageRoot, 'vm', 'qemu'),
        command: `${boot.agent} ${guestRunFolder}`,
        vm: {
          num_cpus: 1,
          memory: `${boot.memoryMiB}M`,
          extra_args: ['-initrd', boot.initramfs.file, ...machine.qemu],
        },
      },
    ],
  });
}

async function tick(work: () => Promise<void>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await work();
    await setTimeout(tickMs, undefined, { signal: stop }).catch(() => {}); // Aborted: the loop's condition ends it.
  }
}

/**
 * vmtest's sockets and its init have random names under /tmp and outlive a killed vmtest; QEMU's own arguments, which
 * vm/qemu has left in the run folder, name them.
 */
async function removeLeftovers(runFolder: string): Promise<void> {
  let argumentsText: string;
  try {
    argumentsText = await readFile(join(runFolder, 'qemu.arguments'), 'utf8');
  } catch {
    return; // QEMU was never started.
  }
  const sockets = argumentsText.matchAll(/(?:unix:|path=)(\/tmp\/(?:qga|qmp|cmdout)-\d+\.sock)/g);
  const inits = argumentsText.matchAll(/init=(\S*\/vmtest-init\w+\.sh)/g);
  for (const [, path] of [...sockets, ...inits]) {
    if (path !== undefined) await rm(path, { force: true });
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

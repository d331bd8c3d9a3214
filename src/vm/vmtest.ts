// Guest: the runner vmtest. It starts vm/qemu, and expects what qemu-guest-agent does in a guest. bpfgate's guest starts
// its agent by itself, so the host answers in its place. Then vmtest has nothing to do but to wait for QEMU's end.

import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stringify } from 'smol-toml';
import { MachineError } from '../common/errors.ts';
import type { Boot } from './boot.ts';
import { readGuestFile } from './guest-files.ts';
import { qemuWrapper, type RunnerStart } from './start.ts';

/** Maximum size of vmtest's arguments for QEMU, in bytes. They are in the guest's run folder. */
const maxArguments = 1024 * 1024;

/** Prepares vmtest to start vm/qemu, which starts the boot's machine and not the one that vmtest describes. */
export async function startVmtest({ kernel, image, runFolder }: Boot): Promise<RunnerStart> {
  const config = join(runFolder, 'vmtest.toml');
  const name = `bpfgate-${kernel.pin.minor}`;
  // The command `-` is a shell on the console: vmtest waits for QEMU's end.
  await writeFile(config, stringify({ target: [{ name, kernel: image, qemu_command: qemuWrapper, command: '-' }] }));
  let servers: readonly Server[] | undefined;
  return {
    argv: ['vmtest', '--config', config],
    onTick: async () => {
      if (servers !== undefined) return;
      const given = await readGuestFile(join(runFolder, 'runner.arguments'), maxArguments).catch(() => '');
      if (given.endsWith('\0\0')) servers = await serve(findSockets(given));
    },
    close: () => {
      for (const server of servers ?? []) server.close();
    },
  };
}

/** Absolute paths of the sockets where vmtest looks for QEMU's monitor and for the guest's agent. */
export interface VmtestSockets {
  readonly monitor: string;
  readonly guestAgent: string;
}

/**
 * Finds vmtest's sockets among its arguments for QEMU.
 *
 * @param given the arguments, joined by NUL
 * @throws MachineError when one is missing
 */
export function findSockets(given: string): VmtestSockets {
  const path = (name: string) => {
    const found = new RegExp(`(?:unix:|path=)(/tmp/${name}-\\d+\\.sock)`).exec(given)?.[1];
    if (found !== undefined) return found;
    throw new MachineError(`vmtest gives QEMU no socket /tmp/${name}-*.sock, as version 0.18 does`, {
      hint: 'run `bpfgate doctor` to see which vmtest is used, and remove others from PATH',
    });
  };
  return { monitor: path('qmp'), guestAgent: path('qga') };
}

/**
 * Answers vmtest, which gives QEMU five seconds to make the sockets.
 *
 * Source: QEMU Machine Protocol Specification; QEMU Guest Agent Protocol Reference; src/qga.rs and src/qemu.rs of
 * vmtest 0.18.
 *
 * @throws MachineError when a socket cannot be made
 */
export async function serve(paths: VmtestSockets): Promise<readonly Server[]> {
  const [monitor, guestAgent] = [makeServer(true), makeServer(false)];
  try {
    await Promise.all([listen(monitor, paths.monitor), listen(guestAgent, paths.guestAgent)]);
  } catch (cause) {
    for (const server of [monitor, guestAgent]) server.close();
    throw new MachineError(`cannot make vmtest's sockets: ${(cause as Error).message}`, {
      cause,
      hint: 'vmtest has them in /tmp: see that there is room, and that this user can write there',
    });
  }
  return [monitor, guestAgent];
}

function makeServer(isMonitor: boolean): Server {
  const server = createServer((connection) => {
    connection.on('error', () => {}); // vmtest was killed.
    const send = (message: unknown) => connection.write(`${JSON.stringify(message)}\n`);
    if (isMonitor) send({ QMP: { version: monitorVersion, capabilities: [] } });
    const lines = createInterface({ input: connection });
    lines.on('error', () => {}); // It passes the connection's on.
    lines.on('line', (line) => send({ return: answerTo(line) }));
  });
  return server.unref();
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
}

const monitorVersion = { qemu: { major: 0, minor: 0, micro: 0 }, package: 'bpfgate' };

/** Answers what vmtest asks until it waits for QEMU. Programs that it wants to run in the guest have succeeded. */
function answerTo(request: string): unknown {
  switch (/"execute": ?"([\w-]+)"/.exec(request)?.[1]) {
    case 'guest-sync':
      return Number(/"id": ?(\d+)/.exec(request)?.[1]);
    case 'guest-info':
      return { version: '0.0.0', supported_commands: [] };
    case 'guest-exec':
      return { pid: 1 };
    case 'guest-exec-status':
      return { exited: true, exitcode: 0 };
    default:
      return {};
  }
}

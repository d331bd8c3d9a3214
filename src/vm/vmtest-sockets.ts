// Guest: the three sockets that vmtest expects. One is QEMU's monitor, which QEMU has to make within five seconds. One
// is qemu-guest-agent's, which has to answer from inside the guest: vmtest asks it to mount the shared folder, to start
// the command, and then again and again whether the command has ended. One is for the command's output. bpfgate's guest
// starts its agent by itself, so the host makes all three and answers. Then a QEMU that starts slowly, such as on a
// busy disk, is waited for and makes no socket outside of the run folder, and the guest has neither a second agent nor
// its interrupts.

import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { MachineError } from '../common/errors.ts';

/** Absolute paths that vmtest gives QEMU. */
export interface VmtestPaths {
  readonly monitor: string;
  readonly guestAgent: string;
  readonly commandOutput: string;
}

/**
 * Finds vmtest's paths among its arguments for QEMU.
 *
 * @param given the arguments, joined by NUL
 * @throws MachineError when one is missing
 */
export function findVmtestPaths(given: string): VmtestPaths {
  const path = (name: string) => {
    const found = new RegExp(`(?:unix:|path=)(/tmp/${name}-\\d+\\.sock)`).exec(given)?.[1];
    if (found !== undefined) return found;
    throw new MachineError(`vmtest gives QEMU no socket /tmp/${name}-*.sock, as version 0.18 does`, {
      hint: 'run `bpfgate doctor` to see which vmtest is used, and remove others from PATH',
    });
  };
  return { monitor: path('qmp'), guestAgent: path('qga'), commandOutput: path('cmdout') };
}

/**
 * Answers vmtest instead of QEMU's monitor and of the guest's agent.
 *
 * Source: QEMU Machine Protocol Specification; QEMU Guest Agent Protocol Reference; src/qga.rs and src/qemu.rs of
 * vmtest 0.18.
 */
export class VmtestSockets {
  readonly #servers: Readonly<Record<keyof VmtestPaths, Server>>;
  #isAgentThere = false;

  private constructor() {
    const monitor = serve((connection) => {
      reply(connection, greeting);
      answerLines(connection, () => ({}));
    });
    const guestAgent = serve((connection) => {
      // vmtest tries again each second, for 80 s if there is a /dev/kvm and otherwise 120 s, and ends when QEMU has
      // ended.
      if (!this.#isAgentThere) connection.destroy();
      else answerLines(connection, answerForAgent);
    });
    const commandOutput = serve(() => {});
    this.#servers = { monitor, guestAgent, commandOutput };
  }

  /** @throws MachineError when a socket cannot be made */
  static async open(paths: VmtestPaths): Promise<VmtestSockets> {
    const sockets = new VmtestSockets();
    const { monitor, guestAgent, commandOutput } = sockets.#servers;
    try {
      await Promise.all([
        listen(monitor, paths.monitor),
        listen(guestAgent, paths.guestAgent),
        listen(commandOutput, paths.commandOutput),
      ]);
    } catch (cause) {
      sockets.close();
      throw new MachineError(`cannot make vmtest's sockets: ${(cause as Error).message}`, {
        cause,
        hint: 'vmtest has them in /tmp: see that there is room, and that this user can write there',
      });
    }
    return sockets;
  }

  /** Lets the guest's agent answer from now on. vmtest's requests are done at once, but its command never ends. */
  agentIsThere(): void {
    this.#isAgentThere = true;
  }

  /** Removes the sockets. */
  close(): void {
    for (const server of Object.values(this.#servers)) server.close();
  }
}

function serve(onConnection: (connection: Socket) => void): Server {
  const server = createServer((connection) => {
    connection.on('error', () => {}); // vmtest was killed.
    onConnection(connection);
  });
  return server.unref();
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

const greeting = {
  QMP: { version: { qemu: { major: 0, minor: 0, micro: 0 }, package: 'bpfgate' }, capabilities: [] },
};

function reply(connection: Socket, message: unknown): void {
  connection.write(`${JSON.stringify(message)}\n`);
}

function answerLines(connection: Socket, answerTo: (request: Request) => unknown): void {
  const lines = createInterface({ input: connection });
  lines.on('error', () => {}); // It passes the connection's on.
  lines.on('line', (line) => {
    // A sync may be preceded by a byte that resets the parser.
    const request = parse(line.slice(line.indexOf('{')));
    const answer = request === undefined ? undefined : answerTo(request);
    if (answer !== undefined) reply(connection, { return: answer });
  });
}

/** @returns undefined for requests that are not answered */
function answerForAgent(request: Request): unknown {
  switch (request.execute) {
    case 'guest-sync':
      return request.arguments?.id;
    case 'guest-info':
      return { version: '0.0.0', supported_commands: [] };
    case 'guest-exec':
      // vmtest runs nothing but its command with bash.
      return request.arguments?.path === 'bash' ? undefined : { pid: 1 };
    case 'guest-exec-status':
      return { exited: true, exitcode: 0 };
    default:
      return undefined;
  }
}

interface Request {
  readonly execute?: string;
  readonly arguments?: { readonly id?: number; readonly path?: string };
}

function parse(text: string): Request | undefined {
  try {
    return JSON.parse(text) as Request;
  } catch {
    return undefined;
  }
}

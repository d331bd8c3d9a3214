// vmtest does not go on before qemu-guest-agent has answered from inside the guest, asks it to mount the shared folder
// and to start the command, and then asks it again and again whether the command has ended. bpfgate's guest starts its
// agent by itself; so the host gives these answers, and neither a second agent nor its interrupts are in the guest.

import { createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * Answers vmtest at the socket it takes for the guest agent's, until the server is closed. Everything vmtest asks for is
 * done at once; only its command, which it runs by bash, never ends: the host ends the VM.
 *
 * Source: QEMU Guest Agent Protocol Reference; src/qga.rs and src/qemu.rs of vmtest 0.18.
 *
 * @throws Error when the socket cannot be made
 */
export async function answerVmtest(socket: string): Promise<Server> {
  const server = createServer((connection) => {
    connection.on('error', () => {}); // vmtest was killed.
    createInterface({ input: connection }).on('line', (line) => {
      const answer = answerTo(line);
      if (answer !== undefined) connection.write(`${JSON.stringify({ return: answer })}\n`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  server.unref();
  return server;
}

/** @returns undefined for what is not answered */
function answerTo(line: string): unknown {
  // A sync may be preceded by a byte that resets the parser.
  const request = parse(line.slice(line.indexOf('{')));
  switch (request?.execute) {
    case 'guest-sync':
      return request.arguments?.id;
    case 'guest-info':
      return { version: '0.0.0', supported_commands: [] };
    case 'guest-exec':
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

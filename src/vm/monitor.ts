// Guest: QEMU's monitor (QMP), as far as saving a machine needs it.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';

/**
 * A connection to QEMU's monitor.
 *
 * Source: QEMU Machine Protocol Specification: one JSON object per line; `return` or `error` answers a command, `event`
 * may come in between.
 */
export class Monitor {
  readonly #socket: Socket;
  readonly #reader: Interface;
  readonly #lines: AsyncIterator<string>;
  readonly #until: AbortSignal | undefined;

  private constructor(socket: Socket, until: AbortSignal | undefined) {
    this.#socket = socket;
    this.#reader = createInterface({ input: socket });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    this.#until = until;
    until?.addEventListener('abort', () => this.#reader.close(), { once: true });
  }

  /**
   * @param until ends the waiting for answers when it aborts; default: answers may take any time
   * @throws Error when nothing listens at the socket, or the listener is not a monitor or has not answered by then
   */
  static async open(socket: string, until?: AbortSignal): Promise<Monitor> {
    const monitor = new Monitor(await connectTo(socket), until);
    try {
      await monitor.#nextLine(); // The greeting.
      await monitor.execute('qmp_capabilities');
      return monitor;
    } catch (error) {
      monitor.close();
      throw error;
    }
  }

  /** @throws Error with QEMU's description when the command fails; also when the connection ends, or the time is up */
  async execute(command: string, given: Record<string, unknown> = {}): Promise<unknown> {
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: given })}\n`);
    for (;;) {
      const { value, done } = await this.#nextLine();
      if (this.#until?.aborted) throw new Error(`QEMU's monitor did not answer ${command}`);
      if (done === true) throw new Error(`QEMU ended during ${command}`);
      const answer = JSON.parse(value) as { return?: unknown; error?: { desc: string } };
      if (answer.error !== undefined) throw new Error(`${command}: ${answer.error.desc}`);
      if (answer.return !== undefined) return answer.return;
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  async #nextLine(): Promise<IteratorResult<string>> {
    const end = { value: undefined, done: true } as const;
    if (this.#until?.aborted) return end;
    // A QEMU that is killed before it has read a command resets the connection.
    return this.#lines.next().catch(() => end);
  }
}

/**
 * Saves a machine to a file and lets it continue, whether that worked or not.
 *
 * @param socket absolute path at which QEMU hands over the machine, because QEMU may not write files of the cache
 * @throws Error when it could not be saved
 */
export async function saveMachine(monitor: Monitor, file: string, socket: string): Promise<void> {
  const server = createServer().listen(socket);
  const written = once(server, 'connection').then(([connection]) => pipeline(connection, createWriteStream(file)));
  written.catch(() => {}); // The error is reported where `written` is awaited.
  try {
    await once(server, 'listening');
    // QEMU stops the machine for the last part. A machine that had been stopped before would start stopped.
    // In bytes per second; the default suits a network.
    await monitor.execute('migrate-set-parameters', { 'max-bandwidth': 100e9 });
    await monitor.execute('migrate', { uri: `unix:${socket}` });
    for (;;) {
      const state = (await monitor.execute('query-migrate')) as { status: string; 'error-desc'?: string };
      if (state.status === 'completed') return await written;
      if (state.status === 'failed' || state.status === 'cancelled') {
        throw new Error(state['error-desc'] ?? `saving ${state.status}`);
      }
      await setTimeout(20);
    }
  } finally {
    server.close();
    await monitor.execute('cont');
  }
}

/**
 * Waits until a machine that is being restored runs. Anything sent to its devices before that is lost.
 *
 * @throws Error when QEMU ends instead, the machine comes back stopped, or the monitor's time is up
 */
export async function waitUntilRunning(monitor: Monitor): Promise<void> {
  for (;;) {
    const { status } = (await monitor.execute('query-status')) as { status: string };
    if (status === 'running') return;
    if (status !== 'inmigrate') throw new Error(`the machine is ${status}`);
    await setTimeout(5);
  }
}

/** @throws Error when nothing listens there */
export async function connectTo(socket: string): Promise<Socket> {
  const connection = connect(socket);
  await new Promise<void>((resolve, reject) => {
    connection.once('connect', resolve);
    connection.once('error', reject);
  });
  connection.on('error', () => {}); // QEMU has ended; a command that waits for an answer sees the end.
  return connection;
}

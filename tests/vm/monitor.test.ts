import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Monitor, waitUntilRunning } from '../../src/vm/monitor.ts';

/** Listens in QEMU's place and answers as `onConnection` does. Returns the socket's path. */
async function listen(onConnection: (connection: Socket) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-test-'));
  const socket = join(folder, 'monitor.sock');
  const server = createServer((connection) => onConnection(connection.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return socket;
}

const greeting = '{"QMP": {"version": {}, "capabilities": []}}\n';

test('a QEMU that accepts the connection but sends no greeting times out', async () => {
  const socket = await listen((connection) => connection.resume());
  const opened = Monitor.open(socket, AbortSignal.timeout(100));
  await expect(opened).rejects.toThrow("QEMU's monitor did not answer qmp_capabilities");
  await expect(Monitor.open(socket, AbortSignal.abort())).rejects.toThrow("QEMU's monitor did not answer");
});

test('a QEMU that sends only events times out', async () => {
  const socket = await listen((connection) => {
    connection.write(greeting);
    connection.once('data', () => {
      connection.write('{"return": {}}\n');
      connection.resume();
      const timer = setInterval(() => connection.write('{"event": "RESUME"}\n'), 10);
      connection.on('close', () => clearInterval(timer));
    });
  });
  const monitor = await Monitor.open(socket, AbortSignal.timeout(500));
  await expect(waitUntilRunning(monitor)).rejects.toThrow("QEMU's monitor did not answer query-status");
  monitor.close();
});

test('a machine that does not start to run times out', async () => {
  const socket = await listen((connection) => {
    connection.write(greeting);
    connection.on('data', () => connection.write('{"return": {"status": "inmigrate"}}\n'));
  });
  const monitor = await Monitor.open(socket, AbortSignal.timeout(300));
  await expect(waitUntilRunning(monitor)).rejects.toThrow("QEMU's monitor did not answer query-status");
  monitor.close();
});

test('a QEMU that has ended is distinguished from a slow one', async () => {
  const socket = await listen((connection) => connection.resume().end(greeting));
  await expect(Monitor.open(socket)).rejects.toThrow('QEMU ended during qmp_capabilities');
});

test('a QEMU killed with an unread command is reported as ended, not as a connection error', async () => {
  const socket = await listen((connection) => {
    connection.write(greeting);
    connection.once('readable', () => setTimeout(() => connection.destroy(), 20));
  });
  await expect(Monitor.open(socket)).rejects.toThrow('QEMU ended during qmp_capabilities');
});

test('an answer after events is found, and an error has QEMU’s description', async () => {
  const socket = await listen((connection) => {
    connection.write(greeting);
    connection.on('data', (chunk) => {
      const failed = String(chunk).includes('migrate');
      connection.write('{"event": "RESUME"}\n');
      connection.write(failed ? '{"error": {"class": "GenericError", "desc": "no"}}\n' : '{"return": {}}\n');
    });
  });
  const monitor = await Monitor.open(socket);
  expect(await monitor.execute('query-status')).toEqual({});
  await expect(monitor.execute('migrate')).rejects.toThrow('migrate: no');
  monitor.close();
});

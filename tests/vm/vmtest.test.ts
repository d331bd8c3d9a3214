import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { qemuWrapper } from '../../src/vm/start.ts';
import { findSockets, serve, startVmtest } from '../../src/vm/vmtest.ts';
import { boot } from './boot-fixture.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('vmtest is given the wrapper, and a command that waits for the end of QEMU', async () => {
  const { argv } = await startVmtest({ ...boot, runFolder: folder });
  expect(argv).toEqual(['vmtest', '--config', join(folder, 'vmtest.toml')]);
  const target = { kernel: '/cache/vmlinux', qemu_command: qemuWrapper, command: '-' };
  expect(parse(await readFile(join(folder, 'vmtest.toml'), 'utf8'))).toMatchObject({ target: [target] });
});

test('its sockets are found among its arguments; others are an error', () => {
  const given = ['-qmp', 'unix:/tmp/qmp-1.sock,server=on', '-chardev', 'socket,path=/tmp/qga-2.sock,server=on,id=qga0'];
  expect(findSockets(given.join('\0'))).toEqual({ monitor: '/tmp/qmp-1.sock', guestAgent: '/tmp/qga-2.sock' });
  const others = given.map((argument) => argument.replace('/tmp/qga-', '/run/qga-'));
  expect(() => findSockets(others.join('\0'))).toThrow('vmtest gives QEMU no socket /tmp/qga-*.sock');
});

describe('vmtest gets answers', () => {
  const ask = (socket: string) => {
    const client = connect(socket);
    const lines = createInterface({ input: client })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value as string) as unknown;
    const send = (text: string) => client.write(`${text}\n`);
    const request = (message: object) => {
      send(JSON.stringify(message));
      return next();
    };
    return { client, next, send, request };
  };
  let servers: readonly Server[];
  const paths = () => ({ monitor: join(folder, 'qmp.sock'), guestAgent: join(folder, 'qga.sock') });
  beforeAll(async () => {
    servers = await serve(paths());
  });

  test('as from QEMU’s monitor, before QEMU is there', async () => {
    const { client, next, request } = ask(paths().monitor);
    expect(await next()).toMatchObject({ QMP: { version: { qemu: { major: 0 } }, capabilities: [] } });
    expect(await request({ execute: 'qmp_capabilities' })).toEqual({ return: {} });
    client.destroy();
  });

  test('as from a guest agent in which every program succeeds', async () => {
    const { client, request } = ask(paths().guestAgent);
    expect(await request({ execute: 'guest-sync', arguments: { id: 77 } })).toEqual({ return: 77 });
    expect(await request({ execute: 'guest-info' })).toMatchObject({ return: { version: '0.0.0' } });
    const program = { execute: 'guest-exec', arguments: { path: 'mkdir' } };
    expect(await request(program)).toMatchObject({ return: { pid: 1 } });
    const status = { execute: 'guest-exec-status', arguments: { pid: 1 } };
    expect(await request(status)).toMatchObject({ return: { exited: true, exitcode: 0 } });
    client.destroy();
  });

  test('also if it disconnects before the answer', async () => {
    for (let times = 0; times < 30; times++) {
      for (const path of [paths().monitor, paths().guestAgent]) {
        const client = connect(path).on('error', () => {});
        await once(client, 'connect');
        for (let asked = 0; asked < 5; asked++) client.write('{"execute":"guest-info"}\n');
        if (times % 2 === 0) await setImmediate();
        client.destroy();
      }
    }
    const { client, request } = ask(paths().guestAgent);
    expect(await request({ execute: 'guest-sync', arguments: { id: 79 } })).toEqual({ return: 79 });
    client.destroy();
  });

  test('at sockets that are all removed if one cannot be created', async () => {
    const inUse = { ...paths(), monitor: join(folder, 'other.sock') };
    await expect(serve(inUse)).rejects.toThrow(/^cannot make vmtest's sockets: listen EADDRINUSE/);
    expect(existsSync(inUse.monitor)).toBe(false);
    expect(existsSync(inUse.guestAgent)).toBe(true); // Another's.
  });

  test('at sockets that are removed at the end', () => {
    for (const server of servers) server.close();
    expect(Object.values(paths()).filter((path) => existsSync(path))).toEqual([]);
  });
});

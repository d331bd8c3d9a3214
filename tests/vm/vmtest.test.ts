import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { run } from '../../src/adapters/process.ts';
import { type Boot, type BootEnd, checkPaths, lostGuest } from '../../src/vm/boot.ts';
import { machineArguments } from '../../src/vm/machine.ts';
import { addSnapshot, findSnapshot, removeSnapshot, snapshotOf } from '../../src/vm/snapshot.ts';
import { renderTiming, TimeLine } from '../../src/vm/timing.ts';
import { prepareStart, vmtestConfig } from '../../src/vm/vmtest.ts';
import { findVmtestPaths, VmtestSockets } from '../../src/vm/vmtest-sockets.ts';
import { boot } from './boot-fixture.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('vmtest.toml names the image and one virtual CPU under icount', () => {
  const config = parse(vmtestConfig(boot)) as { target: [{ vm: { extra_args: string[] } }] };
  expect(config.target[0]).toMatchObject({ kernel: '/cache/vmlinux', vm: { num_cpus: 1, memory: '2048M' } });
  expect(config.target[0].vm.extra_args.join(' ')).toContain('-icount shift=0,sleep=off,align=off');
});

test('under icount there is one CPU model, and the guest has no other clock', () => {
  const { cpuModel, kernel } = machineArguments('tcg-icount');
  expect(cpuModel).not.toMatch(/^(max|host)$/);
  expect(kernel).toEqual(expect.arrayContaining(['tsc=reliable', 'hpet=disable', 'pmtmr=0', 'nokaslr', 'norandmaps']));
});

test('under emulation a kernel without ACPI gets the address of the PM timer', () => {
  expect(machineArguments('tcg').kernel).toContain('pmtmr=0x608');
  expect(machineArguments('tcg-icount').kernel).not.toContain('pmtmr=0x608');
});

test('several CPUs are separate sockets, a single one is unchanged', () => {
  const argumentsOf = (cpus: number) => {
    const config = parse(vmtestConfig({ ...boot, cpus })) as { target: [{ vm: { extra_args: string[] } }] };
    return config.target[0].vm.extra_args.join(' ');
  };
  expect(argumentsOf(3)).toContain('-smp sockets=3');
  expect(argumentsOf(1)).not.toContain('-smp');
});

test('a start finds nothing in its run folder from an earlier guest', async () => {
  const runFolder = join(folder, 'run');
  const own = join(folder, 'own');
  await mkdir(join(runFolder, 'output'), { recursive: true });
  for (const name of ['plan.json', 'kernel.config', 'key']) await writeFile(join(runFolder, name), '{}');
  await writeFile(own, 'of the host');
  for (const name of ['vmtest.toml', 'access.json', 'qemu.stderr']) await symlink(own, join(runFolder, name));
  await writeFile(join(runFolder, 'status.json'), '{"outcome":"measured"}');
  const start = { ...boot, runFolder, readable: ['/usr'] };
  await prepareStart(start);
  expect((await readdir(runFolder)).sort()).toEqual([
    'access.json',
    'kernel.config',
    'key',
    'output',
    'plan.json',
    'vmtest.toml',
  ]);
  expect(await readFile(join(runFolder, 'vmtest.toml'), 'utf8')).toBe(vmtestConfig(start));
  expect(JSON.parse(await readFile(join(runFolder, 'access.json'), 'utf8'))).toMatchObject({ read: ['/usr'] });
  expect(await readFile(own, 'utf8')).toBe('of the host');
});

test.each(['/a b', '/a,b', '/a"b', "/a'b", '/a$b', '/a`b', '/a;b'])('a path like %s is refused', (path) => {
  expect(() => checkPaths(['/good/path-1.0_x', path])).toThrow(path.slice(1, 2));
  expect(() => checkPaths(['/good/path-1.0_x'])).not.toThrow();
});

describe('the wrapper between vmtest and QEMU', () => {
  /** The arguments that vmtest 0.18 passes on a machine with /dev/kvm. */
  const given = [
    ...['-nodefaults', '-display', 'none', '-serial', 'mon:stdio', '-enable-kvm', '-cpu', 'host'],
    ...['-qmp', 'unix:/tmp/qmp-1.sock,server=on,wait=off'],
    ...['-chardev', 'socket,path=/tmp/qga-2.sock,server=on,wait=off,id=qga0'],
    ...['-device', 'virtio-serial', '-device', 'virtserialport,chardev=qga0,name=org.qemu.guest_agent.0'],
    ...['-device', 'virtio-serial', '-chardev', 'socket,path=/tmp/cmdout-3.sock,server=on,wait=off,id=cmdout'],
    ...['-device', 'virtserialport,chardev=cmdout,name=org.qemu.virtio_serial.0'],
    ...['-virtfs', 'local,id=root,path=/,mount_tag=/dev/root,security_model=none,multidevs=remap'],
    ...['-kernel', '/k', '-append', 'rw init=/tmp/vmtest-init1.sh panic=-1'],
    ...['-virtfs', 'local,id=shared,path=/run,mount_tag=vmtest-shared,security_model=none,multidevs=remap'],
    ...['-cpu', 'Nehalem'],
  ];
  /** Starts a wrapper as bpfgate does through vmtest: its console bypasses what is vmtest's standard output. */
  const start = (wrapper: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
    run('bash', ['-c', '"$@" 3>&1 >&2', 'bash', join(packageRoot, 'vm', wrapper), ...args], { env });
  const wrap = async (restore: string) => {
    const env = { ...process.env, BPFGATE_QEMU: '/usr/bin/echo', BPFGATE_RUN_FOLDER: folder, BPFGATE_RESTORE: restore };
    const { stdout, stderr, exitCode } = await start('qemu', given, env);
    expect([exitCode, stderr]).toEqual([0, '']);
    return stdout.trim();
  };

  test('removes KVM, the first CPU model, the init, and every socket outside the run folder', async () => {
    const passed = await wrap('');
    expect(passed).not.toMatch(/-enable-kvm|host|virtserialport|virtio-serial|init=|\/tmp\//);
    expect(passed).toContain('-cpu Nehalem');
    expect(passed).toContain('-append rw panic=-1');
  });

  test('gets sockets whose paths are found', () => {
    const paths = { monitor: '/tmp/qmp-1.sock', guestAgent: '/tmp/qga-2.sock', commandOutput: '/tmp/cmdout-3.sock' };
    expect(findVmtestPaths(given.join('\0'))).toEqual(paths);
    const others = given.map((argument) => argument.replace('/tmp/qga-', '/run/qga-'));
    expect(() => findVmtestPaths(others.join('\0'))).toThrow('vmtest gives QEMU no socket /tmp/qga-*.sock');
  });

  test('exports the root read-only, the run folder writable', async () => {
    expect(await wrap('')).toMatch(/mount_tag=\/dev\/root,security_model=none,multidevs=remap,readonly=on /);
    expect(await wrap('')).toMatch(/mount_tag=vmtest-shared,security_model=none,multidevs=remap /);
  });

  test.each(['qemu', 'virtme-ng/qemu'])('confines QEMU if the kernel supports it: vm/%s', async (wrapper) => {
    const confine = async (access: string) => {
      const own = { BPFGATE_QEMU: '/usr/bin/echo', BPFGATE_AGENT: '/usr/bin/echo', BPFGATE_ACCESS: access };
      const env = { ...process.env, ...own, BPFGATE_RUN_FOLDER: folder };
      const { stdout, stderr } = await start(wrapper, ['-nodefaults'], env);
      // virtme-ng does not capture QEMU's output: QEMU gets virtme-ng's own standard output.
      return wrapper === 'qemu' ? stdout : stderr;
    };
    expect(await confine('/run/access.json')).toMatch(/^confine \/run\/access\.json \/usr\/bin\/echo -nodefaults/);
    expect(await confine('')).toMatch(/^-nodefaults/);
  });

  test('sends the guest’s console past vmtest, which would keep all of it', async () => {
    const qemu = join(folder, 'prints');
    await writeFile(qemu, '#!/bin/sh\nprintf "a line without an end"\n', { mode: 0o755 });
    const env = { ...process.env, BPFGATE_QEMU: qemu, BPFGATE_RUN_FOLDER: folder };
    const { stdout, stderr } = await start('qemu', given, env);
    expect([stdout, stderr]).toEqual(['a line without an end', '']);
  });

  test('leaves its arguments in the run folder', async () => {
    await wrap('');
    expect((await readFile(join(folder, 'qemu.arguments'), 'utf8')).split('\0')).toEqual([...given, '', '']);
  });

  test('restores a saved machine only if requested', async () => {
    const saved = join(folder, 'machine');
    await writeFile(saved, '');
    expect(await wrap('')).not.toContain('-incoming');
    expect(await wrap(saved)).toMatch(/-incoming fd:\d+$/);
  });
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
  let sockets: VmtestSockets;
  const paths = () => ({
    monitor: join(folder, 'qmp.sock'),
    guestAgent: join(folder, 'qga.sock'),
    commandOutput: join(folder, 'cmdout.sock'),
  });
  beforeAll(async () => {
    sockets = await VmtestSockets.open(paths());
  });

  test('as from QEMU’s monitor, before QEMU is there', async () => {
    const { client, next, request } = ask(paths().monitor);
    expect(await next()).toMatchObject({ QMP: { version: { qemu: { major: 0 } }, capabilities: [] } });
    expect(await request({ execute: 'qmp_capabilities' })).toEqual({ return: {} });
    client.destroy();
  });

  test('as from a guest agent whose command never ends, once the agent is there', async () => {
    const early = ask(paths().guestAgent);
    await new Promise((resolve) => early.client.on('close', resolve));
    sockets.agentIsThere();

    const { client, send, request } = ask(paths().guestAgent);
    expect(await request({ execute: 'guest-sync', arguments: { id: 77 } })).toEqual({ return: 77 });
    expect(await request({ execute: 'guest-info' })).toMatchObject({
      return: { version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
    });
    const run = (path: string) => ({ execute: 'guest-exec', arguments: { path } });
    expect(await request(run('mkdir'))).toMatchObject({ return: { pid: 1 } });
    expect(await request({ execute: 'guest-exec-status', arguments: { pid: 1 } })).toMatchObject({
      return: { exited: true },
    });
    // The next answer is to the question after the command.
    send(`${JSON.stringify(run('bash'))}\nnot JSON`);
    expect(await request({ execute: 'guest-sync', arguments: { id: 78 } })).toEqual({ return: 78 });
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
    await expect(VmtestSockets.open(inUse)).rejects.toThrow(/^cannot make vmtest's sockets: listen EADDRINUSE/);
    expect(existsSync(inUse.monitor)).toBe(false);
    expect(existsSync(inUse.guestAgent)).toBe(true); // Another's.
  });

  test('at sockets that are removed at the end', () => {
    sockets.close();
    expect(Object.values(paths()).filter((path) => existsSync(path))).toEqual([]);
  });
});

describe('snapshots', () => {
  const versions = { qemu: 'QEMU 7.2', vmtest: '0.18.0' };

  test('have a key that depends on every part of the machine, and not on the run', async () => {
    const cache = { root: folder };
    const key = async (change: Partial<Boot>, of = versions) =>
      (await snapshotOf({ ...boot, ...change }, cache, of)).key;
    const keys = await Promise.all([
      key({}),
      key({ kernel: { ...boot.kernel, imageSha256: 'cd'.repeat(32) } }),
      key({ image: '/cache/vmlinuz' }),
      key({ accelerator: 'tcg' }),
      key({ initramfs: { file: '/cache/initramfs.cpio', sha256: '1' } }),
      key({ memoryMiB: 1024 }),
      key({}, { ...versions, qemu: 'QEMU 10.0' }),
      key({}, { ...versions, vmtest: '0.19.0' }),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
    expect(await key({ runFolder: '/tmp/other', agent: '/other/agent', timeoutMs: 1 })).toBe(keys[0]);
  });

  test('replace those of the same kernel, accelerator and memory', async () => {
    const cache = { root: join(folder, 'cache') };
    const save = (text: string) => (file: string) => writeFile(file, text);
    const first = await snapshotOf(boot, cache, versions);
    const other = await snapshotOf({ ...boot, memoryMiB: 512 }, cache, versions);
    const second = await snapshotOf(boot, cache, { ...versions, qemu: 'QEMU 10.0' });
    await addSnapshot(first, save('first'));
    await addSnapshot(other, save('other'));
    await addSnapshot(second, save('second'));
    expect(findSnapshot(first)).toBeUndefined();
    expect(await readFile(findSnapshot(second) ?? '', 'utf8')).toBe('second');
    expect(await readFile(findSnapshot(other) ?? '', 'utf8')).toBe('other');
    await removeSnapshot(second);
    expect(findSnapshot(second)).toBeUndefined();
  });

  test('that could not be saved leave nothing', async () => {
    const cache = { root: join(folder, 'failing') };
    const snapshot = await snapshotOf(boot, cache, versions);
    const failing = addSnapshot(snapshot, () => Promise.reject(new Error('No space left on device')));
    await expect(failing).rejects.toThrow('No space left');
    expect(findSnapshot(snapshot)).toBeUndefined();
    expect(await readdir(join(cache.root, snapshot.kind))).toEqual([]);
  });
});

describe('stages of a boot', () => {
  test('are read from the console and the run folder', async () => {
    const runFolder = await mkdtemp(join(folder, 'run-'));
    const timeLine = new TimeLine(runFolder);
    await writeFile(join(runFolder, 'qemu.arguments'), 'x');
    timeLine.look();
    timeLine.read('[    0.000000] Linux version 6.1.0');
    timeLine.read('[    0.500000] Run /init as init process');
    timeLine.read('bpfgate-initramfs: start signal received');
    timeLine.read('bpfgate-initramfs: starting the agent');
    await writeFile(join(runFolder, 'records.jsonl'), '{}');
    timeLine.look();
    await writeFile(join(runFolder, 'status.json'), '{}');
    timeLine.look();
    timeLine.end();
    const stages = timeLine.stages().map(({ stage }) => stage);
    const all = ['runner', 'firmware', 'kernel', 'initramfs', 'init', 'agent', 'command', 'shutdown'];
    expect(stages).toEqual(all);
    expect(
      renderTiming(timeLine.stages())
        .split('\n')
        .map((line) => line.trim().split(/\s/)[0]),
    ).toEqual([...all, 'total']);
  });

  test('have no kernel if a saved machine was restored', async () => {
    const runFolder = await mkdtemp(join(folder, 'run-'));
    const timeLine = new TimeLine(runFolder);
    await writeFile(join(runFolder, 'qemu.arguments'), 'x');
    timeLine.look();
    timeLine.read('bpfgate-initramfs: start signal received');
    timeLine.look();
    expect(timeLine.stages().map(({ stage }) => stage)).toEqual(['runner', 'restore', 'init']);
  });
});

describe('a lost guest', () => {
  const end: BootEnd = {
    status: undefined,
    timedOut: false,
    exitCode: 0,
    panic: undefined,
    consoleTail: [],
    timing: [],
  };

  test('panicked, timed out, or ended', () => {
    expect(lostGuest(boot, { ...end, panic: '' }).message).toMatch(/^the guest of kernel \S+ panicked$/);
    expect(lostGuest(boot, { ...end, panic: 'Fatal exception' }).message).toMatch(/ panicked: Fatal exception$/);
    const late = lostGuest(boot, { ...end, timedOut: true });
    expect(late.message).toContain('did not finish within its 1 s');
    expect(late.hint).toMatch(/^raise the limit with --timeout \(input timeout\);/);
    expect(lostGuest(boot, end).hint).not.toContain('--timeout');
    expect(lostGuest(boot, end).message).toContain('ended before the guest agent had finished');
  });

  test('shows the error of the initramfs', () => {
    const consoleTail = [
      "bpfgate-initramfs: cannot mount the host's root over 9p: does the kernel have 9p and virtio?",
      'reboot',
    ];
    const error = lostGuest(boot, { ...end, consoleTail });
    expect(error.message).toContain("cannot mount the host's root over 9p");
    expect(error.consoleTail).toEqual(consoleTail);
  });
});

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../src/adapters/process.ts';
import { prepareStart, qemuWrapper } from '../../src/vm/start.ts';
import { boot } from './boot-fixture.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function prepare(name: string, readable: readonly string[] | null, qemu = '/usr/bin/echo') {
  const start = { ...boot, runFolder: join(folder, name), readable, agent: '/usr/bin/echo', qemu };
  await mkdir(start.runFolder, { recursive: true });
  await prepareStart(start, false);
  return start;
}

/** Starts the wrapper as a runner does, with its console past the runner's standard output. */
async function wrap(runFolder: string, args: readonly string[] = [], restore = '') {
  const own = { BPFGATE_QEMU: '/usr/bin/echo', BPFGATE_RUN_FOLDER: runFolder, BPFGATE_RESTORE: restore };
  const argv = ['-c', '"$@" 3>&1 >&2', 'bash', qemuWrapper, ...args];
  return await run('bash', argv, { env: { ...process.env, ...own } });
}

test('a start finds nothing in its run folder from an earlier guest', async () => {
  const runFolder = join(folder, 'run');
  const own = join(folder, 'own');
  await mkdir(join(runFolder, 'output'), { recursive: true });
  for (const name of ['plan.json', 'kernel.config']) await writeFile(join(runFolder, name), '{}');
  await writeFile(own, 'of the host');
  for (const name of ['qemu.command', 'access.json', 'qemu.stderr']) await symlink(own, join(runFolder, name));
  await writeFile(join(runFolder, 'status.json'), '{"outcome":"measured"}');
  await prepare('run', ['/usr']);
  expect((await readdir(runFolder)).sort()).toEqual([
    'access.json',
    'kernel.config',
    'output',
    'plan.json',
    'qemu.command',
  ]);
  const access = JSON.parse(await readFile(join(runFolder, 'access.json'), 'utf8'));
  expect(access).toMatchObject({ read: ['/usr'], write: [runFolder] });
  expect(await readFile(own, 'utf8')).toBe('of the host');
});

describe('what a runner starts as QEMU', () => {
  test("becomes the host's command, whatever the runner describes, and leaves the runner's arguments", async () => {
    const { runFolder } = await prepare('wrapped', null);
    const { stdout, stderr, exitCode } = await wrap(runFolder, ['-enable-kvm', '-append', 'init=/tmp/x.sh']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^-nodefaults .*-append earlyprintk=/);
    expect(stdout).not.toMatch(/enable-kvm|init=/);
    const given = await readFile(join(runFolder, 'runner.arguments'), 'utf8');
    expect(given).toBe('-enable-kvm\0-append\0init=/tmp/x.sh\0\0');
  });

  test('is confined if the kernel supports it', async () => {
    const { runFolder } = await prepare('confined', ['/usr']);
    const { stdout } = await wrap(runFolder);
    expect(stdout).toContain(`confine ${join(runFolder, 'access.json')} /usr/bin/echo -nodefaults`);
  });

  test('has the guest’s console go past the runner, and the snapshot on descriptor 9', async () => {
    const qemu = join(folder, 'prints');
    await writeFile(qemu, '#!/bin/sh\nprintf "a line without an end"; cat <&9; echo no luck >&2\n', { mode: 0o755 });
    const saved = join(folder, 'machine');
    await writeFile(saved, ', saved');
    const { runFolder } = await prepare('console', null, qemu);
    const { stdout, stderr } = await wrap(runFolder, [], saved);
    expect([stdout, stderr]).toEqual(['a line without an end, saved', '']);
    expect(await readFile(join(runFolder, 'qemu.stderr'), 'utf8')).toBe('no luck\n');
  });

  test('answers a runner that asks for its version', async () => {
    expect((await wrap(folder, ['--version'])).stderr).toContain('echo');
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, statfs, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runOrThrow } from '../../src/adapters/process.ts';
import { VmError } from '../../src/common/errors.ts';
import { limitRunFolder } from '../../src/vm/run-folder-limit.ts';

const readlink = vi.hoisted(() => ({ fail: undefined as ((path: unknown) => boolean) | undefined }));
vi.mock('node:fs', async (importActual) => {
  const fs = await importActual<typeof import('node:fs')>();
  const readlinkSync = (path: string) => {
    if (readlink.fail?.(path) === true) throw Object.assign(new Error(`EACCES, ${path}`), { code: 'EACCES' });
    return fs.readlinkSync(path);
  };
  return { ...fs, readlinkSync };
});

let folder: string;
let clock = 0;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'bpfgate-limit-')));
  clock = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** Starts a program that works in the folder, as QEMU does, and keeps running after its script. */
async function startProgram(script: string): Promise<ChildProcess> {
  const program = spawn('bash', ['-c', `${script}; echo done; read`], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  await once(program.stdout, 'data');
  return program;
}

/** Checks the folder once the interval has passed. */
async function look(limits?: Parameters<typeof limitRunFolder>[2]): Promise<void> {
  const check = limitRunFolder(folder, '6.1', limits);
  clock += 1000;
  await check();
}

describe('the run folder of a guest', () => {
  test("can hold an agent's files", async () => {
    await mkdir(join(folder, 'output'));
    await writeFile(join(folder, 'output', 'a.stdout'), Buffer.alloc(900 * 1024));
    await expect(look({ maxMiB: 1 })).resolves.toBeUndefined();
  });

  test('is summed over all its folders', async () => {
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await writeFile(join(folder, 'a', 'one'), Buffer.alloc(700 * 1024, 1));
    await writeFile(join(folder, 'a', 'b', 'two'), Buffer.alloc(700 * 1024, 1));
    const error = await look({ maxMiB: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VmError);
    expect(error).toMatchObject({ message: 'the guest of kernel 6.1 wrote more than 1 MiB to its run folder' });
  });

  test('counts only the written part of a file with a hole', async () => {
    await writeFile(join(folder, 'records.jsonl'), 'x');
    await truncate(join(folder, 'records.jsonl'), 2 ** 40);
    await expect(look()).resolves.toBeUndefined();
  });

  test('counts no target of a link', async () => {
    await symlink('/usr', join(folder, 'link'));
    await expect(look({ maxMiB: 1 })).resolves.toBeUndefined();
  });

  test('has a limit for the number of files, including folders and links', async () => {
    await mkdir(join(folder, 'a'));
    for (let index = 0; index < 99; index += 1) await symlink('x', join(folder, 'a', String(index)));
    await expect(look({ maxFiles: 100 })).resolves.toBeUndefined();
    await symlink('x', join(folder, 'a', 'last'));
    await expect(look({ maxFiles: 100 })).rejects.toThrow(
      'the guest of kernel 6.1 left more than 100 files in its run folder',
    );
  });

  test('is refused if files are nested deeper than the longest path', async () => {
    // Made by a shell, whose commands name one folder each.
    const nest = 'n=$(printf %0200d 0); for i in $(seq 30); do mkdir $n; cd -P ./$n; done; : >bottom';
    await runOrThrow('sh', ['-c', nest], { cwd: folder });
    const error = await look().catch((thrown: unknown) => thrown);
    await runOrThrow('rm', ['-r', join(folder, '0'.repeat(200))]);
    expect(error).toBeInstanceOf(VmError);
    expect(error).toMatchObject({
      message: 'the guest of kernel 6.1 left files that cannot be counted in its run folder (ENAMETOOLONG)',
    });
  });

  test('counts files whose names are not text', async () => {
    const bytes = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x61, 0xff])]);
    await mkdir(bytes);
    await writeFile(Buffer.concat([bytes, Buffer.from('/'), Buffer.from([0xfe])]), Buffer.alloc(2 ** 21, 1));
    await expect(look({ maxMiB: 1 })).rejects.toThrow('wrote more than 1 MiB');
    await runOrThrow('rm', ['-r', folder]);
    await mkdir(folder);
  });

  test('counts a deleted file once, as long as a program of the guest has it open', async () => {
    const program = await startProgram('exec 3>x 4>>x; rm x; head -c 1500000 /dev/zero >&3');
    await expect(look({ maxMiB: 1 })).rejects.toThrow('wrote more than 1 MiB to its run folder');
    await expect(look({ maxMiB: 2 })).resolves.toBeUndefined();
    program.stdin?.end();
    await once(program, 'exit');
    await expect(look({ maxMiB: 1 })).resolves.toBeUndefined();
  });

  test('counts an existing open file once', async () => {
    await startProgram('exec 3>x; head -c 1500000 /dev/zero >&3');
    await expect(look({ maxMiB: 2 })).resolves.toBeUndefined();
  });

  test('counts a deleted file with a path that is too long', async () => {
    const nest = 'n=$(printf %0200d 0); for i in $(seq 30); do mkdir $n; cd -P ./$n; done';
    await startProgram(`top=$PWD; ${nest}; exec 3>x; cd -P $top; rm -r 0*; head -c 2097152 /dev/zero >&3`);
    await expect(look({ maxMiB: 1 })).rejects.toThrow('wrote more than 1 MiB to its run folder');
  });

  test('has a limit for the number of deleted files, too', async () => {
    await startProgram('for i in $(seq 20); do exec {fd}>x$i; done; rm x*');
    await expect(look({ maxFiles: 10 })).rejects.toThrow('left more than 10 files');
  });

  // The kernel refuses a program's links to its own user between its end and its removal. Too short to hit at will.
  test('is checked without an error if a program ends during the check', async () => {
    await startProgram('exec 3>gone; rm gone');
    const refuse = vi.fn((path: unknown) => /^\/proc\/\d+\/fd\//.test(String(path)));
    readlink.fail = refuse;
    onTestFinished(() => {
      readlink.fail = undefined;
    });
    await expect(look()).resolves.toBeUndefined();
    expect(refuse).toHaveReturnedWith(true);
  });

  test('has a limit for repeated writes, though little of them is left', async ({ skip }) => {
    const inMemory = 0x01021994;
    if ((await statfs(folder)).type === inMemory)
      skip('the temporary folder is in memory: nothing counts what is written');
    const again = 'head -c 1000000 /dev/zero >x; sync x;';
    await startProgram(`for i in 1 2 3; do ${again} done`);
    await expect(look({ maxMiB: 1 })).resolves.toBeUndefined();
    await startProgram(`for i in 1 2 3; do ${again} done`);
    await expect(look({ maxMiB: 1 })).rejects.toThrow('wrote more than 4 MiB, again and again, to its run folder');
  });

  test('is checked at most once a second', async () => {
    const check = limitRunFolder(folder, '6.1', { maxMiB: 1 });
    await writeFile(join(folder, 'full'), Buffer.alloc(2 ** 21, 1));
    clock += 999;
    await expect(check()).resolves.toBeUndefined();
    clock += 1;
    await expect(check()).rejects.toThrow('more than 1 MiB');
  });

  test('is checked again after two seconds, however long the check took', async () => {
    const check = limitRunFolder(folder, '6.1', { maxMiB: 1 });
    const calls = [1000, 61_000];
    vi.mocked(performance.now).mockImplementation(() => calls.shift() ?? clock);
    await check();
    await writeFile(join(folder, 'full'), Buffer.alloc(2 ** 21, 1));
    clock = 62_999;
    await expect(check()).resolves.toBeUndefined();
    clock = 63_000;
    await expect(check()).rejects.toThrow('more than 1 MiB');
  });

  test("is not an error if it is missing: the guest's runner reports that", async () => {
    const check = limitRunFolder(join(folder, 'gone'), '6.1');
    clock += 1000;
    await expect(check()).resolves.toBeUndefined();
  });
});

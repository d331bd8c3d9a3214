import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { run } from '../../src/adapters/process.ts';
import { MachineError, VmError } from '../../src/common/errors.ts';
import type { BootEnd } from '../../src/vm/boot.ts';
import { TimeLine } from '../../src/vm/timing.ts';
import { explainFailure, runVirtmeNg, virtmeArguments } from '../../src/vm/virtme-ng.ts';
import { boot } from './boot-fixture.ts';

const { pin } = boot.kernel;
const ended: BootEnd = {
  status: undefined,
  timedOut: false,
  exitCode: 255,
  panic: undefined,
  consoleTail: [],
  timing: [],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the arguments of virtme-run', () => {
  const given = virtmeArguments(boot, '/cache/virtme-ng/x/vmlinux', '/tmp/initramfs').join(' ');

  test('have the image, one virtual CPU under icount and its clock', () => {
    expect(given).toContain('--kimg /cache/virtme-ng/x/vmlinux --mods auto');
    expect(given).toContain('--cpus 1 --memory 2048M');
    expect(given).toContain('-icount shift=0,sleep=off,align=off');
    expect(given).toContain('--kopt=tsc=reliable --kopt=tsc_early_khz=1000000');
    expect(given).toMatch(/-cpu Nehalem$/);
  });

  test('leave virtme-ng no choice of accelerator, file server or network', () => {
    expect(given).toContain('--disable-kvm --force-9p');
    expect(given).not.toMatch(/--net|--rw /);
    const kvm = virtmeArguments({ ...boot, accelerator: 'kvm' }, '/k', '/i').join(' ');
    expect(kvm).toMatch(/--disable-kvm .*--qemu-opts .*-accel kvm -cpu host$/);
  });

  test('export the root read-only, the run folder writable', () => {
    expect(given).toContain('path=/,security_model=none,readonly=on');
    expect(given).toContain('--rwdir /run/bpfgate=/tmp/run');
  });

  test('have no modules for a kernel without any', () => {
    const without = { ...boot, kernel: { ...boot.kernel, modulesRoot: undefined } };
    expect(virtmeArguments(without, '/k', '/i').join(' ')).toContain('--mods none');
  });
});

describe('a guest that left no status', () => {
  test('panicked, which virtme-run reports as 255', () => {
    const error = explainFailure(boot, { ...ended, panic: 'Fatal exception' }, true, undefined);
    expect(error).toBeInstanceOf(VmError);
    expect(error.message).toBe(`the guest of kernel ${pin.id} panicked: Fatal exception`);
  });

  test('could not be set up for the agent', () => {
    const consoleTail = ['bpfgate-virtme-ng: cannot mount overlayfs: does the kernel have it?'];
    expect(explainFailure(boot, { ...ended, consoleTail }, true, undefined).message).toMatch(
      /ended before the guest agent had finished: cannot mount overlayfs: does the kernel have it\?$/,
    );
  });

  test('has no 9p', () => {
    const consoleTail = [
      'Failed to mount real root.  We are stuck.',
      'Kernel panic - not syncing: Attempted to kill init!',
    ];
    expect(explainFailure(boot, { ...ended, consoleTail }, true, undefined).message).toContain('9p and virtio');
  });

  test('was never started: the last output of virtme-run is shown', () => {
    const error = explainFailure(boot, ended, false, "RuntimeError: Could not find ['modprobe']");
    expect(error).toBeInstanceOf(MachineError);
    expect(error.message).toBe(`virtme-ng could not start kernel ${pin.id}: RuntimeError: Could not find ['modprobe']`);
    expect(explainFailure(boot, ended, false, undefined).message).toMatch(/it exited with 255$/);
  });

  test('did not boot in time', () => {
    expect(explainFailure(boot, { ...ended, timedOut: true }, false, undefined).message).toContain('within its 1 s');
  });
});

test('the last line of a Python traceback is shown, and nothing is left', async () => {
  const runFolder = await mkdtemp(join(folder, 'run-'));
  const bin = await mkdtemp(join(folder, 'bin-'));
  const script = `#!/bin/sh
cat >&2 <<END
Traceback (most recent call last):
  File "run.py", line 1, in <module>
    main()
ValueError: cannot find qemu for x86_64
END
exit 1
`;
  await run('sh', ['-c', 'cat >"$0" && chmod +x "$0"', join(bin, 'virtme-run')], { input: script });
  const path = `${bin}:${process.env.PATH}`;
  const started = runVirtmeNg({ ...boot, runFolder, path, timeoutMs: 30_000 }, { root: join(folder, 'cache') });
  await expect(started).rejects.toThrow(
    `virtme-ng could not start kernel ${pin.id}: ValueError: cannot find qemu for x86_64`,
  );
  expect(await readFile(`${runFolder}-virtme-ng`).catch((error: NodeJS.ErrnoException) => error.code)).toBe('ENOENT');
});

test('the QEMU wrapper prints its version, and reports its start', async () => {
  const wrapper = join(packageRoot, 'vm', 'virtme-ng', 'qemu');
  const env = { ...process.env, BPFGATE_QEMU: '/usr/bin/echo', BPFGATE_RUN_FOLDER: folder };
  expect((await run(wrapper, ['--version'], { env })).stdout).toContain('echo');
  expect((await run(wrapper, ['-m', '64'], { env })).stdout).toBe('-m 64\n');
  expect(await readFile(join(folder, 'qemu.arguments'), 'utf8')).toBe('-m\0' + '64\0');
});

test('the stages of a boot are read from the console', () => {
  const timeLine = new TimeLine(folder);
  timeLine.read('[    0.000000] Linux version 6.1.0');
  timeLine.read('[    1.466155] Run /init as init process');
  timeLine.read('[    1.790143] virtme initramfs: done; switching to real root');
  timeLine.read('bpfgate-virtme-ng: starting the agent');
  const stages = timeLine.stages().map(({ stage }) => stage);
  expect(stages).toEqual(['runner', 'kernel', 'initramfs', 'init', 'agent']);
});

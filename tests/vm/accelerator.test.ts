// Fake programs stand in for QEMU and print what it would: not every machine can boot under KVM, or hang while booting.

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseAccelerator } from '../../src/vm/accelerator.ts';

let folder: string;
let device: string;
const initramfs = { file: '/initramfs.cpio', sha256: 'b'.repeat(64) };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-kvm-'));
  device = join(folder, 'kvm');
  await writeFile(device, '');
});
afterEach(() => rm(folder, { recursive: true }));

/** Chooses with a fake QEMU, which leaves its arguments in `started` and runs the commands. */
async function choose(commands: string, { deadlineMs, signal }: { deadlineMs?: number; signal?: AbortSignal } = {}) {
  const qemu = join(folder, 'qemu');
  await writeFile(qemu, `#!/bin/sh\necho "$@" >'${folder}/started'\n${commands}\n`);
  await chmod(qemu, 0o755);
  const options = { device, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
  return chooseAccelerator({ image: '/vmlinuz' }, initramfs, qemu, { signal }, options);
}

test('KVM is chosen if the kernel booted under it', async () => {
  expect(await choose('echo bpfgate-probe: booted')).toEqual({ accelerator: 'kvm', reason: null });
  expect(await readFile(join(folder, 'started'), 'utf8')).toContain(
    '-accel kvm -cpu host -kernel /vmlinuz -initrd /initramfs.cpio',
  );
});

describe('emulation is chosen', () => {
  test('without the device', async () => {
    await rm(device);
    expect(await choose('')).toEqual({ accelerator: 'tcg', reason: `there is no ${device}` });
  });

  test('if the boot fails at once', async () => {
    const { accelerator, reason } = await choose('echo "ioctl(KVM_CREATE_VM) failed: 16" >&2; exit 1');
    expect(accelerator).toBe('tcg');
    expect(reason).toBe('a probe boot under KVM failed: ioctl(KVM_CREATE_VM) failed: 16');
  });

  test('if the boot does not end in time', async () => {
    const reason = 'a probe boot under KVM did not finish within 0.3 s';
    expect(await choose('exec sleep 60', { deadlineMs: 300 })).toEqual({ accelerator: 'tcg', reason });
  });
});

test('an interrupted boot chooses nothing', async () => {
  await expect(choose('exec sleep 60', { signal: AbortSignal.timeout(200) })).rejects.toThrow();
});

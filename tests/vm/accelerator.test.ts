// Fake programs stand in for QEMU and print what it would: not every machine can boot under KVM, or hang while booting.

import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RemoteCache } from '../../src/cache/cache.ts';
import { chooseAccelerator, type ProbeOptions } from '../../src/vm/accelerator.ts';

let folder: string;
let cache: { readonly root: string; readonly remote: RemoteCache };
let device: string;
const initramfs = { file: '/initramfs.cpio', sha256: 'b'.repeat(64) };
const never: RemoteCache = {
  restore: () => Promise.reject(new Error('asked')),
  made: () => {
    throw new Error('probe failed');
  },
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-kvm-'));
  device = join(folder, 'kvm');
  await writeFile(device, '');
  cache = { root: join(folder, 'cache'), remote: never };
});
afterEach(() => rm(folder, { recursive: true }));

interface Asked extends ProbeOptions {
  readonly sha256?: string;
  readonly qemuVersion?: string;
  readonly signal?: AbortSignal;
}

/** Chooses with a fake QEMU, which adds a line to `starts` and runs the commands. */
async function choose(commands: string, { sha256, qemuVersion, signal, ...options }: Asked = {}) {
  const qemu = join(folder, 'qemu');
  await writeFile(qemu, `#!/bin/sh\necho "$@" >>'${folder}/starts'\n${commands}\n`);
  await chmod(qemu, 0o755);
  const kernel = { image: '/vmlinuz', imageSha256: sha256 ?? 'a'.repeat(64) };
  const host = { qemu, versions: { qemu: qemuVersion ?? 'QEMU emulator version 7.2.22' } };
  return chooseAccelerator(kernel, initramfs, host, { cache, signal }, { device, ...options });
}

/** Chooses with a program that never ends. */
const hang = (asked: Asked = {}) => choose('exec sleep 60', { deadlineMs: 300, ...asked });
const succeed = (asked: Asked = {}) => choose('echo bpfgate-probe: booted', asked);

async function starts(): Promise<string[]> {
  return (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n');
}

const failures = () => readdir(join(cache.root, 'kvm-failures'));
const tooSlow = 'a probe boot under KVM did not finish within 0.3 s';

describe('KVM is chosen', () => {
  test('if the kernel booted under it, and tested again for every guest', async () => {
    for (let count = 0; count < 2; count++) {
      expect(await succeed()).toEqual({ accelerator: 'kvm', reason: null });
    }
    const [first, second] = await starts();
    expect(first).toContain('-accel kvm -cpu host -kernel /vmlinuz -initrd /initramfs.cpio');
    expect(second).toBe(first);
  });
});

describe('emulation is chosen', () => {
  test('without the device', async () => {
    await rm(device);
    expect(await choose('')).toEqual({ accelerator: 'tcg', reason: `there is no ${device}` });
  });

  test('if the boot fails at once, which is not cached', async () => {
    const { accelerator, reason } = await choose('echo "ioctl(KVM_CREATE_VM) failed: 16" >&2; exit 1');
    expect(accelerator).toBe('tcg');
    expect(reason).toBe('a probe boot under KVM failed: ioctl(KVM_CREATE_VM) failed: 16');
    expect((await succeed()).accelerator).toBe('kvm');
  });

  test('if the boot times out, which is cached', async () => {
    expect(await hang()).toEqual({ accelerator: 'tcg', reason: tooSlow });
    const { accelerator, reason } = await succeed({ deadlineMs: 300 });
    expect(accelerator).toBe('tcg');
    const [name = ''] = await failures();
    expect(reason).toMatch(/^a probe boot .+, and is not tried again until \d\d:\d\d \(or `rm -r .+`\)$/);
    expect(reason).toContain(`${tooSlow}, and`);
    expect(reason).toContain(join(cache.root, 'kvm-failures', name));
    expect(await starts()).toHaveLength(1);
  });
});

describe('a boot that timed out is tried again', () => {
  beforeEach(() => hang());

  test('if the measurement needs KVM', async () => {
    expect(await hang({ remembered: false })).toEqual({ accelerator: 'tcg', reason: tooSlow });
    expect((await succeed({ remembered: false })).accelerator).toBe('kvm');
  });

  test('with another kernel or another QEMU', async () => {
    await hang({ sha256: 'c'.repeat(64) });
    await hang({ qemuVersion: 'QEMU emulator version 10.0.2' });
    expect(await starts()).toHaveLength(3);
    expect(await failures()).toHaveLength(3);
  });

  test('if the device was created again', async () => {
    const before = await stat(device);
    await rm(device);
    await writeFile(device, '');
    expect((await stat(device)).ctimeMs).not.toBe(before.ctimeMs);
    expect((await succeed()).accelerator).toBe('kvm');
  });

  test('after an hour, and old entries are removed', async () => {
    const [name = ''] = await failures();
    const entry = join(cache.root, 'kvm-failures', name);
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await utimes(entry, minutesAgo(59), minutesAgo(59));
    expect((await hang()).reason).toContain('not tried again');
    await utimes(entry, minutesAgo(61), minutesAgo(61));
    await hang({ qemuVersion: 'QEMU emulator version 10.0.2' });
    expect(await failures()).not.toContain(name);
    expect((await hang()).reason).toBe(tooSlow);
    expect(await starts()).toHaveLength(3);
  });

  test('if the clock was set back', async () => {
    const [name = ''] = await failures();
    const later = new Date(Date.now() + 5 * 60_000);
    await utimes(join(cache.root, 'kvm-failures', name), later, later);
    expect((await succeed()).accelerator).toBe('kvm');
  });

  test('if the failure could not be cached', async () => {
    await rm(cache.root, { recursive: true });
    await writeFile(cache.root, 'in the way');
    expect((await hang()).reason).toBe(tooSlow);
    expect((await hang()).reason).toBe(tooSlow);
    expect(await starts()).toHaveLength(3);
  });
});

test('an interrupted boot is not cached', async () => {
  await expect(hang({ deadlineMs: 60_000, signal: AbortSignal.timeout(200) })).rejects.toThrow();
  await expect(failures()).rejects.toMatchObject({ code: 'ENOENT' });
});

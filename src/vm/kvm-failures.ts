// Boots under KVM that took their whole deadline and did not come up, so that the next guests of this machine do not wait
// for the same again. What fails at once is not kept: to try it costs nothing.

import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cache, entryPath, publishEntry } from '../cache/cache.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
import type { Initramfs } from './initramfs.ts';

const kind = 'kvm-failures';
/** A busy host may have been the cause, and a virtual machine can be moved to a host that has KVM. */
const keptMs = 60 * 60_000;

/** What a boot under KVM depends on. */
export interface KvmBoot {
  readonly kernel: Pick<CachedKernel, 'imageSha256'>;
  readonly initramfs: Pick<Initramfs, 'sha256'>;
  /** What QEMU says of its version. */
  readonly qemuVersion: string;
  /** Absolute path of the device. */
  readonly device: string;
}

export interface KvmFailure {
  /** Absolute path of where it is or will be kept. */
  readonly path: string;
  /** Until when the boot is taken to fail; undefined when it is not, or not any more. */
  keptUntil(): Promise<Date | undefined>;
  /** Keeps that the boot has failed now. A cache that cannot be written is no harm: it will be tried again. */
  keep(): Promise<void>;
}

/**
 * The failure of a boot on this start of this machine, with the device as it is now: loading KVM anew makes it anew.
 *
 * @returns undefined where the machine does not tell one start from another, and nothing is therefore kept
 */
export async function kvmFailureOf(cache: Cache, boot: KvmBoot): Promise<KvmFailure | undefined> {
  let start: readonly (string | number)[];
  try {
    const { ino, ctimeMs } = await stat(boot.device);
    start = [await readFile('/proc/sys/kernel/random/boot_id', 'utf8'), ino, ctimeMs];
  } catch {
    return undefined;
  }
  const parts = [boot.kernel.imageSha256, boot.initramfs.sha256, boot.qemuVersion, ...start];
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  const path = entryPath(cache, kind, key);
  return {
    path,
    keptUntil: () => readKeptUntil(path),
    keep: async () => {
      await removeOld(join(cache.root, kind)).catch(() => {});
      // Of this machine only: not for a cache that machines share.
      await publishEntry({ root: cache.root }, kind, key, async () => {}).catch(() => {});
    },
  };
}

async function readKeptUntil(path: string): Promise<Date | undefined> {
  const failedMs = (await stat(path).catch(() => undefined))?.mtimeMs;
  const ageMs = failedMs === undefined ? Number.NaN : Date.now() - failedMs;
  // A clock that was set back makes none recent.
  return ageMs > -60_000 && ageMs < keptMs ? new Date(Date.now() - ageMs + keptMs) : undefined;
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if ((await readKeptUntil(path)) === undefined) await rm(path, { recursive: true, force: true });
  }
}

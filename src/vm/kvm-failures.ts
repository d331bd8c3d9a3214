// Guest: remembers boots under KVM that did not come up within their deadline, so that the next guests of this machine
// do not wait again. Immediate failures are not kept: trying again costs nothing.

import { hash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cache, entryPath, publishEntry } from '../cache/cache.ts';
import type { CachedKernel } from '../model/kernel.ts';
import type { Initramfs } from './initramfs.ts';

const kind = 'kvm-failures';
/** Time for which a failure is kept: a busy host may have caused it, or the VM may be moved to a host that has KVM. */
const keptMs = 60 * 60_000;

/** Conditions that a boot under KVM depends on. */
export interface KvmBoot {
  readonly kernel: Pick<CachedKernel, 'imageSha256'>;
  readonly initramfs: Pick<Initramfs, 'sha256'>;
  /** Version as QEMU prints it. */
  readonly qemuVersion: string;
  /** Absolute path of the device. */
  readonly device: string;
}

export interface KvmFailure {
  /** Absolute path of the failure's entry, which need not exist yet. */
  readonly path: string;
  /** Time until which the boot counts as failed; undefined when it does not. */
  keptUntil(): Promise<Date | undefined>;
  /** Keeps the failure, as of now. A cache that cannot be written is ignored: the boot will be tried again. */
  keep(): Promise<void>;
}

/**
 * The failure of a boot since this machine's last start, with the device as it is now: loading KVM again makes a new
 * one.
 *
 * @returns undefined where starts of the machine cannot be distinguished; then nothing is kept
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
  const key = hash('sha256', JSON.stringify(parts));
  const path = entryPath(cache, kind, key);
  return {
    path,
    keptUntil: () => readKeptUntil(path),
    keep: async () => {
      await removeOld(join(cache.root, kind)).catch(() => {});
      // It is true of this machine only, so it does not go into a cache that machines share.
      await publishEntry({ root: cache.root }, kind, key, async () => {}).catch(() => {});
    },
  };
}

async function readKeptUntil(path: string): Promise<Date | undefined> {
  const failedMs = (await stat(path).catch(() => undefined))?.mtimeMs;
  const ageMs = failedMs === undefined ? Number.NaN : Date.now() - failedMs;
  // A failure in the future, after the clock was set back, is not recent.
  return ageMs > -60_000 && ageMs < keptMs ? new Date(Date.now() - ageMs + keptMs) : undefined;
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if ((await readKeptUntil(path)) === undefined) await rm(path, { recursive: true, force: true });
  }
}

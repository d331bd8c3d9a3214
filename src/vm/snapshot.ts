// Guest: saves machines right before they first need anything of the run, and starts them again from there, so that a
// kernel boots only once.

import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../adapters/package-root.ts';
import { type Cache, entryPath, findEntry, publishEntry } from '../cache/cache.ts';
import type { Boot } from './boot.ts';
import { qemuArguments } from './machine.ts';

/** A saved machine, or the place to save one. */
export interface Snapshot {
  readonly cache: Cache;
  /** Cache kind: one for each kernel and kind of machine. One entry of each is kept. */
  readonly kind: string;
  readonly key: string;
}

/**
 * The snapshot of a boot. Its key is everything that shapes the machine's state until the initramfs waits for the
 * host's start signal: image, initramfs, QEMU, the devices and the command line, memory.
 *
 * @param versions of QEMU, everything it prints
 */
export async function snapshotOf(boot: Boot, cache: Cache, versions: { readonly qemu: string }): Promise<Snapshot> {
  // Neither paths nor a plugin shape the machine.
  const unshaping = { image: '', initramfs: { ...boot.initramfs, file: '' }, runFolder: '', plugin: undefined };
  const machine = qemuArguments({ ...boot, ...unshaping });
  const key = createHash('sha256')
    .update(JSON.stringify([boot.kernel.imageSha256, boot.image === boot.kernel.image, boot.initramfs.sha256]))
    .update(JSON.stringify([machine, versions.qemu]))
    .update(await readFile(join(packageRoot, 'vm', 'qemu')))
    .digest('hex');
  const kind = join('snapshots', `${boot.kernel.imageSha256.slice(0, 16)}-${boot.accelerator}-${boot.memoryMiB}`);
  return { cache, kind, key };
}

/** Absolute path of the saved machine; undefined when there is none. */
export function findSnapshot({ cache, kind, key }: Snapshot): string | undefined {
  const entry = findEntry(cache, kind, key);
  return entry === undefined ? undefined : join(entry, 'machine');
}

/**
 * Puts a machine into the cache and removes the others of its kind, which are not used any more.
 *
 * @param save writes the machine to the given file
 */
export async function addSnapshot(
  { cache, kind, key }: Snapshot,
  save: (file: string) => Promise<void>,
): Promise<void> {
  await publishEntry(cache, kind, key, (folder) => save(join(folder, 'machine')));
  for (const name of await readdir(join(cache.root, kind))) {
    // A guest that starts from one has it open already.
    if (name !== key && !name.startsWith('.')) await rm(join(cache.root, kind, name), { recursive: true, force: true });
  }
}

/** Removes a snapshot that does not restore. */
export async function removeSnapshot({ cache, kind, key }: Snapshot): Promise<void> {
  await rm(entryPath(cache, kind, key), { recursive: true, force: true });
}

// Source kernels: packs a built kernel as one file, for a release of bpfgate.

import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '../../adapters/hash-file.ts';
import { runOrThrow } from '../../adapters/process.ts';
import { fullCache, KernelError, saysFullDisk } from '../../common/errors.ts';
import type { SourcePin } from '../../model/kernel.ts';
import { readKernelRecord } from '../cached.ts';

/** All files in an asset, which is a `.tar.xz`. */
const files = ['config', 'kernel.json', 'vmlinuz'];

/**
 * Packs a cache entry. Equal kernels give equal bytes with the same version of xz.
 *
 * @param entry absolute path of the entry's folder
 * @param asset path of the file to write; it appears whole or not at all
 */
export async function packAsset(entry: string, asset: string, signal?: AbortSignal): Promise<void> {
  const temporary = `${asset}.${process.pid}`;
  const plain = ['--format=ustar', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=0644'];
  try {
    const compress = ['--use-compress-program', 'xz --threads=1 -6'];
    await runOrThrow('tar', ['--create', '--file', temporary, ...plain, ...compress, '-C', entry, ...files], {
      variables: { LC_ALL: 'C' },
      signal,
    });
    await rename(temporary, asset);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Unpacks a verified asset and checks that it is the pinned kernel.
 *
 * @param folder the folder that publishEntry gave to fill
 * @throws KernelError when it is another kernel, or incomplete
 */
export async function unpackAsset(asset: string, folder: string, pin: SourcePin, signal?: AbortSignal): Promise<void> {
  const unpack = ['--extract', '--xz', '--file', asset, '-C', folder, '--no-same-owner', '--no-same-permissions'];
  await runOrThrow('tar', [...unpack, ...files], { signal }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    if (saysFullDisk((cause as Error).message)) throw fullCache(`unpack the built image of kernel ${pin.id}`, cause);
    throw new KernelError(`the built image of kernel ${pin.id} cannot be unpacked: ${(cause as Error).message}`, {
      cause,
      hint: assetHint(pin),
    });
  });
  const record = readKernelRecord(folder);
  const same = record.origin === 'source' && record.minor === pin.minor && record.madeFrom === pin.sha256;
  if (!same || record.imageSha256 !== (await hashFile(join(folder, 'vmlinuz')))) {
    throw new KernelError(`the built image pinned for kernel ${pin.id} is not one of ${pin.release}`, {
      hint: assetHint(pin),
    });
  }
}

function assetHint(pin: SourcePin): string {
  return `build it instead: bpfgate kernels build ${pin.minor}; and report ${pin.asset?.name} of release ${pin.asset?.tag}`;
}

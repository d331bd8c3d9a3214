// Second stage: brings pinned kernels into the cache, verified and unpacked.

import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { Log } from '../adapters/log.ts';
import { run } from '../adapters/process.ts';
import { type Cache, findEntry, measureFolder, publishEntry } from '../cache/cache.ts';
import { extractPackage, findPackageAddresses, listPackage } from '../cache/debian-package.ts';
import { downloadVerified } from '../cache/download.ts';
import { KernelError, MachineError } from '../errors.ts';
import type { CachedKernel, KernelPin } from './kernel.ts';
import { findPackageFiles } from './package-files.ts';

/** Of the cache's entries. Takes a new name when what is kept of a package changes. */
const kind = 'kernels';

/** `kernel.json` of a cache entry; what it was unpacked from is the entry's key. */
const recordSchema = z.object({
  schema: z.literal('bpfgate.cached-kernel/1'),
  id: z.string(),
  release: z.string(),
  uname: z.string(),
  /** Of the unpacked image. */
  imageSha256: z.string(),
});
type KernelRecord = z.infer<typeof recordSchema>;

export interface FetchKernelOptions {
  readonly cache: Cache;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Addresses of the package, tried in order. Default: this machine's Debian mirrors, then the permanent archive. */
  readonly sources?: readonly string[];
  /** How long a source may send nothing. Default 30 s. */
  readonly stallMs?: number;
}

/**
 * Makes sure a pinned kernel is in the cache.
 *
 * @throws KernelError when no source has the package, or one delivers another content than the pinned
 * @throws MachineError when dpkg-deb, tar or depmod is missing or fails
 */
export async function fetchKernel(pin: KernelPin, options: FetchKernelOptions): Promise<CachedKernel> {
  const { cache, log, signal } = options;
  const found = cachedKernel(pin, cache);
  if (found !== undefined) return found;
  await publishEntry(cache, kind, pin.sha256, async (dir) => {
    const packageFile = join(dir, 'package.deb');
    const sources = options.sources ?? (await findPackageAddresses(pin.debian, { signal }));
    const file = { name: pin.debian.package, sha256: pin.sha256, sizeBytes: pin.sizeBytes };
    await downloadVerified(file, sources, packageFile, {
      log,
      signal,
      ErrorClass: KernelError,
      ...(options.stallMs === undefined ? {} : { stallMs: options.stallMs }),
    });
    log.progress(`unpacking ${pin.debian.package}`);
    await unpackKernel(pin, packageFile, dir, signal);
    await rm(packageFile);
    log.progress(`kernel ${pin.release} is in the cache (${((await measureFolder(dir)) / 1e6).toFixed(1)} MB)`);
  });
  const kernel = cachedKernel(pin, cache);
  if (kernel === undefined) {
    throw new KernelError(`the cache entry of kernel ${pin.release} was removed while it was made`);
  }
  return kernel;
}

/**
 * The pinned kernel as it is in the cache; undefined when it is not.
 *
 * @throws KernelError when the entry is there and cannot be read
 */
export function cachedKernel(pin: KernelPin, cache: Cache): CachedKernel | undefined {
  const entry = findEntry(cache, kind, pin.sha256);
  if (entry === undefined) return undefined;
  return {
    pin,
    image: join(entry, 'vmlinuz'),
    uname: readRecord(entry).uname,
    modulesRoot: join(entry, 'modules'),
  };
}

/**
 * Checks that the unpacked image in the cache is the one that was unpacked from the verified package.
 *
 * @throws KernelError when the kernel is not in the cache or its image has changed
 */
export async function verifyKernel(pin: KernelPin, cache: Cache): Promise<CachedKernel> {
  const kernel = cachedKernel(pin, cache);
  if (kernel === undefined) {
    throw new KernelError(`kernel ${pin.release} is not in the cache`, { hint: `bpfgate kernels fetch ${pin.id}` });
  }
  const recorded = readRecord(dirname(kernel.image)).imageSha256;
  const sum = await hashFile(kernel.image).catch((cause: unknown) => {
    throw new KernelError(`cannot read \`${kernel.image}\``, { cause, hint: refetchHint(dirname(kernel.image), pin) });
  });
  if (sum !== recorded) {
    throw new KernelError(
      `the image of kernel ${pin.release} has changed since it was unpacked:\n  recorded: ${recorded}\n  found:    ${sum}\n  in:       ${kernel.image}`,
      { hint: refetchHint(dirname(kernel.image), pin) },
    );
  }
  return kernel;
}

async function unpackKernel(pin: KernelPin, packageFile: string, dir: string, signal?: AbortSignal): Promise<void> {
  const files = findPackageFiles(await listPackage(packageFile, { signal }));
  if (files === undefined) {
    throw new KernelError(`${pin.debian.package} ${pin.debian.version} holds no kernel with modules`, {
      hint: 'pin a linux-image package that is not split, see kernels/README.md',
    });
  }
  const unpacked = join(dir, 'unpacked');
  await extractPackage(packageFile, files.wanted, unpacked, { signal });
  await rename(join(unpacked, files.image), join(dir, 'vmlinuz'));
  await rename(join(unpacked, files.config), join(dir, 'config'));
  const modules = join(dir, 'modules');
  await mkdir(join(modules, 'lib', 'modules'), { recursive: true });
  await rename(join(unpacked, files.modulesFolder), join(modules, 'lib', 'modules', files.uname));
  await rm(unpacked, { recursive: true });
  await indexModules(modules, files.uname, signal);
  const record: KernelRecord = {
    schema: 'bpfgate.cached-kernel/1',
    id: pin.id,
    release: pin.release,
    uname: files.uname,
    imageSha256: await hashFile(join(dir, 'vmlinuz')),
  };
  await writeFile(join(dir, 'kernel.json'), `${JSON.stringify(record, null, 2)}\n`);
}

/** Writes modules.dep and its kin, which modprobe reads. */
async function indexModules(root: string, uname: string, signal?: AbortSignal): Promise<void> {
  // An ordinary user's PATH often lacks sbin.
  const env = { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` };
  const result = await run('depmod', ['-b', root, uname], { env, signal }).catch((error: unknown) => {
    if (!(error instanceof MachineError)) throw error;
    throw new MachineError('depmod is missing', { cause: error, hint: 'apt-get install kmod' });
  });
  if (result.exitCode !== 0) throw new MachineError(`depmod failed for ${uname}:\n${result.stderr.trim()}`);
}

function readRecord(entry: string): KernelRecord {
  const path = join(entry, 'kernel.json');
  try {
    return recordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new KernelError(`cannot read \`${path}\``, { cause, hint: `rm -r ${entry}, then fetch the kernel again` });
  }
}

function refetchHint(entry: string, pin: KernelPin): string {
  return `rm -r ${entry} && bpfgate kernels fetch ${pin.id}`;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

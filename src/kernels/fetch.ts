// Second stage: brings kernels into the cache. Debian's are fetched, verified and unpacked here; build/ compiles the others.

import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { run } from '../adapters/process.ts';
import { type Cache, measureFolder, publishEntry } from '../cache/cache.ts';
import { extractPackage, findPackageAddresses, listPackage, permanentArchiveHint } from '../cache/debian-package.ts';
import { downloadVerified } from '../cache/download.ts';
import { KernelError, MachineError } from '../errors.ts';
import { obtainSourceKernel } from './build/source-kernel.ts';
import { cachedKernel, kernelKind, remakeHint, writeKernelRecord } from './cached.ts';
import type { CachedKernel, DebianPackage, DebianPin, KernelPin } from './kernel.ts';
import { findPackageFiles } from './package-files.ts';

export interface FetchKernelOptions {
  readonly cache: Cache;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** In which compilers are found. Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /**
   * Addresses of a Debian package, tried in order. Default: this machine's Debian mirrors, then the permanent archive.
   */
  readonly sources?: (file: DebianPackage) => readonly string[];
  /** How long a source may send nothing. Default 30 s. */
  readonly stallMs?: number;
}

/**
 * Makes sure a kernel is in the cache.
 *
 * @throws KernelError when no source has what it is made from, one delivers another content than the pinned, it does
 * not build, or it was built from a tree and is not in the cache
 * @throws MachineError when a tool is missing or fails
 */
export async function fetchKernel(pin: KernelPin, options: FetchKernelOptions): Promise<CachedKernel> {
  const found = cachedKernel(pin, options.cache);
  if (found !== undefined) return found;
  switch (pin.origin) {
    case 'debian':
      return fetchDebianKernel(pin, options);
    case 'source':
      return obtainSourceKernel(pin, options);
    case 'tree':
      throw new KernelError(`kernel ${pin.id} (${pin.release}) is not in the cache`, { hint: remakeHint(pin) });
  }
}

async function fetchDebianKernel(pin: DebianPin, options: FetchKernelOptions): Promise<CachedKernel> {
  const { cache, log, signal } = options;
  await publishEntry(cache, kernelKind, pin.sha256, async (dir) => {
    const packageFiles: string[] = [];
    for (const [index, file] of pin.packages.entries()) {
      const packageFile = join(dir, `package-${index}.deb`);
      const sources =
        options.sources?.(file) ??
        (await findPackageAddresses(
          { archive: pin.archive, snapshot: pin.snapshot, poolPath: file.poolPath },
          { signal },
        ));
      await downloadVerified(file, sources, packageFile, {
        log,
        signal,
        ErrorClass: KernelError,
        unreachableHint: permanentArchiveHint,
        ...(options.stallMs === undefined ? {} : { stallMs: options.stallMs }),
      });
      packageFiles.push(packageFile);
    }
    log.progress(`unpacking ${namesOf(pin)}`);
    await unpackKernel(pin, packageFiles, dir, signal);
    for (const packageFile of packageFiles) await rm(packageFile);
    log.progress(`kernel ${pin.release} is in the cache (${((await measureFolder(dir)) / 1e6).toFixed(1)} MB)`);
  });
  const kernel = cachedKernel(pin, cache);
  if (kernel === undefined) {
    throw new KernelError(`the cache entry of kernel ${pin.release} was removed while it was made`);
  }
  return kernel;
}

async function unpackKernel(
  pin: DebianPin,
  packageFiles: readonly string[],
  dir: string,
  signal?: AbortSignal,
): Promise<void> {
  const listings: string[][] = [];
  for (const packageFile of packageFiles) listings.push(await listPackage(packageFile, { signal }));
  const files = findPackageFiles(listings.flat());
  if (files === undefined) {
    throw new KernelError(`${namesOf(pin)} ${pin.version}: no kernel with its configuration and modules in there`, {
      hint: 'pin all packages the kernel is split into, see kernels/README.md',
    });
  }
  const unpacked = join(dir, 'unpacked');
  for (const [index, packageFile] of packageFiles.entries()) {
    const names = new Set(listings[index]);
    const wanted = files.wanted.filter((name) => names.has(name));
    if (wanted.length > 0) await extractPackage(packageFile, wanted, unpacked, { signal });
  }
  await rename(join(unpacked, files.image), join(dir, 'vmlinuz'));
  await rename(join(unpacked, files.config), join(dir, 'config'));
  const modules = join(dir, 'modules');
  await mkdir(join(modules, 'lib', 'modules'), { recursive: true });
  await rename(join(unpacked, files.modulesFolder), join(modules, 'lib', 'modules', files.uname));
  await rm(unpacked, { recursive: true });
  await indexModules(modules, files.uname, signal);
  await writeKernelRecord(dir, {
    origin: 'debian',
    minor: pin.minor,
    release: pin.release,
    uname: files.uname,
    madeFrom: pin.sha256,
  });
}

function namesOf(pin: DebianPin): string {
  return pin.packages.map(({ name }) => name).join(', ');
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

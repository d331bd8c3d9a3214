// Kernels: brings kernels into the cache. Fetches, verifies and unpacks Debian's here; build/ compiles those from source,
// own/ takes those of the user.

import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { part } from '../adapters/schedule.ts';
import { extractArchive, listArchive } from '../cache/archive.ts';
import { measureFolder } from '../cache/cache.ts';
import { findPackageSources, permanentArchiveHint } from '../cache/debian-package.ts';
import { downloadVerified } from '../cache/download.ts';
import { publishFetched } from '../cache/downloads.ts';
import { joinSources, releaseSource, type Sources } from '../cache/release-asset.ts';
import { KernelError } from '../common/errors.ts';
import type { CachedKernel, DebianPackage, DebianPin, KernelPin } from '../model/kernel.ts';
import { obtainSourceKernel } from './build/source-kernel.ts';
import { kernelKind, type ObtainOptions, remakeHint, verifyKernel, writeKernelRecord } from './cached.ts';
import { indexModules } from './index-modules.ts';
import { obtainOwnKernel } from './own/obtain.ts';
import { partsOf, pickPackaged } from './package-files.ts';

/**
 * Makes sure a kernel is in the cache and is unchanged since it was unpacked or built.
 *
 * @throws KernelError when no source has what it is made from, or it does not build; when it was built from a tree and
 * is not in the cache; when the one in the cache has changed
 * @throws MachineError when a tool is missing or fails
 */
export async function fetchKernel(pin: KernelPin, options: ObtainOptions): Promise<CachedKernel> {
  const found = await verifyKernel(pin, options.cache);
  if (found !== undefined) return found;
  if (pin.origin === 'tree') {
    throw new KernelError(`kernel ${pin.id} (${pin.release}) is not in the cache`, { hint: remakeHint(pin) });
  }
  return await part(`kernel ${pin.id}`, async () => {
    if (pin.origin === 'source') return await obtainSourceKernel(pin, options);
    await (pin.origin === 'own' ? obtainOwnKernel(pin, options) : fetchDebianKernel(pin, options));
    const kernel = await verifyKernel(pin, options.cache);
    if (kernel === undefined)
      throw new KernelError(`the cache entry of kernel ${pin.id} was removed while it was made`);
    return kernel;
  });
}

async function fetchDebianKernel(pin: DebianPin, options: ObtainOptions): Promise<void> {
  const { cache, log, signal } = options;
  await publishFetched(cache, kernelKind, pin.sha256, { log, signal, name: `kernel ${pin.release}` }, async (dir) => {
    const packageFiles: string[] = [];
    for (const [index, file] of pin.packages.entries()) {
      const packageFile = join(dir, `package-${index}.deb`);
      await fetchPackage(file, pin, packageFile, options);
      packageFiles.push(packageFile);
    }
    log.progress(`unpacking ${namesOf(pin)}`);
    await unpackKernel(pin, packageFiles, dir, signal);
    for (const packageFile of packageFiles) await rm(packageFile);
    log.progress(`kernel ${pin.release} is in the cache (${((await measureFolder(dir)) / 1e6).toFixed(1)} MB)`);
  });
}

/**
 * Fetches one of a kernel's packages.
 *
 * @param destination on the cache's disk
 * @throws KernelError when no source has it
 * @throws MachineError when it cannot be written
 */
export async function fetchPackage(
  file: DebianPackage,
  pin: DebianPin,
  destination: string,
  { log, signal }: ObtainOptions,
): Promise<void> {
  const { addresses, notAsked } = await findSources(file, pin, signal);
  await downloadVerified(file, addresses, destination, {
    log,
    signal,
    ErrorClass: KernelError,
    unreachableHint: permanentArchiveHint,
    notAsked,
  });
}

/** Finds a package's sources: a release of bpfgate, the mirrors that apt knows, the permanent archive. */
async function findSources(file: DebianPackage, pin: DebianPin, signal?: AbortSignal): Promise<Sources> {
  const { archive, snapshot } = pin;
  const debian = await findPackageSources({ archive, snapshot, poolPath: file.poolPath }, { signal });
  return joinSources(await releaseSource(file.asset), debian);
}

async function unpackKernel(
  pin: DebianPin,
  packageFiles: readonly string[],
  dir: string,
  signal?: AbortSignal,
): Promise<void> {
  const listings: string[][] = [];
  for (const packageFile of packageFiles) listings.push(await listArchive(packageFile, { signal }));
  const where = `${namesOf(pin)} ${pin.version}`;
  const files = pickPackaged(listings.flat().map(withoutDot), where);
  if (files.config === undefined || files.modules.size === 0) {
    throw new KernelError(`${where} has no ${files.config === undefined ? 'configuration' : 'modules'}`, {
      hint: 'pin all packages the kernel is split into, see kernels/README.md',
    });
  }
  const parts = partsOf(files, files.uname);
  const kept = new Set(parts.values());
  const unpacked = join(dir, 'unpacked');
  for (const [index, packageFile] of packageFiles.entries()) {
    const wanted = listings[index]?.filter((name) => kept.has(withoutDot(name))) ?? [];
    if (wanted.length > 0) await extractArchive(packageFile, wanted, unpacked, { signal });
  }
  for (const [to, from] of parts) {
    await mkdir(dirname(join(dir, to)), { recursive: true });
    await rename(join(unpacked, from), join(dir, to));
  }
  await rm(unpacked, { recursive: true });
  await indexModules(join(dir, 'modules'), files.uname, signal);
  await writeKernelRecord(dir, {
    origin: 'debian',
    minor: pin.minor,
    release: pin.release,
    uname: files.uname,
    madeFrom: pin.sha256,
  });
}

/** A name in a package, which is listed as `./boot/vmlinuz-6.1.0-50-amd64`. */
function withoutDot(name: string): string {
  return name.replace(/^\.\//, '');
}

function namesOf(pin: DebianPin): string {
  return pin.packages.map(({ name }) => name).join(', ');
}

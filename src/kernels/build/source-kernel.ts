// Source kernels: brings the kernel of a pinned tarball or an unpacked tree into the cache.

import { hash } from 'node:crypto';
import { mkdir, rename, rm, statfs } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import pLimit from 'p-limit';
import { run } from '../../adapters/process.ts';
import { findEntry, makeCacheFolder, publishEntry } from '../../cache/cache.ts';
import { downloadVerified } from '../../cache/download.ts';
import { publishFetched } from '../../cache/downloads.ts';
import { markUsed } from '../../cache/last-used.ts';
import { type Origin, releaseSource } from '../../cache/release-asset.ts';
import { fullCache, KernelError, MachineError, saysFullDisk } from '../../common/errors.ts';
import type { CachedKernel, PinnedAsset, SourcePin } from '../../model/kernel.ts';
import { installMissing, requirePrerequisites } from '../../prerequisites/prerequisites.ts';
import {
  describeEntry,
  kernelKind,
  type ObtainOptions,
  readKernelRecord,
  treeKernel,
  writeKernelRecord,
} from '../cached.ts';
import { unpackAsset } from './asset.ts';
import { buildKernel } from './build-kernel.ts';
import { sourceConfigSha256 } from './config.ts';
import { hashTree, readTreeRelease } from './source-tree.ts';
import { readToolchain, type Toolchain } from './toolchain.ts';

export interface SourceKernelOptions extends ObtainOptions {
  /** Tools to build with. Default: found in `environment`. */
  readonly tools?: BuildTools;
  /** Repository whose releases have the built images. Default: the repository that this bpfgate is from. */
  readonly origin?: Origin | undefined;
}

export interface BuildTools {
  /** Environment whose PATH leads to the tools. */
  readonly environment: NodeJS.ProcessEnv;
  readonly toolchain: Toolchain;
}

/** Several times the size of any version's tarball. */
const tarballMaxBytes = 1_000_000_000;
/** Disk space a build needs at once: tree and objects of the largest version, with room to spare. */
const neededBytes = 4_000_000_000;

/**
 * Brings a pinned kernel into the cache: the image attached to a release where there is one and it can be fetched, else
 * built from the tarball.
 *
 * @throws KernelError when the tarball cannot be fetched, is not the pinned one, or does not build
 * @throws MachineError when the machine does not have what a build needs
 */
export async function obtainSourceKernel(pin: SourcePin, options: SourceKernelOptions): Promise<CachedKernel> {
  const { log } = options;
  if (pin.asset !== undefined) {
    try {
      return await fetchAsset(pin, pin.asset, options);
    } catch (error) {
      if (!(error instanceof AssetUnavailable)) throw error;
      log.warn(`${error.message}\n  it is built from source instead`);
    }
  }
  return await buildSourceKernel(pin, options);
}

/** No address has the built image. The tarball is used instead. */
class AssetUnavailable extends KernelError {}

async function fetchAsset(pin: SourcePin, asset: PinnedAsset, options: SourceKernelOptions): Promise<CachedKernel> {
  const { cache, log, signal } = options;
  const name = `the built image of kernel ${pin.id}`;
  const entry = await publishFetched(cache, kernelKind, asset.sha256, { log, signal, name }, async (dir) => {
    const file = join(dir, 'asset');
    const { addresses, notAsked } = await releaseSource(asset, options.origin);
    await downloadVerified({ name, sha256: asset.sha256, sizeBytes: asset.sizeBytes }, addresses, file, {
      log,
      signal,
      ErrorClass: AssetUnavailable,
      notAsked,
    });
    await unpackAsset(file, dir, pin, signal);
    await rm(file);
  });
  return describeEntry(pin, entry);
}

/**
 * Builds a pinned kernel from its tarball, or finds it built with the same options by the same tools.
 *
 * @throws KernelError when the tarball cannot be fetched, is not the pinned one, or does not build
 * @throws MachineError when the machine does not have what a build needs
 */
export async function buildSourceKernel(pin: SourcePin, options: SourceKernelOptions): Promise<CachedKernel> {
  const { cache, log, signal } = options;
  const tools = options.tools ?? (await findTools(options, `kernel ${pin.id} has to be compiled, which`));
  const key = entryKey(pin.sha256, tools.toolchain);
  const name = `kernel ${pin.release}`;
  const entry = await publishFetched(cache, kernelKind, key, { log, signal, name }, async (dir) => {
    await requireRoom(dir, pin.release);
    const tarball = join(dir, 'tarball');
    const expected = { name: basename(new URL(pin.url).pathname), sha256: pin.sha256, maxBytes: tarballMaxBytes };
    await downloadVerified(expected, [pin.url], tarball, { log, signal, ErrorClass: KernelError });
    log.progress(`unpacking ${expected.name}`);
    const tree = join(dir, 'source');
    await unpackTarball(tarball, tree, pin, signal);
    await rm(tarball);
    await fillEntry(dir, { ...pin, origin: 'source', tree, madeFrom: pin.sha256 }, tools, options);
    await rm(tree, { recursive: true });
  });
  return describeEntry(pin, entry);
}

/**
 * Builds an unpacked tree, or finds an equal one built with the same options by the same tools.
 *
 * @param folder the tree, which is not written to
 * @throws InputError when it is not a tree of that minor version, or is not clean
 * @throws KernelError when it does not build
 * @throws MachineError when the machine does not have what a build needs
 */
export async function buildTree(folder: string, minor: string, options: SourceKernelOptions): Promise<CachedKernel> {
  const { cache, log, signal } = options;
  const tools = options.tools ?? (await findTools(options));
  const tree = resolve(folder);
  const release = await readTreeRelease(tree, minor, tools.environment, signal);
  log.progress(`reading ${tree}`);
  const madeFrom = await hashTree(tree, signal);
  const key = entryKey(madeFrom, tools.toolchain);
  const found = findEntry(cache, kernelKind, key);
  // Among several trees of one minor version, the one requested last is booted.
  if (found !== undefined) await markUsed(join(found, 'kernel.json'));
  const entry = await publishEntry(cache, kernelKind, key, async (dir) => {
    await requireRoom(dir, release);
    await fillEntry(dir, { origin: 'tree', minor, release, tree, madeFrom }, tools, options);
  });
  return describeEntry(treeKernel(readKernelRecord(entry)), entry);
}

/** Kernels that are obtained in parallel need the same tools, which the first one installs. */
const oneInstallation = pLimit(1);

/** @param by says what needs them, a clause before "needs" */
async function findTools(
  { cache, log, environment, signal, install = false }: SourceKernelOptions,
  by = '',
): Promise<BuildTools> {
  const demands = [{ group: 'kernel-build', by }] as const;
  const options = { cache, log, signal, environment };
  const { env } = install
    ? await oneInstallation(() => installMissing(demands, options))
    : await requirePrerequisites(demands, options);
  return { environment: env, toolchain: await readToolchain(env, signal) };
}

/** Hashes everything that shapes the bytes: the sources, the configuration, and the tools. */
function entryKey(madeFrom: string, toolchain: Toolchain): string {
  return hash('sha256', JSON.stringify([madeFrom, sourceConfigSha256(), toolchain]));
}

interface Order {
  readonly origin: 'source' | 'tree';
  readonly minor: string;
  readonly release: string;
  /** Absolute path. */
  readonly tree: string;
  readonly madeFrom: string;
}

/** Builds in a folder inside the entry, which is removed before the entry appears. */
async function fillEntry(dir: string, order: Order, tools: BuildTools, options: SourceKernelOptions): Promise<void> {
  const { cache, log, signal } = options;
  const { origin, minor, release, tree, madeFrom } = order;
  const output = join(dir, 'build');
  const logs = join(cache.root, 'logs');
  const logFile = join(logs, `kernel-${minor}-${origin}.log`);
  const start = performance.now();
  await makeCacheFolder(logs);
  const build = { tree, output, minor, name: release, logFile };
  const built = await buildKernel(build, { log, signal, environment: tools.environment });
  await rename(built.image, join(dir, 'vmlinuz'));
  await rename(built.config, join(dir, 'config'));
  await rm(output, { recursive: true });
  await writeKernelRecord(dir, {
    origin,
    minor,
    release,
    uname: built.uname,
    madeFrom,
    configSha256: sourceConfigSha256(),
    compiler: tools.toolchain.compiler,
  });
  log.progress(`kernel ${release} was built in ${Math.round((performance.now() - start) / 1000)} s`);
}

/** Reports that the disk has too little space, before the work instead of in the middle of it. */
async function requireRoom(dir: string, name: string): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  if (bavail * bsize >= neededBytes) return;
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);
  throw new MachineError(
    `building kernel ${name} may take ${gigabytes(neededBytes)} GB, and the disk of ${dir} has ${gigabytes(bavail * bsize)} GB left`,
    { hint: 'free space on it, or set BPFGATE_CACHE to a folder on another disk' },
  );
}

async function unpackTarball(
  tarball: string,
  tree: string,
  { release }: SourcePin,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(tree);
  const unpack = ['--extract', '--file', tarball, '--directory', tree, '--strip-components=1', '--no-same-owner'];
  const result = await run('tar', unpack, { variables: { LC_ALL: 'C' }, signal, timeoutMs: 1_800_000 });
  if (result.exitCode === 0) return;
  if (saysFullDisk(result.stderr)) throw fullCache(`unpack the tarball of kernel ${release}`);
  throw new KernelError(`the tarball of kernel ${release} cannot be unpacked:\n${result.stderr.trim().slice(-1000)}`, {
    hint: 'its checksum is the pinned one: pin another tarball, see kernels/README.md',
  });
}

// Kernels: the kernels in the cache and each one's record. fetch.ts puts Debian's kernels there, build/ those that
// bpfgate compiles, own/ those of the user.

import { createHash, hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { hashFile } from '../adapters/hash-file.ts';
import type { Log } from '../adapters/log.ts';
import { type Cache, commonKinds, findEntry } from '../cache/cache.ts';
import { KernelError } from '../common/errors.ts';
import { compareVersions } from '../common/versions.ts';
import type { CachedKernel, KernelPin, OwnKernel, SourcePin, TreeKernel } from '../model/kernel.ts';
import { sourceConfigSha256 } from './build/config.ts';
import { readMissing, readPins, supportOf } from './pins.ts';
import { selectKernels } from './select.ts';

/**
 * Cache kind of kernels. An entry holds `vmlinuz`, `config`, `kernel.json` and, unless everything is built in,
 * `modules`. The configuration of a user's own kernel may be missing.
 */
export const kernelKind = commonKinds.kernels;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** `kernel.json` of a cache entry. */
export const kernelRecordSchema = z.object({
  schema: z.literal('bpfgate.cached-kernel/2'),
  origin: z.enum(['debian', 'source', 'tree', 'own']),
  /** `6.1` */
  minor: z.string().regex(/^\d+\.\d+$/),
  /** `6.1.176` */
  release: z.string(),
  /** Output of `uname -r` in the booted kernel. */
  uname: z.string().min(1),
  /** SHA-256 of `vmlinuz`. */
  imageSha256: sha256,
  /** SHA-256 of `modules`: every file's path and content. Missing when the entry has none. */
  modulesSha256: sha256.optional(),
  /** SHA-256 of what it was made from: a sum of the tree (`tree`), else the pin's `sha256`. */
  madeFrom: sha256,
  /** SHA-256 of what the configuration was made from. Set when bpfgate compiled the kernel. */
  configSha256: sha256.optional(),
  /** The compiler's name and version. Set when bpfgate compiled the kernel. */
  compiler: z.string().optional(),
});
export type KernelRecord = z.infer<typeof kernelRecordSchema>;

/**
 * Writes `kernel.json` into a folder that holds `vmlinuz` and perhaps `modules`, and hashes both for it.
 *
 * @param folder the folder that publishEntry gave to fill
 */
export async function writeKernelRecord(
  folder: string,
  known: Omit<KernelRecord, 'schema' | 'imageSha256' | 'modulesSha256'>,
): Promise<void> {
  const modules = join(folder, 'modules');
  const record = kernelRecordSchema.parse({
    ...known,
    schema: 'bpfgate.cached-kernel/2',
    imageSha256: await hashFile(join(folder, 'vmlinuz')),
    ...(existsSync(modules) ? { modulesSha256: await hashFolder(modules) } : {}),
  });
  await writeFile(join(folder, 'kernel.json'), `${JSON.stringify(record, null, 2)}\n`);
}

/**
 * Finds a kernel in the cache. A source pin can have several builds there, by different compilers; the one made last is
 * used.
 *
 * @returns undefined when it is not in the cache
 * @throws KernelError when its entry exists and cannot be read
 */
export function cachedKernel(pin: KernelPin, cache: Cache): CachedKernel | undefined {
  const entry = findKernelEntry(pin, cache);
  return entry === undefined ? undefined : describeEntry(pin, entry);
}

/** Path of a pin's cache entry; undefined when it is not in the cache. */
function findKernelEntry(pin: KernelPin, cache: Cache): string | undefined {
  switch (pin.origin) {
    case 'debian':
      return findEntry(cache, kernelKind, pin.sha256);
    case 'source':
      return findSourceEntry(pin, cache);
    case 'own':
      return findEntry(cache, kernelKind, ownEntryKey(pin));
    case 'tree':
      return scanEntries(cache).find(({ record }) => record.origin === 'tree' && record.imageSha256 === pin.sha256)
        ?.folder;
  }
}

/** Incremented when other files are taken of the same package or folder. */
const ownRevision = 1;

/** Key of the cache entry of a user's own kernel. The package of a pinned one makes another entry. */
export function ownEntryKey({ sha256 }: OwnKernel): string {
  return hash('sha256', JSON.stringify(['own', ownRevision, sha256]));
}

function findSourceEntry(pin: SourcePin, cache: Cache): string | undefined {
  const asset = pin.asset === undefined ? undefined : findEntry(cache, kernelKind, pin.asset.sha256);
  if (asset !== undefined) return asset;
  const built = scanEntries(cache).filter(({ record }) => record.origin === 'source' && record.madeFrom === pin.sha256);
  if (built.length === 0) return undefined;
  const configSha256 = sourceConfigSha256();
  return built.find(({ record }) => record.configSha256 === configSha256)?.folder;
}

/**
 * The kernels in the cache that were built from trees, oldest version first; per minor version the one made last.
 * Kernels built with other options than today's are left out, because their counts differ.
 */
export function listTreeKernels(cache: Cache): TreeKernel[] {
  const newest = new Map<string, KernelRecord>();
  const configSha256 = sourceConfigSha256();
  for (const { record } of scanEntries(cache)) {
    if (record.origin !== 'tree' || record.configSha256 !== configSha256) continue;
    if (!newest.has(record.minor)) newest.set(record.minor, record);
  }
  return [...newest.values()].map(treeKernel).sort((a, b) => compareVersions(a.minor, b.minor));
}

/** Returns the kernel that was built from a tree, by its record. */
export function treeKernel({ minor, release, imageSha256 }: KernelRecord): TreeKernel {
  return { id: `${minor}:tree`, origin: 'tree', minor, release, sha256: imageSha256, support: supportOf(minor) };
}

/**
 * Selects from the pinned kernels, those built from trees and the user's own.
 *
 * @param own see findOwnKernels; default none
 * @throws InputError as selectKernels does
 */
export function chooseKernels(
  selectors: readonly string[],
  cache: Cache,
  own: ReadonlyMap<string, OwnKernel> = new Map(),
): KernelPin[] {
  return selectKernels(selectors, [...readPins(), ...listTreeKernels(cache)], readMissing(), own);
}

/** The error of each entry whose record cannot be read. Such entries are never used. */
export function findUnreadable(cache: Cache): KernelError[] {
  return readEntries(cache).flatMap(({ record }) => (record instanceof KernelError ? [record] : []));
}

/**
 * Checks that image and modules in the cache are those that were unpacked or built.
 *
 * @returns undefined when the kernel is not in the cache
 * @throws KernelError when it cannot be read, has changed, or was not made from what the pin names
 */
export async function verifyKernel(pin: KernelPin, cache: Cache): Promise<CachedKernel | undefined> {
  const entry = findKernelEntry(pin, cache);
  if (entry === undefined) return undefined;
  const record = readKernelRecord(entry);
  const kernel = describeEntry(pin, entry, record);
  const fail = (problem: string, cause?: unknown) =>
    new KernelError(`kernel ${pin.id} (${pin.release}): ${problem}`, {
      cause,
      hint: `rm -r ${entry} && ${remakeHint(pin)}`,
    });
  const compare = async (what: string, path: string, recorded: string, sum: (path: string) => Promise<string>) => {
    const found = await sum(path).catch((cause: unknown) => {
      throw fail(`cannot read \`${path}\``, cause);
    });
    if (found === recorded) return;
    throw fail(
      `${what} changed since it was put into the cache:\n  recorded: ${recorded}\n  found:    ${found}\n  in:       ${path}`,
    );
  };
  if (record.origin !== pin.origin || (pin.origin !== 'tree' && record.madeFrom !== pin.sha256)) {
    throw fail(`\`${entry}\` was not made from what is pinned`);
  }
  await compare('the image', kernel.image, record.imageSha256, hashFile);
  if (kernel.modulesRoot !== undefined && record.modulesSha256 !== undefined) {
    await compare('a module', kernel.modulesRoot, record.modulesSha256, hashFolder);
  }
  if (kernel.config !== undefined && !existsSync(kernel.config)) {
    throw fail(`\`${kernel.config}\` is missing`);
  }
  return kernel;
}

/**
 * SHA-256 that identifies the bytes that run. Packages identify their kernel. Only the image identifies a kernel that is
 * compiled here, because compilers differ.
 */
export function identityOf({ pin, imageSha256 }: CachedKernel): string {
  return pin.origin === 'debian' || pin.origin === 'own' ? pin.sha256 : imageSha256;
}

/** Options for bringing a kernel into the cache. */
export interface ObtainOptions {
  readonly cache: Cache;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Environment in which compilers and decompressors are found. Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Whether compilers may be installed, for a kernel whose built image is not available. Default false. */
  readonly install?: boolean | undefined;
}

/** The command that brings a kernel into the cache. */
export function remakeHint(pin: KernelPin): string {
  if (pin.origin === 'tree') return 'bpfgate kernels build --source with the tree it was built from';
  return pin.origin === 'own' ? 'run it again' : `bpfgate kernels fetch ${pin.id}`;
}

/** @throws KernelError when the folder's `kernel.json` cannot be read */
export function readKernelRecord(folder: string): KernelRecord {
  const path = join(folder, 'kernel.json');
  try {
    return kernelRecordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new KernelError(`cannot read \`${path}\``, { cause, hint: `rm -r ${folder}, then fetch the kernel again` });
  }
}

/** SHA-256 over every file's path and content, in the order of the paths. */
async function hashFolder(root: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(`${await hashFile(file)}  ${file.slice(root.length + 1)}\n`);
  return hash.digest('hex');
}

/** Describes the kernel of a cache entry. */
export function describeEntry(pin: KernelPin, folder: string, record = readKernelRecord(folder)): CachedKernel {
  const config = join(folder, 'config');
  const isOwn = pin.origin === 'own';
  return {
    // Only now is the version of a package known.
    pin: isOwn ? { ...pin, minor: record.minor, release: record.release } : pin,
    image: join(folder, 'vmlinuz'),
    imageSha256: record.imageSha256,
    uname: record.uname,
    config: isOwn && !existsSync(config) ? undefined : config,
    modulesRoot: record.modulesSha256 === undefined ? undefined : join(folder, 'modules'),
  };
}

/** Every entry whose record can be read, the one made last first. */
function scanEntries(cache: Cache): { readonly folder: string; readonly record: KernelRecord }[] {
  return readEntries(cache)
    .flatMap(({ folder, record }) => {
      if (record instanceof KernelError) return [];
      return [{ folder, record, madeAt: statSync(join(folder, 'kernel.json')).mtimeMs }];
    })
    .sort((a, b) => b.madeAt - a.madeAt || a.folder.localeCompare(b.folder));
}

/** Reads the record of each entry. Names that begin with a dot are entries still being made. */
function readEntries(cache: Cache): { readonly folder: string; readonly record: KernelRecord | KernelError }[] {
  const kind = join(cache.root, kernelKind);
  const names = existsSync(kind) ? readdirSync(kind).filter((name) => !name.startsWith('.')) : [];
  return names.map((name) => {
    const folder = join(kind, name);
    try {
      return { folder, record: readKernelRecord(folder) };
    } catch (error) {
      return { folder, record: error as KernelError };
    }
  });
}

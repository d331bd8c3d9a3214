// Own kernels: finds the kernels that selectors name by path, or by a name of bpfgate.toml. Nothing is fetched or
// unpacked here.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hashFile } from '../../adapters/hash-file.ts';
import { openRegularFile, readStart } from '../../adapters/regular-file.ts';
import { walkTree } from '../../adapters/walk-tree.ts';
import { archiveKindOf } from '../../cache/archive.ts';
import { describeMisfit, imageStart, readRelease } from '../../common/bz-image.ts';
import { InputError, KernelError } from '../../common/errors.ts';
import { isLfsPointer, lfsHint, lfsProblem } from '../../common/lfs-pointer.ts';
import { filePrefix, splitSelectors } from '../../inputs/own-kernels.ts';
import { type KernelPin, minorOf, type NamedKernel, type OwnKernel, unknownVersion } from '../../model/kernel.ts';
import { builtImage, partsOf, pickBuilt, pickPackaged } from '../package-files.ts';

/** Kernels that this process has found, by selector and id. A file is read once, however often it is selected. */
const found = new Map<string, Promise<OwnKernel>>();
const claimed = new Map<string, OwnKernel>();

/**
 * Finds the user's own kernels among the selected ones.
 *
 * @param selectors with absolute paths
 * @param named the `[[kernel]]` tables of bpfgate.toml
 * @returns kernels by their selectors
 * @throws InputError when a path is no kernel, no package and no folder with a kernel
 * @throws KernelError when a folder has no kernel, or several
 */
export async function findOwnKernels(
  selectors: readonly string[],
  named: readonly NamedKernel[] = [],
): Promise<ReadonlyMap<string, OwnKernel>> {
  const kernels = new Map<string, OwnKernel>();
  const words = splitSelectors(selectors);
  // First, so that they have their names even if a file is called the same.
  for (const { name, url, sha256 } of named.filter(({ name }) => words.includes(name))) {
    kernels.set(name, claim({ ...ownKernel(name, unknownVersion, sha256), source: { url } }));
  }
  for (const word of words.filter((each) => each.startsWith(filePrefix))) {
    const finding = found.get(word) ?? readPath(word.slice(filePrefix.length));
    found.set(word, finding);
    kernels.set(word, claim(await finding));
  }
  return kernels;
}

/**
 * Kernels of which only the selectors are known, such as to a step that joins results and has no bpfgate.toml.
 *
 * @param words names of kernels; `file:ID` is how the step `plan` names one in a file
 */
export function expectKernels(words: readonly string[]): ReadonlyMap<string, OwnKernel> {
  const expect = (id: string) => ({ ...ownKernel(id, unknownVersion, ''), source: { url: '' } });
  return new Map(
    words.map((word) => [word, expect(word.startsWith(filePrefix) ? word.slice(filePrefix.length) : word)]),
  );
}

/** Gives a kernel its id. Two kernels can be of one release, such as with and without a patch. */
function claim(kernel: OwnKernel): OwnKernel {
  const other = claimed.get(kernel.id);
  if (other?.sha256 === kernel.sha256) return other;
  if (other !== undefined) return claim({ ...kernel, id: `${kernel.id}:${kernel.sha256.slice(0, 8)}` });
  claimed.set(kernel.id, kernel);
  return kernel;
}

function ownKernel(id: string, release: string, sha256: string): Omit<OwnKernel, 'source'> {
  return { id, origin: 'own', minor: minorOf(release), release, sha256, support: 'unknown' };
}

/** Whether a kernel comes in an rpm, by its name. */
export function isInRpm(pin: KernelPin): boolean {
  if (pin.origin !== 'own' || 'folder' in pin.source) return false;
  return ('url' in pin.source ? new URL(pin.source.url).pathname : pin.source.file).endsWith('.rpm');
}

async function readPath(path: string): Promise<OwnKernel> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) {
    throw new InputError(`there is no kernel \`${path}\``, { hint: 'give the path of a bzImage, package or folder' });
  }
  return stats.isDirectory() ? await readFolder(path) : await readFile(path);
}

const packageSuffix = /\.(?:deb|rpm|tgz|tar(?:\.\w+)?)$/;

async function readFile(file: string): Promise<OwnKernel> {
  return await withRegularFile(file, async (handle) => {
    const start = await readStart(handle, imageStart);
    if (isLfsPointer(start)) throw new InputError(`kernel \`${file}\`: ${lfsProblem}`, { hint: lfsHint });
    const isArchive = archiveKindOf(start) !== undefined;
    const misfit = isArchive ? undefined : describeMisfit(start);
    if (misfit !== undefined) {
      throw new InputError(`\`${file}\` ${misfit}`, {
        hint: 'a kernel is a bzImage, a .deb, .rpm or tar with one, or a folder with one',
      });
    }
    const sha256 = await hashHandle(handle);
    const release = readRelease(start);
    // The version of a package is known once it is unpacked.
    const id =
      release ??
      basename(file)
        .replace(packageSuffix, '')
        .replaceAll(/[^\w.+-]/g, '-');
    return { ...ownKernel(id, release ?? unknownVersion, sha256), source: { file } };
  });
}

async function readFolder(folder: string): Promise<OwnKernel> {
  const { release, parts } = await listFolder(folder);
  const sha256 = await sumOf(new Map([...parts].map(([to, from]) => [to, join(folder, from)])));
  return { ...ownKernel(release, release, sha256), source: { folder } };
}

/** The files of a folder that make a kernel. */
export interface FolderParts {
  readonly release: string;
  /** Paths below the folder, by those in the cache entry. */
  readonly parts: ReadonlyMap<string, string>;
}

/**
 * Lists the files of a tree that was built, or of an unpacked package.
 *
 * @throws InputError when a part of its path is a link, or its image is not for x86-64
 * @throws KernelError when it has no kernel, or several
 */
export async function listFolder(folder: string): Promise<FolderParts> {
  if ((await realpath(folder)) !== folder) {
    throw new InputError(`cannot read ${folder}: a folder of its path is a link`, { hint: 'give the path without it' });
  }
  const isBuilt = existsSync(join(folder, builtImage));
  if (!isBuilt && existsSync(join(folder, 'scripts', 'kconfig'))) {
    throw new KernelError(`\`${folder}\` is a tree of kernel sources without \`${builtImage}\``, {
      hint: 'build it: make -C that folder bzImage modules; or let bpfgate do it: bpfgate kernels build --source',
    });
  }
  const files = isBuilt
    ? pickBuilt(await namesBelow(folder, ''))
    : pickPackaged((await Promise.all(packaged.map((path) => namesBelow(folder, path)))).flat(), `\`${folder}\``);
  const image = join(folder, files.image);
  const start = await withRegularFile(image, (handle) => readStart(handle, imageStart));
  const misfit = describeMisfit(start);
  if (misfit !== undefined) throw new InputError(`\`${image}\` ${misfit}`);
  const release = readRelease(start) ?? unknownVersion;
  return { release, parts: partsOf(files, release) };
}

/** Folders of a package that are looked at. */
const packaged = ['boot', 'lib/modules', 'usr/lib/modules'];

/** Files of a tree that are listed at most. A built kernel has about 200,000. */
const maxNames = 1_000_000;

/** Lists the regular files below a path of a folder, which is not followed if it is a link. */
async function namesBelow(folder: string, path: string): Promise<string[]> {
  const start = join(folder, path);
  if ((await realpath(start).catch(() => undefined)) !== join(start)) return [];
  const names: string[] = [];
  for await (const name of walkTree(start, new Set(['.git']))) {
    if (names.push(join(path, name)) > maxNames) throw new InputError(`\`${folder}\` has more than ${maxNames} files`);
  }
  return names;
}

/** SHA-256 over files and the paths that they have in a cache entry. */
export async function sumOf(files: ReadonlyMap<string, string>): Promise<string> {
  const hash = createHash('sha256');
  for (const [to, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${await withRegularFile(file, hashHandle)}  ${to}\n`);
  }
  return hash.digest('hex');
}

async function hashHandle({ fd }: FileHandle): Promise<string> {
  return await hashFile(`/proc/self/fd/${fd}`);
}

/** Opens a file without following links. */
export async function withRegularFile<T>(file: string, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await openRegularFile(file);
  if (handle === undefined) throw new InputError(`there is no file \`${file}\``);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

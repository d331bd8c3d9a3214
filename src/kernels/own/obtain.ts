// Own kernels: brings a kernel of the user's own into the cache. Packages and images may come from a pull request.

import { existsSync } from 'node:fs';
import { constants, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hashFile } from '../../adapters/hash-file.ts';
import { readStart } from '../../adapters/regular-file.ts';
import { type ArchiveKind, archiveKindOf, extractArchive, listEntries } from '../../cache/archive.ts';
import { measureFolder } from '../../cache/cache.ts';
import { downloadVerified } from '../../cache/download.ts';
import { publishFetched } from '../../cache/downloads.ts';
import { describeMisfit, imageStart, readRelease } from '../../common/bz-image.ts';
import { KernelError } from '../../common/errors.ts';
import { minorOf, type OwnKernel, unknownVersion } from '../../model/kernel.ts';
import { kernelKind, type ObtainOptions, ownEntryKey, writeKernelRecord } from '../cached.ts';
import { indexModules } from '../index-modules.ts';
import { partsOf, pickPackaged } from '../package-files.ts';
import { readIkconfig, unpackImage } from '../unpack-image.ts';
import { listFolder, sumOf, withRegularFile } from './find.ts';

/** Bytes of a download, several times those of any kernel package. */
const maxPackage = 2 * 1024 ** 3;
/** Bytes of a kernel's files, unpacked. */
const maxFiles = 4 * 1024 ** 3;

/**
 * Brings a kernel of the user's own into the cache: fetched or copied, checked, unpacked and indexed.
 *
 * @throws KernelError when it cannot be fetched, is not what its checksum says, or holds no kernel for x86-64
 * @throws MachineError when a tool is missing, or the cache cannot be written
 */
export async function obtainOwnKernel(pin: OwnKernel, options: ObtainOptions): Promise<void> {
  const { cache, log, signal } = options;
  const name = `kernel ${pin.id}`;
  await publishFetched(cache, kernelKind, ownEntryKey(pin), { log, signal, name }, async (dir) => {
    await ('folder' in pin.source ? copyFolder(pin, pin.source.folder, dir) : takeFile(pin, dir, options));
    await finishEntry(pin, dir, options);
    log.progress(`${name} is in the cache (${((await measureFolder(dir)) / 1e6).toFixed(1)} MB)`);
  });
}

async function copyFolder(pin: OwnKernel, folder: string, dir: string): Promise<void> {
  const { parts } = await listFolder(folder);
  await copyParts(parts, folder, dir);
  const copies = new Map([...parts.keys()].map((to) => [to, join(dir, to)]));
  if ((await sumOf(copies)) !== pin.sha256) throw changed(pin, folder);
}

function changed({ id }: OwnKernel, path: string): KernelError {
  return new KernelError(`kernel ${id}: \`${path}\` changed while it was read`, { hint: 'run it again' });
}

/** Copies regular files. Links are refused. */
async function copyParts(parts: ReadonlyMap<string, string>, from: string, dir: string): Promise<void> {
  let bytes = 0;
  for (const [to, path] of parts) {
    const target = join(dir, to);
    await mkdir(dirname(target), { recursive: true });
    await withRegularFile(join(from, path), async (handle) => {
      bytes += (await handle.stat()).size;
      if (bytes > maxFiles) throw new KernelError(`\`${from}\`: the kernel's files have more than ${maxFiles} bytes`);
      await copyFile(`/proc/self/fd/${handle.fd}`, target, constants.COPYFILE_EXCL);
    });
  }
}

/** Fetches or copies an image or a package, and unpacks a package. */
async function takeFile(pin: OwnKernel, dir: string, options: ObtainOptions): Promise<void> {
  const file = join(dir, 'given');
  if ('url' in pin.source) await fetchFile(pin, pin.source.url, file, options);
  else if ('file' in pin.source) {
    await copyParts(new Map([['given', basename(pin.source.file)]]), dirname(pin.source.file), dir);
    if ((await hashFile(file)) !== pin.sha256) throw changed(pin, pin.source.file);
  }
  const kind = archiveKindOf(await withRegularFile(file, (handle) => readStart(handle, imageStart)));
  if (kind === undefined) {
    await rename(file, join(dir, 'vmlinuz'));
    return;
  }
  options.log.progress(`unpacking kernel ${pin.id}`);
  await unpackPackage(pin, file, kind, dir, options.signal);
  await rm(file);
}

async function fetchFile(
  { id, sha256 }: OwnKernel,
  url: string,
  destination: string,
  { log, signal }: ObtainOptions,
): Promise<void> {
  await downloadVerified({ name: `kernel ${id}`, sha256, maxBytes: maxPackage }, [url], destination, {
    log,
    signal,
    httpsOnly: true,
    ErrorClass: KernelError,
    absentHint: `give [[kernel]] ${id} another url`,
    unreachableHint: `correct url or sha256 of [[kernel]] ${id} in bpfgate.toml`,
  });
}

async function unpackPackage(
  { id }: OwnKernel,
  file: string,
  kind: ArchiveKind,
  dir: string,
  signal?: AbortSignal,
): Promise<void> {
  const where = `the package of kernel ${id}`;
  const options = { kind, signal, name: where, ErrorClass: KernelError };
  const entries = await listEntries(file, options);
  const outside = entries.find(({ name }) => name.split('/').includes('..'));
  if (outside !== undefined) {
    throw new KernelError(`${where} has a path that leaves its folder: ${outside.name.slice(0, 200)}`);
  }
  // Links, devices and the like are never extracted, nor is anything twice.
  const regular = new Map<string, (typeof entries)[number]>();
  const seen = new Set<string>();
  for (const entry of entries) {
    const name = entry.name.replace(/^(?:\.?\/)+/, '');
    if (seen.has(name)) regular.delete(name);
    else if (entry.type === '-' && !name.includes('\\')) regular.set(name, entry);
    seen.add(name);
  }
  const files = pickPackaged([...regular.keys()], where);
  const parts = partsOf(files, files.uname);
  const wanted = [...parts.values()].flatMap((name) => regular.get(name) ?? []);
  const bytes = wanted.reduce((sum, entry) => sum + entry.bytes, 0);
  if (bytes > maxFiles) throw new KernelError(`${where} unpacks to more than ${maxFiles} bytes`);
  const unpacked = join(dir, 'unpacked');
  await extractArchive(
    file,
    wanted.map(({ name }) => name),
    unpacked,
    options,
  );
  await copyParts(parts, unpacked, dir);
  await rm(unpacked, { recursive: true });
}

/** Checks the image, finds its configuration, indexes the modules and writes the record. */
async function finishEntry(pin: OwnKernel, dir: string, options: ObtainOptions): Promise<void> {
  const { signal, environment = process.env } = options;
  const image = join(dir, 'vmlinuz');
  const start = await withRegularFile(image, (handle) => readStart(handle, imageStart));
  const misfit = describeMisfit(start);
  if (misfit !== undefined) {
    throw new KernelError(`the image of kernel ${pin.id} ${misfit}`, {
      hint: 'a kernel is a bzImage for x86-64, or a .deb, .rpm or tar with one',
    });
  }
  const uname = readRelease(start) ?? unknownVersion;
  const modules = join(dir, 'modules');
  if (existsSync(modules)) {
    if (!existsSync(join(modules, 'lib', 'modules', uname))) {
      throw new KernelError(`kernel ${pin.id}: its modules are of another release than its image, ${uname}`, {
        hint: 'give a package or folder in which both are of one build',
      });
    }
    await indexModules(modules, uname, signal);
  }
  const config = join(dir, 'config');
  if (!existsSync(config)) {
    const vmlinux = join(dir, 'vmlinux');
    const text = (await unpackImage(image, vmlinux, environment)) ? readIkconfig(await readFile(vmlinux)) : undefined;
    await rm(vmlinux, { force: true });
    if (text !== undefined) await writeFile(config, text);
  }
  await writeKernelRecord(dir, {
    origin: 'own',
    minor: minorOf(uname),
    release: uname,
    uname,
    madeFrom: pin.sha256,
  });
}

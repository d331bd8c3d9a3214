// Second stage, kernels built from source: what an unpacked tree is, found out without writing to it.

import { createHash } from 'node:crypto';
import { type Dirent, existsSync } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { runOrThrow } from '../../adapters/process.ts';
import { GateError, InputError } from '../../errors.ts';

/** What an in-tree configuration or build leaves behind; an out-of-tree build refuses such a tree. */
const traces = ['.config', 'include/config', 'include/generated', 'arch/x86/include/generated'];

/**
 * The version a tree calls itself: `5.8.18`.
 *
 * @param tree absolute path
 * @throws InputError when the folder is no kernel tree, is of another minor version, or was configured or built in place
 */
export async function readTreeRelease(
  tree: string,
  minor: string,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string> {
  if (!existsSync(join(tree, 'Makefile')) || !existsSync(join(tree, 'scripts', 'kconfig'))) {
    throw new InputError(`\`${tree}\` is no tree of kernel sources`, {
      hint: '--source takes the folder a kernel.org tarball unpacks to',
    });
  }
  const release = await readVersion(tree, environment, signal);
  if (!/^\d+\.\d+(\.\d+)?(-\S+)?$/.test(release)) {
    throw new InputError(`\`${tree}\` does not say which kernel version it is: "${release}"`);
  }
  if (minorOf(release) !== minor) {
    throw new InputError(`\`${tree}\` is ${release}, not ${minor}`, {
      hint: `bpfgate kernels build ${minorOf(release)} --source ${tree}`,
    });
  }
  const trace = traces.find((name) => existsSync(join(tree, name)));
  if (trace !== undefined) {
    throw new InputError(`\`${tree}\` is not clean: it holds \`${trace}\``, { hint: `make -C ${tree} mrproper` });
  }
  return release;
}

function minorOf(release: string): string {
  return release.split('.').slice(0, 2).join('.').replace(/-.*$/, '');
}

async function readVersion(tree: string, { PATH, HOME }: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<string> {
  try {
    const env = { PATH, HOME, LC_ALL: 'C' };
    return (await runOrThrow('make', ['-s', '-C', tree, 'kernelversion'], { env, signal, timeoutMs: 60_000 })).trim();
  } catch (error) {
    if (!(error instanceof GateError) || signal?.aborted) throw error;
    throw new InputError(`\`${tree}\` does not say which kernel version it is: ${error.message}`, { cause: error });
  }
}

/**
 * SHA-256 over every file's path, kind, executable bit and content, in the order of the paths; `.git` is left out.
 * Lower-case hexadecimal.
 */
export async function hashTree(tree: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await addFolder(tree, '', hash, signal);
  return hash.digest('hex');
}

async function addFolder(
  root: string,
  folder: string,
  hash: ReturnType<typeof createHash>,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const kept = entries.filter(({ name }) => name !== '.git').sort((a, b) => (a.name < b.name ? -1 : 1));
  // The files of one folder at once: a tree has 70,000.
  const lines = await Promise.all(kept.map((entry) => describeEntry(root, join(folder, entry.name), entry)));
  for (const [index, entry] of kept.entries()) {
    if (entry.isDirectory()) await addFolder(root, join(folder, entry.name), hash, signal);
    else hash.update(`${lines[index]}\0`);
  }
}

async function describeEntry(root: string, path: string, entry: Dirent): Promise<string> {
  const file = join(root, path);
  if (entry.isDirectory()) return '';
  if (entry.isSymbolicLink()) return `link ${path}\0${await readlink(file)}`;
  if (!entry.isFile()) return `other ${path}`;
  const [{ mode }, content] = await Promise.all([lstat(file), readFile(file)]);
  const sum = createHash('sha256').update(content).digest('hex');
  return `${(mode & 0o100) === 0 ? 'file' : 'program'} ${path}\0${sum}`;
}

// Guest: the initramfs that every guest starts from, with a static busybox, vm/initramfs/init and the modules it needs.
// It is made once per kernel and kept in the cache.

import { createHash, hash } from 'node:crypto';
import { chmod, copyFile, lutimes, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packageRoot } from '../adapters/package-root.ts';
import { runOrThrow } from '../adapters/process.ts';
import { type Cache, publishEntry } from '../cache/cache.ts';
import { KernelError, MachineError } from '../common/errors.ts';
import type { CachedKernel } from '../model/kernel.ts';
import { findExecutable } from '../prerequisites/executables.ts';

export interface Initramfs {
  /** Absolute path of the cpio archive. */
  readonly file: string;
  /** SHA-256 of the archive. */
  readonly sha256: string;
}

/** Modules needed before the host's root can be mounted. Some kernels have them built in. */
const neededModules = ['virtio_pci', '9p', '9pnet_virtio', 'overlay'];

/**
 * Makes the initramfs of a kernel, or finds it in the cache. Equal inputs give equal bytes.
 *
 * @throws MachineError when busybox, modprobe, cpio or a decompressor is missing
 */
export async function makeInitramfs(
  kernel: CachedKernel,
  cache: Cache,
  environment: NodeJS.ProcessEnv,
): Promise<Initramfs> {
  const busybox = await findBusybox(environment);
  const init = join(packageRoot, 'vm', 'initramfs', 'init');
  const key = createHash('sha256')
    // One image of the user's may come with modules or without.
    .update(
      JSON.stringify([kernel.imageSha256, neededModules, ...(kernel.pin.origin === 'own' ? [kernel.pin.sha256] : [])]),
    )
    .update(await readFile(init))
    .update(await readFile(busybox))
    .digest('hex');

  const entry = await publishEntry(cache, 'initramfs', key, async (folder) => {
    const root = join(folder, 'root');
    await mkdir(join(root, 'bin'), { recursive: true });
    await mkdir(join(root, 'modules'));
    await copyFile(busybox, join(root, 'bin', 'busybox'));
    await chmod(join(root, 'bin', 'busybox'), 0o755);
    await copyFile(init, join(root, 'init'));
    await chmod(join(root, 'init'), 0o755);
    await copyModules(kernel, join(root, 'modules'), environment);

    const names = (await readdir(root, { recursive: true })).sort();
    for (const name of ['.', ...names]) await lutimes(join(root, name), 0, 0);
    const archive = join(folder, 'initramfs.cpio');
    await runOrThrow(
      'cpio',
      ['--create', '--format=newc', '--reproducible', '--owner=0:0', '--quiet', `--file=${archive}`],
      { cwd: root, env: environment, input: `${['.', ...names].join('\n')}\n` },
    );
    const sha256 = hash('sha256', await readFile(archive));
    await writeFile(join(folder, 'sha256'), sha256);
  });
  return { file: join(entry, 'initramfs.cpio'), sha256: await readFile(join(entry, 'sha256'), 'utf8') };
}

async function findBusybox(environment: NodeJS.ProcessEnv): Promise<string> {
  const path = await findExecutable('busybox', environment);
  if (path !== undefined) return path;
  throw new MachineError('there is no busybox on this machine', { hint: 'apt-get install busybox-static' });
}

/** Copies the needed modules and their dependencies, unpacked. Their names sort in load order. */
async function copyModules(kernel: CachedKernel, target: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const { modulesRoot } = kernel;
  if (modulesRoot === undefined) return;
  const files: string[] = [];
  for (const name of neededModules) {
    const shown = await runOrThrow(
      'modprobe',
      ['--dirname', modulesRoot, '--set-version', kernel.uname, '--show-depends', name],
      { env: environment },
    ).catch((error: unknown) => {
      if (kernel.pin.origin !== 'own' || !(error instanceof MachineError)) throw error;
      throw new KernelError(`kernel ${kernel.pin.id}: among its modules there is no ${name}: ${error.message}`, {
        cause: error,
        hint: 'give a package or folder with all modules; where they are in several packages, put these into one tar',
      });
    });
    for (const [, file] of shown.matchAll(/^insmod (\S+)/gm)) {
      if (file !== undefined && !files.includes(file)) files.push(file);
    }
  }
  for (const [index, file] of files.entries()) {
    const number = String(index).padStart(2, '0');
    const unpacked = basename(file).replace(/\.(xz|zst|gz)$/, '');
    const destination = join(target, `${number}-${unpacked}`);
    if (unpacked === basename(file)) {
      await copyFile(file, destination);
      continue;
    }
    const tool = file.endsWith('.xz') ? 'xz' : file.endsWith('.zst') ? 'zstd' : 'gzip';
    await runOrThrow('bash', ['-c', '"$0" -dc "$1" > "$2"', tool, file, destination], { env: environment });
  }
}

// Guest: builds a tree in a guest. The tree goes in as the host has it, and comes back as the build has left it.

import { mkdir, readFile, rename } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { packageRoot } from '../adapters/package-root.ts';
import { run } from '../adapters/process.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import type { BuildEnd, TreeBuild } from '../build/build-place.ts';
import { VmError } from '../common/errors.ts';
import type { CachedKernel } from '../model/kernel.ts';
import { exitCodeOf, runCommand } from './exec-in-guest.ts';
import { FileTail, type GuestContext, withRunFolder } from './guest.ts';
import { openGuestFile } from './guest-files.ts';
import { parseStatus } from './records.ts';
import { checkTreeArchive, type TreeLimits } from './tree-archive.ts';

/** Number of characters that are kept from the end of a build's output. */
const maxBuildOutput = 65_536;
/** Maximum size of a build's stderr; more is an error. */
const maxBuildStderrMiB = 1024;
/** Maximum memory of the guest that builds. The tree that it hands back must fit in it, too. */
const buildMemoryMiB = 8192;
/** Maximum number of files, folders and links in the tree: each takes room on the host's disk, even an empty one. */
const maxTreeEntries = 500_000;

/**
 * Runs a build in a guest with the fastest accelerator and all of the host's processors, on the tree at `workDir`, and
 * replaces that tree with the result. The guest has no network and cannot harm the host. A build that fails leaves the
 * tree as it was.
 *
 * @throws VmError when the guest failed, or what it left is not a tree
 * @throws BuildError when the tree holds more than files, folders and links, or too many
 */
export async function buildInGuest(kernel: CachedKernel, build: TreeBuild, context: GuestContext): Promise<BuildEnd> {
  return againAfterBootPanic(() => buildOnce(kernel, build, context), context.log);
}

/**
 * Boots a guest, and once more if its kernel panics before the guest has begun its work. This happened with 6.12 and
 * several emulated CPUs next to another guest, twice in about forty boots. The cause is unknown.
 */
export async function againAfterBootPanic<T>(boot: () => Promise<T>, log: Pick<Log, 'warn'>): Promise<T> {
  try {
    return await boot();
  } catch (error) {
    if (!(error instanceof VmError) || !error.panickedInBoot) throw error;
    log.warn(`${error.message}; it is booted once more`);
    return await boot();
  }
}

async function buildOnce(
  kernel: CachedKernel,
  { command, workDir, project, variables, timeoutMs, onLine }: TreeBuild,
  context: GuestContext,
): Promise<BuildEnd> {
  const memoryMiB = Math.min(buildMemoryMiB, Math.floor(totalmem() / 2 ** 21));
  return withRunFolder(async (runFolder) => {
    const lines = new Lines(onLine);
    const end = await runCommand(
      {
        kernel,
        memoryMiB,
        cpus: availableParallelism(),
        icount: false,
        timeoutMs,
        runFolder,
        trees: [workDir],
        // Passed as text: the guest has the host's bash, but not always this file's folder.
        argv: ['bash', '-c', await readFile(join(packageRoot, 'vm', 'build'), 'utf8'), 'build', workDir, command],
        cwd: project,
        variables,
        maxRunFolderMiB: memoryMiB + maxBuildStderrMiB,
        tails: [
          new FileTail(join(runFolder, 'stderr'), (chunk) => lines.add(chunk), {
            maxBytes: maxBuildStderrMiB * 2 ** 20,
          }),
        ],
      },
      context,
    );
    const exitCode = exitCodeOf(parseStatus(end.status));
    if (exitCode !== 0) return { failure: `exited with ${exitCode}`, output: lines.last() };
    await unpackTree(join(runFolder, 'stdout'), workDir, { maxEntries: maxTreeEntries, maxBytes: memoryMiB * 2 ** 20 });
    return { failure: undefined, output: lines.last() };
  });
}

/**
 * Unpacks a guest's archive next to the folder that it replaces. Root in the guest can have put anything into it, so
 * what tar would make of it is checked first.
 *
 * @param limits the limit of bytes also applies to the archive itself
 * @throws VmError when it is not a tree
 * @throws BuildError when it holds more than files, folders and links, or too many
 */
export async function unpackTree(archive: string, workDir: string, limits: TreeLimits): Promise<void> {
  const handle = await openGuestFile(archive);
  if (handle === null) throw new VmError('the guest left no tree');
  const unpacked = `${workDir}.guest`;
  try {
    const { size } = await handle.stat();
    if (size > limits.maxBytes) throw new VmError(`the guest left a tree of ${size} bytes, more than its memory holds`);
    await checkTreeArchive(handle, limits);
    await removeTree(unpacked);
    await mkdir(unpacked);
    // tar makes links that lead outside last. The guest's owners and set-id bits are dropped.
    const args = ['--extract', '--file=-', `--directory=${unpacked}`, '--no-same-owner', '--no-same-permissions'];
    const tar = await run('tar', args, { stdin: handle });
    if (tar.exitCode !== 0) throw new VmError(`the guest left a tree that cannot be unpacked: ${tar.stderr.trim()}`);
    await removeTree(workDir);
    await rename(unpacked, workDir);
  } finally {
    await handle.close();
    await removeTree(unpacked);
  }
}

/** Splits chunks into lines, and keeps the end of the text. */
class Lines {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #pending = '';
  #last = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Buffer): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#last = (this.#last + text).slice(-maxBuildOutput);
    const lines = (this.#pending + text).split('\n');
    this.#pending = (lines.pop() ?? '').slice(-maxBuildOutput);
    for (const line of lines) this.#onLine(line);
  }

  last(): string {
    return this.#last;
  }
}

// Guest: limits what a guest may write. Its run folder is on the host's disk, and root in the guest can write there
// without the agent.

import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { machineFailure, VmError } from '../common/errors.ts';

/** Twice the maximum that is read of a boot: records, output and profiles. */
const defaultMiB = 512;
/** Many times what the agent makes: two files for each reading, and those of profiles. */
const defaultFiles = 100_000;
/** Factor of the limit for all writes together: small pieces are written to the disk more than once. */
const mostWrites = 4;
const leastPauseMs = 1000;
/** Applies however long a check takes: with many files a guest must not gain time without checks. */
const longestPauseMs = 2000;
/** Number of files that are checked without a break. */
const atOnce = 1000;
/** Maximum share of the time that checks take, except at the longest pause: the host has other work. */
const mostTime = 1 / 50;

/**
 * Makes a function to call again and again while a guest runs. It checks the run folder now and then.
 *
 * @param runFolder absolute path without links; programs with this working folder are the guest's
 * @param limits maximum size of the files on the disk, in MiB, default 512; and maximum number of files, default
 * 100,000
 * @returns a function that rejects with VmError when the folder holds more than any agent leaves, or files that cannot
 * be counted; also when the guest has written four times as much, wherever that is now
 */
export function limitRunFolder(
  runFolder: string,
  kernel: string,
  { maxMiB = defaultMiB, maxFiles = defaultFiles }: { readonly maxMiB?: number; readonly maxFiles?: number } = {},
): () => Promise<void> {
  const hint = 'see what a bench, or a command in the guest, does there as root';
  const refuse = (what: string) => new VmError(`the guest of kernel ${kernel} ${what} its run folder`, { hint });
  let nextAt = performance.now() + leastPauseMs;
  return async () => {
    const startedAt = performance.now();
    if (startedAt < nextAt) return;
    const use = new Use(maxFiles);
    try {
      await use.addFiles(runFolder);
      await use.addPrograms(runFolder);
    } catch (cause) {
      // The message is left out, because it names a path of any length.
      const { code } = cause as NodeJS.ErrnoException;
      if (code === undefined || machineFailure(cause) !== undefined) throw cause;
      throw new VmError(`${refuse('left files that cannot be counted in').message} (${code})`, { cause, hint });
    }
    if (use.bytes > maxMiB * 2 ** 20) throw refuse(`wrote more than ${maxMiB} MiB to`);
    if (use.files > maxFiles) throw refuse(`left more than ${maxFiles} files in`);
    if (use.written > mostWrites * maxMiB * 2 ** 20) {
      throw refuse(`wrote more than ${mostWrites * maxMiB} MiB, again and again, to`);
    }
    const now = performance.now();
    nextAt = now + Math.min(longestPauseMs, Math.max(leastPauseMs, (now - startedAt) / mostTime));
  };
}

/** A guest's use of the disk. Calls are synchronous, which is faster, with breaks so that other work can proceed. */
class Use {
  /** Space taken on the disk: a sparse file takes less than its length. */
  bytes = 0;
  files = 0;
  /** Bytes that its programs have ever written to a disk, without those removed before they got there. */
  written = 0;
  readonly #maxFiles: number;
  readonly #seen = new Set<string>();

  /** @param maxFiles number of files beyond which nothing more is added */
  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
  }

  /** @throws Error with a `code` when something cannot be inspected: it could be of any size */
  async addFiles(runFolder: string): Promise<void> {
    // One character per byte: a name need not be text, and decoded text would not name the file.
    const bytesOf = (path: string) => Buffer.from(path, 'latin1');
    const folders = [Buffer.from(runFolder).toString('latin1')];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const own = bytesOf(folder);
      for (const name of unlessGone(() => readdirSync(own, { encoding: 'latin1' })) ?? []) {
        const path = `${folder}/${name}`;
        const stats = unlessGone(() => lstatSync(bytesOf(path)));
        if (stats === undefined) continue;
        await this.#add(stats);
        if (this.files > this.#maxFiles) return;
        if (stats.isDirectory()) folders.push(path);
      }
    }
  }

  /**
   * Adds files that the programs in the folder hold open for the guest and that were not found there. A deleted file
   * takes its space until QEMU closes it, which happens when the guest does. Also adds what the programs have written,
   * because a scan can miss a file that the guest moves about.
   *
   * @throws Error as `addFiles`
   */
  async addPrograms(runFolder: string): Promise<void> {
    for (const program of programsIn(runFolder)) {
      this.written += writtenBy(program);
      for (const name of unlessEnded(() => readdirSync(`${program}/fd`)) ?? []) {
        const file = `${program}/fd/${name}`;
        const stats = isOfGuest(runFolder, file) ? unlessEnded(() => statSync(file)) : undefined;
        if (stats !== undefined) await this.#add(stats);
        if (this.files > this.#maxFiles) return;
      }
    }
  }

  async #add({ dev, ino, blocks }: Stats): Promise<void> {
    const file = `${dev}:${ino}`;
    if (this.#seen.has(file)) return;
    this.#seen.add(file);
    this.files += 1;
    this.bytes += blocks * 512;
    if (this.files % atOnce === 0) await setImmediate();
  }
}

/** Paths in /proc of the programs with this working folder: both runners and the QEMU that they start. */
function programsIn(folder: string): string[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all
    .map((pid) => `/proc/${pid}`)
    .filter((program) => {
      try {
        return readlinkSync(`${program}/cwd`) === folder;
      } catch {
        return false; // It is another user's, or has ended.
      }
    });
}

/** Bytes that a program has written; 0 where the file system is in memory, or the host's kernel does not count. */
function writtenBy(program: string): number {
  const counted = unlessEnded(() => readFileSync(`${program}/io`, 'utf8')) ?? '';
  const read = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counted)?.[1] ?? 0);
  return read('write_bytes') - read('cancelled_write_bytes');
}

/**
 * Whether an open file is the guest's: below the run folder.
 *
 * @param file a link in /proc. It cannot be read if the path is too long; such a file is the guest's
 */
function isOfGuest(runFolder: string, file: string): boolean {
  try {
    const path = unlessEnded(() => readlinkSync(file)) ?? '';
    return path.startsWith(`${runFolder}/`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return true;
    throw error;
  }
}

/** Returns undefined for files that the guest has removed or replaced meanwhile. */
function unlessGone<T>(look: () => T): T | undefined {
  return unlessFailed(look, ['ENOENT', 'ENOTDIR']);
}

/**
 * Returns undefined for a program in /proc that is ending or has ended. Until it is gone, its user is refused access.
 */
function unlessEnded<T>(look: () => T): T | undefined {
  return unlessFailed(look, ['ENOENT', 'ESRCH', 'EACCES']);
}

function unlessFailed<T>(look: () => T, codes: readonly string[]): T | undefined {
  try {
    return look();
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

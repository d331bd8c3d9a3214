// How much a guest may write: its run folder lies on the host's disk, and root in the guest can write to it
// past the agent.

import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { machineFailure, VmError } from '../errors.ts';

/** Twice of what is read of a boot at most: records, output and profiles. */
const defaultMiB = 512;
/** Of the time lane's hundreds of rounds some ten thousand are the agent's. */
const defaultFiles = 100_000;
/** What is written in small pieces is written to the disk more than once. */
const mostWrites = 4;
const leastPauseMs = 1000;
/** However long looking takes: many files must not buy a guest time in which nobody looks. */
const longestPauseMs = 2000;
/** Files looked at in one go. */
const atOnce = 1000;
/** Looking takes no more than this part of the time, short of the longest pause: the host has other things to do. */
const mostTime = 1 / 50;

/**
 * Makes a function to call again and again while a guest runs: it looks at the run folder now and then.
 *
 * @param runFolder absolute path without links; the programs that work in it are the guest's
 * @param limits what the files may take on the disk, in MiB, 512 unless told; and how many they may be, 100,000 unless told
 * @returns a function that rejects with VmError when there is more in the folder than any agent leaves, or what cannot be
 *   counted; when the guest has written four times as much, wherever that is now
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
      // Not its message, which names a path of any length.
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

/** What a guest takes of the disk. Nothing is waited for, which takes longer than looking, but for others' sake after some. */
class Use {
  /** On the disk: a sparse file takes less than its length. */
  bytes = 0;
  files = 0;
  /** What its programs have ever written to a disk, less what was removed before it came there. */
  written = 0;
  readonly #maxFiles: number;
  readonly #seen = new Set<string>();

  /** @param maxFiles when there are more, nothing is added any more */
  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
  }

  /** @throws Error with a `code` when something cannot be looked at: it could be of any size */
  async addFiles(runFolder: string): Promise<void> {
    // A character for each byte: a name need not be text, and what it is decoded to does not name it.
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
   * Adds what the programs that work in the folder hold open for the guest and is not found there: a deleted file takes its
   * place until QEMU closes it, which is when the guest does. And what they have written: a file that the guest moves about
   * can be missed by who looks for it.
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

/** In /proc, each program whose working folder this is: both runners and the QEMU that they start. */
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

/** In bytes; nothing where the file system is in memory, or the host's kernel does not count. */
function writtenBy(program: string): number {
  const counted = unlessEnded(() => readFileSync(`${program}/io`, 'utf8')) ?? '';
  const read = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counted)?.[1] ?? 0);
  return read('write_bytes') - read('cancelled_write_bytes');
}

/**
 * Whether an open file is the guest's: below the run folder, or in what a runner has beside it, where virtme-ng gives the
 * guest a port to a file.
 *
 * @param file a link of /proc, which names no path that is too long: what has one is the guest's
 */
function isOfGuest(runFolder: string, file: string): boolean {
  try {
    const path = unlessEnded(() => readlinkSync(file)) ?? '';
    return path.startsWith(`${runFolder}/`) || path.startsWith(`${runFolder}-`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return true;
    throw error;
  }
}

/** Undefined for what the guest has removed meanwhile, or put something else in the place of. */
function unlessGone<T>(look: () => T): T | undefined {
  return unlessFailed(look, ['ENOENT', 'ENOTDIR']);
}

/** Undefined for a program in /proc that is ending or has ended. Until it is gone, the kernel refuses its user to look. */
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

// Sandbox: how much of the machine a build on the host may use. The machine is watched as a whole, because a build can
// leave any group, and not all it writes or holds in memory is in its own files and processes.

import { readFile, statfs } from 'node:fs/promises';

export interface BuildLimits {
  /** Maximum number of threads on the machine, beyond those when the build began. */
  readonly threads: number;
  /** Bytes of memory that the build has to leave free. */
  readonly memoryLeft: number;
  /** Bytes that the build has to leave free on the disk of its folder. */
  readonly diskLeft: number;
  /** Number of files that must still fit there; not checked on a disk without such a count. */
  readonly filesLeft: number;
}

/** Default limits. For a machine that has less than twice as much, half of what it has. */
const most: BuildLimits = { threads: 16_384, memoryLeft: 512 * 2 ** 20, diskLeft: 2 ** 30, filesLeft: 20_000 };

const lookEachMs = 100;

interface Machine {
  readonly threads: number;
  readonly memory: number;
  readonly disk: number;
  /** Infinite on file systems that count none. */
  readonly files: number;
}

/**
 * Calls `onExceeded` once when a limit is exceeded, with a clause that follows "the build": `left less than ...`.
 *
 * @param folder any folder on the watched disk
 * @param limits default: `most`, or half of what the machine has where that is less
 * @returns a function that ends the watch
 */
export async function watchLimits(
  folder: string,
  onExceeded: (what: string) => void,
  limits?: BuildLimits,
): Promise<() => void> {
  const before = await readMachine(folder);
  const { threads, memoryLeft, diskLeft, filesLeft } = limits ?? {
    threads: most.threads,
    memoryLeft: Math.min(most.memoryLeft, before.memory / 2),
    diskLeft: Math.min(most.diskLeft, before.disk / 2),
    filesLeft: Math.min(most.filesLeft, before.files / 2),
  };
  const describe = (now: Machine): string | undefined => {
    if (now.threads > before.threads + threads) return `had more than ${threads} threads`;
    if (now.memory < memoryLeft) return `left less than ${megabytes(memoryLeft)} of this machine's memory`;
    if (now.disk < diskLeft) return `left less than ${megabytes(diskLeft)} on the disk of ${folder}`;
    if (now.files < filesLeft)
      return `left room for fewer than ${Math.round(filesLeft)} files on the disk of ${folder}`;
    return undefined;
  };
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    const what = await readMachine(folder).then(describe, () => undefined);
    isLooking = false;
    if (what === undefined) return;
    clearInterval(timer);
    onExceeded(what);
  }, lookEachMs);
  return () => clearInterval(timer);
}

async function readMachine(folder: string): Promise<Machine> {
  const [load, memory, disk] = await Promise.all([
    readFile('/proc/loadavg', 'utf8'),
    readFile('/proc/meminfo', 'utf8'),
    statfs(folder),
  ]);
  return {
    threads: Number(/\/(\d+)/.exec(load)?.[1]),
    memory: Number(/^MemAvailable:\s+(\d+)/m.exec(memory)?.[1]) * 1024,
    disk: disk.bavail * disk.bsize,
    files: disk.files === 0 ? Number.POSITIVE_INFINITY : disk.ffree,
  };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

// What a build on the host may take of the machine. Looked at from outside and as a whole, since a build can leave any
// group, and what it writes or holds in memory is not all in files and processes of its own.

import { readFile, statfs } from 'node:fs/promises';

/** Each with what it is said to be when a build exceeds it. */
export interface BuildLimits {
  /** Threads that are started on the machine, beyond those when the build began. */
  readonly threads: number;
  /** Bytes of memory that the build has to leave. */
  readonly memoryLeft: number;
  /** Bytes that the build has to leave on the disk of its folder. */
  readonly diskLeft: number;
  /** Files that can be made there still; none on a disk that does not say. */
  readonly filesLeft: number;
}

/** Of a machine that has less than twice as much, half of what it has. */
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
 * Calls `onExceeded` once when a limit is, with what was done, to be read after "the build": `left less than ...`.
 *
 * @param folder on the disk that is looked at
 * @param limits default: those of the table above
 * @returns what ends the watch
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

// A lock between processes: a file that holds its owner's process id. The lock of a process that has ended is taken over.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../adapters/log.ts';

export interface LockOptions {
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
}

/** Runs `work` while holding the lock at `path`, whose folder must exist; waits for another owner to end. */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  let told = false;
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = Number(await readFile(path, 'utf8').catch(() => ''));
    if (owner > 0 && !isAlive(owner)) {
      await rm(path, { force: true });
      continue;
    }
    if (!told) options.log.progress(`waiting for another bpfgate (process ${owner}) that builds the same repository`);
    told = true;
    await setTimeout(500, undefined, { signal: options.signal });
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

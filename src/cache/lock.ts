// Locks between processes, held by flock(1): the kernel gives them back however their owner ends.

import type { Log } from '../adapters/log.ts';
import { run, start } from '../adapters/process.ts';
import { MachineError } from '../errors.ts';

export interface LockOptions {
  readonly log: Log;
  /** What a person is told while the lock is somebody else's. */
  readonly waiting: string;
  readonly signal?: AbortSignal | undefined;
}

/** Time after which a person is told what is waited for. */
const patienceMs = 1000;

/** Gives a lock back. */
export type Release = () => Promise<void>;

/**
 * Runs `work` while holding the lock on the file at `path`, whose folder must exist; waits for another owner to end.
 *
 * @throws MachineError when flock cannot be run
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const release = await takeLock('--exclusive', path, options);
  try {
    return await work();
  } finally {
    await release();
  }
}

/**
 * Says that a file or folder is in use, until it is released or this process ends; others may say the same of it.
 *
 * @throws MachineError when flock cannot be run
 */
export async function shareLock(path: string, options: LockOptions): Promise<Release> {
  return await takeLock('--shared', path, options);
}

/** Whether somebody holds a lock on a file or folder; also where that cannot be told. */
export async function isLocked(path: string): Promise<boolean> {
  return (await run('flock', ['--exclusive', '--nonblock', path, 'true'])).exitCode !== 0;
}

async function takeLock(how: '--exclusive' | '--shared', path: string, options: LockOptions): Promise<Release> {
  options.signal?.throwIfAborted();
  // The holder ends when its standard input is closed, which it is too when this process is killed. A terminal's
  // interruption is not for it: it goes to all of a group, and what is locked is still in use while bpfgate cleans up.
  const hold = [how, '--no-fork', path, 'sh', '-c', 'echo held; exec cat'];
  const holder = start('flock', hold, ['pipe', 'pipe', 'ignore']);
  const ended = new Promise<void>((resolve) => holder.on('close', () => resolve()));
  const timer = setTimeout(() => options.log.progress(options.waiting), patienceMs);
  const onAbort = () => holder.kill('SIGKILL');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      holder.stdout?.once('data', () => resolve());
      holder.on('error', (cause) =>
        reject(new MachineError('cannot start `flock`', { cause, hint: 'bpfgate doctor' })),
      );
      holder.on('close', () => reject(options.signal?.reason ?? new MachineError(`cannot lock ${path}`)));
    });
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
  }
  return async () => {
    holder.stdin?.end();
    await ended;
  };
}

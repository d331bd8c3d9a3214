// A lock between processes, held by flock(1): the kernel gives it back however its owner ends.

import { spawn } from 'node:child_process';
import type { Log } from '../adapters/log.ts';
import { MachineError } from '../errors.ts';

export interface LockOptions {
  readonly log: Log;
  /** What a person is told while the lock is somebody else's. */
  readonly waiting: string;
  readonly signal?: AbortSignal | undefined;
}

/** Time after which a person is told what is waited for. */
const patienceMs = 1000;

/**
 * Runs `work` while holding the lock on the file at `path`, whose folder must exist; waits for another owner to end.
 *
 * @throws MachineError when flock cannot be run
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  options.signal?.throwIfAborted();
  // The holder ends when its standard input is closed, which it is too when this process is killed.
  const holder = spawn('flock', ['--exclusive', path, 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => holder.on('close', () => resolve()));
  const timer = setTimeout(() => options.log.progress(options.waiting), patienceMs);
  const onAbort = () => holder.kill('SIGKILL');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      holder.stdout.once('data', () => resolve());
      holder.on('error', (cause) =>
        reject(new MachineError('cannot start `flock`', { cause, hint: 'bpfgate doctor' })),
      );
      holder.on('close', () => reject(options.signal?.reason ?? new MachineError(`cannot lock ${path}`)));
    });
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
  }
  try {
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}

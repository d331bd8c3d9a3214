// Cache: locks between processes, held by flock(1). The kernel releases them however their owner ends.

import type { Log } from '../adapters/log.ts';
import { run, start } from '../adapters/process.ts';
import { MachineError } from '../common/errors.ts';

export interface LockOptions {
  readonly log: Log;
  /** Message to print while another process holds the lock. */
  readonly waiting: string;
  readonly signal?: AbortSignal | undefined;
}

/** Time after which the message is printed. */
const patienceMs = 1000;

/** Releases a lock. */
export type Release = () => Promise<void>;

/**
 * Runs `work` while holding the lock on the file at `path`, whose folder must exist. Waits for another owner to end.
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
 * Marks a file or folder as in use until it is released or this process ends. Other processes can mark it as well.
 *
 * @throws MachineError when flock cannot be run
 */
export async function shareLock(path: string, options: LockOptions): Promise<Release> {
  return await takeLock('--shared', path, options);
}

/** Whether a process holds a lock on a file or folder; also true where that cannot be determined. */
export async function isLocked(path: string): Promise<boolean> {
  return (await run('flock', ['--exclusive', '--nonblock', path, 'true'])).exitCode !== 0;
}

async function takeLock(how: '--exclusive' | '--shared', path: string, options: LockOptions): Promise<Release> {
  options.signal?.throwIfAborted();
  // The holder ends when its standard input is closed, which also happens when this process is killed. A terminal's
  // interruption goes to a whole process group. It must not end the holder: what is locked stays in use while bpfgate
  // cleans up.
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

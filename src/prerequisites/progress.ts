// Prerequisites: showing that a long installation is alive.

import type { Log } from '../adapters/log.ts';
import type { Cache } from '../cache/cache.ts';

/** What every installation gets. */
export interface InstallContext {
  readonly cache: Cache;
  readonly log: Log;
  /** Environment in which programs are found. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** Whether a line of cargo's output names a step, and is not part of a compiler's warning. */
export function isCargoStep(line: string): boolean {
  return /^\s*[A-Z][a-z]+(ing|ed) /.test(line);
}

/**
 * Logs that `title` begins and, while `work` goes on, every 15 s how long it has taken and the last line it printed.
 *
 * @param more text after the title in the first line: `, which takes one to two minutes`. Default: nothing
 */
export async function withProgress<T>(
  log: Log,
  title: string,
  work: (onLine: (line: string) => void) => Promise<T>,
  more = '',
): Promise<T> {
  log.progress(`${title}${more}`);
  const start = performance.now();
  let last = '';
  const timer = setInterval(() => {
    const elapsed = Math.round((performance.now() - start) / 1000);
    log.progress(`${title}: ${elapsed} s${last === '' ? '' : `, ${last}`}`);
  }, 15_000);
  try {
    return await work((line) => {
      if (line.trim() !== '') last = line.trim().slice(0, 100);
    });
  } finally {
    clearInterval(timer);
  }
}

// Adapter: work on several things at once, which ends as a whole.

import { setMaxListeners } from 'node:events';

/**
 * Works on all items in parallel. The first that fails ends the others by their signal; its error is thrown when all
 * have ended.
 *
 * @param signal aborts all of them
 */
export async function runTogether<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal | undefined,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const stop = new AbortController();
  const joined = AbortSignal.any(signal === undefined ? [stop.signal] : [stop.signal, signal]);
  // Every running program and download listens to it.
  setMaxListeners(0, joined);
  const running = items.map((item) => work(item, joined));
  for (const each of running) each.catch((error: unknown) => stop.abort(error));
  await Promise.allSettled(running);
  stop.signal.throwIfAborted();
  return await Promise.all(running);
}

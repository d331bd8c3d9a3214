// Guest, pure: BPF objects that a kernel does not finish loading. A verifier can walk one program for hours without
// looking for signals, so nothing in the guest can end it.

import { VmError } from '../common/errors.ts';

/**
 * Default time without a record after which a load has stalled. The slowest of 969 foreign objects took 5 minutes, with
 * four emulated guests on two cores.
 */
export const defaultLoadTimeoutMs = 10 * 60_000;

/** A kernel did not finish loading an object. */
export class StalledLoadError extends VmError {
  readonly object: string;

  constructor(object: string, message: string) {
    super(message);
    this.object = object;
  }
}

/** Watches a guest's records for a load that has stalled. */
export class LoadWatch {
  readonly #maxMs: number;
  readonly #now: () => number;
  #loading: string | undefined;
  #seenAt = 0;

  /** @param now in milliseconds */
  constructor(maxMs: number, now = () => performance.now()) {
    this.#maxMs = maxMs;
    this.#now = now;
  }

  see(record: { readonly record: string; readonly object?: string }): void {
    this.#seenAt = this.#now();
    if (record.record === 'loading') this.#loading = record.object;
    if (record.record === 'calibration' || record.record === 'progress') this.#loading = undefined;
  }

  /** Name of the object whose load has stalled. */
  stalled(): string | undefined {
    return this.#now() - this.#seenAt > this.#maxMs ? this.#loading : undefined;
  }
}

/**
 * Runs again without each object that stalls.
 *
 * @param run given the names of the objects to leave out
 * @returns the result, and the errors of what was left out
 */
export async function leaveOutStalled<T>(
  run: (leftOut: ReadonlySet<string>) => Promise<T>,
): Promise<{ readonly result: T; readonly stalled: readonly StalledLoadError[] }> {
  const stalled: StalledLoadError[] = [];
  for (;;) {
    const leftOut = new Set(stalled.map(({ object }) => object));
    try {
      return { result: await run(leftOut), stalled };
    } catch (error) {
      if (!(error instanceof StalledLoadError) || leftOut.has(error.object)) throw error;
      stalled.push(error);
    }
  }
}

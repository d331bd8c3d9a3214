// Guest, pure: BPF objects that a kernel does not finish loading or running. A verifier can walk one program for hours
// without looking for signals, and so can a program run, so nothing in the guest can end them.

import { VmError } from '../common/errors.ts';

/**
 * Time without a record after which a load has stalled. The slowest of 969 foreign objects took 5 minutes, with four
 * emulated guests on two cores.
 */
export const loadTimeoutMs = 10 * 60_000;

/** An object that has stalled. */
export interface Stalled {
  readonly object: string;
  /** Whether one of its programs was being run; otherwise one was being loaded. */
  readonly isRun: boolean;
}

/** A kernel did not finish loading or running an object. */
export class StalledLoadError extends VmError implements Stalled {
  readonly object: string;
  readonly isRun: boolean;

  constructor({ object, isRun }: Stalled, message: string) {
    super(message);
    this.object = object;
    this.isRun = isRun;
  }
}

/** Watches a guest's records for a load that has stalled. */
export class LoadWatch {
  readonly #maxMs: number;
  readonly #now: () => number;
  #loading: string | undefined;
  #isRun = false;
  #seenAt = 0;

  /** @param now in milliseconds */
  constructor(maxMs: number, now = () => performance.now()) {
    this.#maxMs = maxMs;
    this.#now = now;
  }

  see(record: { readonly record: string; readonly object?: string; readonly runs?: unknown }): void {
    this.#seenAt = this.#now();
    this.#isRun = record.record === 'attaching' || (record.record === 'load' && record.runs === true);
    if (record.record === 'loading') this.#loading = record.object;
    if (record.record === 'calibration' || record.record === 'progress') this.#loading = undefined;
  }

  stalled(): Stalled | undefined {
    if (this.#loading === undefined || this.#now() - this.#seenAt <= this.#maxMs) return undefined;
    return { object: this.#loading, isRun: this.#isRun };
  }
}

/** Names of the objects that are not loaded, and of those whose programs are not run. */
export type LeftOut = Readonly<Record<'loads' | 'runs', ReadonlySet<string>>>;

/**
 * Runs again without each object that stalls. One whose program stalls when it runs is loaded again.
 *
 * @returns the result, and the errors of what was left out
 */
export async function leaveOutStalled<T>(
  run: (leftOut: LeftOut) => Promise<T>,
): Promise<{ readonly result: T; readonly stalled: readonly StalledLoadError[] }> {
  const stalled: StalledLoadError[] = [];
  for (;;) {
    const namesOf = (isRun: boolean) => new Set(stalled.flatMap((each) => (each.isRun === isRun ? [each.object] : [])));
    const leftOut = { loads: namesOf(false), runs: namesOf(true) };
    try {
      return { result: await run(leftOut), stalled };
    } catch (error) {
      if (!(error instanceof StalledLoadError)) throw error;
      if ((error.isRun ? leftOut.runs : leftOut.loads).has(error.object)) throw error;
      stalled.push(error);
    }
  }
}

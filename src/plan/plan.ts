// Third stage: what will be done, decided before anything is built or booted.

import type { BenchConfig, Lane } from '../inputs/inputs.ts';
import type { KernelPin } from '../kernels/kernel.ts';

export interface Plan {
  readonly kernels: readonly KernelPin[];
  readonly lanes: readonly Lane[];
  readonly benches: readonly PlannedBench[];
  /** What a person should know before the run, each naming its bench. */
  readonly warnings: readonly string[];
}

/** A bench of the configuration; `command` stays what the user wrote. */
export interface PlannedBench extends BenchConfig {
  /** What the guest runs in the instruction lane: `command`, with cheap settings where its format has them. */
  readonly guestCommand: string;
}

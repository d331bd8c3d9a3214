// Third stage: what will be done, decided before anything is built or booted.

import type { BenchConfig, Lane } from '../inputs/inputs.ts';
import type { Shard } from '../inputs/shard.ts';
import type { KernelPin } from '../kernels/kernel.ts';

export interface Plan {
  readonly kernels: readonly KernelPin[];
  readonly lanes: readonly Lane[];
  /** Of which lanes and benches are; null for the whole. */
  readonly shard: Shard | null;
  /** Empty where only programs are verified. */
  readonly benches: readonly PlannedBench[];
  /** Of the time lane; empty where it is not wanted. */
  readonly timed: readonly PlannedBench[];
  readonly timeBudgetMs: number;
  /** What decides what cargo starts, of every bench of the configuration, by `startsKey`. */
  readonly cargoCommands: readonly string[];
  /** What a person should know before the run, each naming its bench. */
  readonly warnings: readonly string[];
  /** Lines for the log: which benches take longer than they need to, and why. */
  readonly notes: readonly string[];
}

/** A bench of the configuration; `command` stays what the user wrote. */
export interface PlannedBench extends BenchConfig {
  /** What the guest runs in the instruction lane: `command`, with cheap settings where its format has them. */
  readonly guestCommand: string;
  /** What the time lane runs: `command`, with enough samples for a time where its format says how. */
  readonly timeCommand: string;
  /** What is run to be profiled: `command`, long enough for samples where its format says how. Null for no profile. */
  readonly profileCommand: string | null;
  /** Whether it runs benches of Criterion without cargo-criterion, which leave their samples in files. */
  readonly savesSamples: boolean;
  /**
   * How often it is read where no BPF program runs. Twice tells whether what it prints is exact; once where that is
   * not asked, because criterion's is taken from many samples of one reading and costs the most to take again.
   */
  readonly readingsWithoutPrograms: 1 | 2;
}

// Plan: what will be done, decided before anything is built or booted.

import type { BenchConfig, Context, Lane, Packet, Shard } from '../model/inputs.ts';
import type { KernelPin } from '../model/kernel.ts';

export interface Plan {
  readonly kernels: readonly KernelPin[];
  readonly lanes: readonly Lane[];
  /** The shard that `lanes` and the benches belong to; null for the whole. */
  readonly shard: Shard | null;
  /** Benches of the instruction lane; empty where it is not wanted. */
  readonly benches: readonly PlannedBench[];
  /** Whether objects with the programs of another are measured too: the user named each, which no build does. */
  readonly keepsCopies: boolean;
  /** What the sections of objects are taken for, where their names say nothing of a type. */
  readonly sections: Readonly<Record<string, string>>;
  /** Packets that the objects' programs run on; none where they are not loaded or nothing is counted. */
  readonly packets: readonly Packet[];
  /** Further contexts, under the same conditions. */
  readonly contexts: readonly Context[];
  /** Benches of the time lane; empty where it is not wanted. */
  readonly timed: readonly PlannedBench[];
  readonly timeBudgetMs: number;
  /** The part of each bench's command that decides what cargo starts, by `startsKey`; of all benches configured. */
  readonly cargoCommands: readonly string[];
  /** Warnings to show before the run; each names its bench. */
  readonly warnings: readonly string[];
  /** Lines for the log: which benches take longer than they need to, and why. */
  readonly notes: readonly string[];
}

/** A bench of the configuration; `command` stays what the user wrote. */
export interface PlannedBench extends BenchConfig {
  /** Command of the instruction lane: `command`, with cheap settings where its format has them. */
  readonly guestCommand: string;
  /** Command of the time lane: `command`, with enough samples for a time where its format has settings for it. */
  readonly timeCommand: string;
  /** Command to profile: `command`, long enough for samples where its format has settings for it. Null: no profile. */
  readonly profileCommand: string | null;
  /** Whether it runs Criterion benches without cargo-criterion. Those leave their samples in files. */
  readonly savesSamples: boolean;
  /**
   * Number of readings where no BPF program runs. Two show whether the printed values are exact. Criterion gets one:
   * its value comes from many samples of one reading, and a second reading would cost the most.
   */
  readonly readingsWithoutPrograms: 1 | 2;
}

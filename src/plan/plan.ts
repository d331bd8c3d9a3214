// Plan: what will be done, decided before anything is built or booted.

import type { RevisionName } from '../model/build.ts';
import type { BenchConfig, Context, Lane, Packet, Shard } from '../model/inputs.ts';
import type { KernelPin } from '../model/kernel.ts';

/** What is run of a revision, by its own configuration: that of head cannot change what base counts. */
export interface RevisionPlan {
  readonly lanes: readonly Lane[];
  /** Benches of the instruction lane; empty where it is not wanted. */
  readonly benches: readonly PlannedBench[];
  /** What the sections of objects are taken for, where their names say nothing of a type. */
  readonly sections: Readonly<Record<string, string>>;
  /** Packets that the objects' programs run on; none where they are not loaded or nothing is counted. */
  readonly packets: readonly Packet[];
  /** The configuration's contexts, under the same conditions. */
  readonly contexts: readonly Context[];
}

/** The plan of a run. What it has as a {@link RevisionPlan} is head's. */
export interface Plan extends RevisionPlan {
  /** Base's own. Default: the same as head's. */
  readonly ofBase?: RevisionPlan | undefined;
  readonly kernels: readonly KernelPin[];
  /** Ids of kernels that base's configuration does not name as head's does: only head runs on them. Default: none. */
  readonly kernelsOfHead?: readonly string[];
  /** The shard that lanes and benches belong to; null for the whole. */
  readonly shard: Shard | null;
  /** Whether objects with the programs of another are measured too: the user named each, which no build does. */
  readonly keepsCopies: boolean;
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

/** Returns the plan with that of a revision alone. */
export function planFor(plan: Plan, revision: RevisionName): Plan {
  return { ...plan, ...(revision === 'base' ? plan.ofBase : undefined), ofBase: undefined };
}

/** Returns the plan for one kernel. */
export function planOn(plan: Plan, kernel: string): Plan {
  const nothing = { lanes: [], benches: [], sections: {}, packets: [], contexts: [] };
  return plan.kernelsOfHead?.includes(kernel) ? { ...plan, ofBase: nothing } : plan;
}

/** Whether the verifier lane loads objects of a revision. */
export function isVerified(plan: Plan, revision: RevisionName): boolean {
  return planFor(plan, revision).lanes.includes('verifier');
}

/** Returns the plan with some of the benches that are counted. */
export function withBenches(plan: Plan, isWanted: (bench: PlannedBench) => boolean): Plan {
  const { ofBase, benches } = plan;
  return {
    ...plan,
    benches: benches.filter(isWanted),
    ofBase: ofBase && { ...ofBase, benches: ofBase.benches.filter(isWanted) },
  };
}

/** Returns the plan without profiles of counted benches. */
export function withoutProfiles(plan: Plan): Plan {
  const { ofBase } = plan;
  const unprofiled = ({ benches }: RevisionPlan) => benches.map((bench) => ({ ...bench, profileCommand: null }));
  return { ...plan, benches: unprofiled(plan), ofBase: ofBase && { ...ofBase, benches: unprofiled(ofBase) } };
}

/** Names of the benches that are counted in a revision, head's first. */
export function benchNames({ benches, ofBase }: Pick<Plan, 'benches' | 'ofBase'>): string[] {
  return [...new Set([...benches, ...(ofBase?.benches ?? [])].map(({ name }) => name))];
}

/** Whether the programs of both revisions are loaded alike and run on the same inputs. */
export function sharesInputs({ ofBase, ...head }: Plan): boolean {
  const inputsOf = ({ lanes, sections, packets, contexts }: RevisionPlan) =>
    JSON.stringify([
      lanes.includes('verifier'),
      sections,
      packets.map(({ name, bytes }) => [name, ...bytes]),
      contexts,
    ]);
  return ofBase === undefined || inputsOf(ofBase) === inputsOf(head);
}

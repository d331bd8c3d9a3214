// Report: types of the product's result file, results.json.

import type { Gap, Measurement } from '../bench/measurement.ts';
import type { Comparison, GateVerdict } from '../compare/comparison.ts';
import type { BuiltRevision, RevisionName } from '../model/build.ts';
import type { Machine } from '../model/guest-run.ts';
import type { Shard } from '../model/inputs.ts';
import type { Profile } from '../profile/profile.ts';

export const resultsSchemaName = 'bpfgate.results/1';

/** Who can fix a failed kernel, by the error classes of errors.ts; `internal` is bpfgate's own fault. */
export const kernelErrorKinds = ['kernel', 'machine', 'vm', 'build', 'bench', 'internal'] as const;
export type KernelErrorKind = (typeof kernelErrorKinds)[number];

/** One kernel of the run. `error` is set when it, or one of its lanes or shards, could not be measured. */
export interface KernelResult {
  /** Minor version, with the origin where it is not the default: `6.1`, `6.1:source`. */
  readonly id: string;
  readonly release: string;
  readonly uname: string | null;
  /** Hash of Debian's packages, or of the image that bpfgate compiled (of its inputs if that failed). */
  readonly sha256: string;
  readonly origin: string;
  readonly machine: Machine | null;
  /** Revisions whose counts are from an earlier run, in an equal guest with equal inputs. */
  readonly kept: readonly RevisionName[];
  /** The time lane: its first boot's machine, the number of boots, the first one's seed. Null if it was not run. */
  readonly timed: { readonly machine: Machine; readonly boots: number; readonly seed: number } | null;
  /** Parts that must be equal for two results to be compared: name to value. */
  readonly fingerprint: Readonly<Record<string, string>> | null;
  readonly error: {
    readonly kind: KernelErrorKind;
    readonly message: string;
    readonly hint: string | null;
    /** The last lines of the guest's console, oldest first. */
    readonly consoleTail: readonly string[];
  } | null;
  readonly warnings: readonly string[];
}

export interface Results {
  readonly schema: typeof resultsSchemaName;
  /** Version of bpfgate that wrote it. */
  readonly bpfgate: string;
  readonly verdict: GateVerdict;
  readonly project: {
    readonly name: string;
    /** Relative to the repository's root. */
    readonly configFile: string;
    /** The project's folder, relative to the repository's root; empty at the root. */
    readonly projectPath: string;
    /** Differences of head's configuration from base's, in words; base is measured by head's as well. */
    readonly configChanges: readonly string[];
  };
  readonly revisions: { readonly base: BuiltRevision; readonly head: BuiltRevision };
  /** The part of the project's benches that was measured; null for all of them. */
  readonly shard: Shard | null;
  readonly kernels: readonly KernelResult[];
  readonly measurements: readonly Measurement[];
  /** Benchmarks that could not be measured, as on a kernel that is too old. */
  readonly gaps: readonly Gap[];
  readonly comparisons: readonly Comparison[];
  /** Files next to this one, for the benches that ask for profiles. */
  readonly profiles: readonly Profile[];
}

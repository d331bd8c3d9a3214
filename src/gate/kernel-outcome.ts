// Gate: the outcome of one kernel.

import type { InsideCount } from '../bench/inside.ts';
import type { BootMeasured } from '../bench/measurement.ts';
import type { Rename } from '../bench/program-names.ts';
import type { GateError } from '../common/errors.ts';
import type { KernelTimes } from '../compare/compare-times.ts';
import type { Builds } from '../model/build.ts';
import type { GuestRun, TimedBoot } from '../model/guest-run.ts';
import type { CachedKernel, KernelPin } from '../model/kernel.ts';
import type { ProfileFile } from '../profile/profile.ts';

export interface KernelOutcome {
  readonly pin: KernelPin;
  readonly kernel: CachedKernel | undefined;
  /** The builds that were measured; undefined if building failed. */
  readonly builds: Builds | undefined;
  readonly counted: Counted | undefined;
  readonly timed: Timed | undefined;
  readonly warnings: readonly string[];
  /** What stopped it. Counts taken before that stay. */
  readonly error: GateError | undefined;
}

/** Results of the lanes `instructions` and `verifier`. */
export interface Counted extends Pick<BootMeasured, 'measurements' | 'gaps' | 'lines'> {
  readonly run: GuestRun;
  /** Results of benches that were measured again. */
  readonly furtherRuns: readonly GuestRun[];
  /** Programs that base has under another name, or in another object. */
  readonly renames: readonly Rename[];
  readonly profiles: readonly ProfileFile[];
  /** Where runs on inputs spend their instructions; none if that was not asked for. */
  readonly inside: readonly InsideCount[];
}

/** Results of the lane `time`. */
export interface Timed {
  readonly boots: readonly TimedBoot[];
  readonly times: KernelTimes;
}

/** Whether there is something to report of a kernel, in at least one way of measuring. */
export function isMeasured({ counted, timed }: KernelOutcome): boolean {
  return counted !== undefined || timed !== undefined;
}

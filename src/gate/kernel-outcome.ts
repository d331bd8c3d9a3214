// Gate: the outcome of one kernel.

import type { InsideCount } from '../bench/inside.ts';
import type { BootMeasured } from '../bench/measurement.ts';
import type { Rename } from '../bench/program-names.ts';
import type { GateError } from '../common/errors.ts';
import type { Builds } from '../model/build.ts';
import type { GuestRun } from '../model/guest-run.ts';
import type { CachedKernel, KernelPin } from '../model/kernel.ts';
import type { Warning } from '../model/warning.ts';
import type { ProfileFile } from '../profile/profile.ts';

export interface KernelOutcome {
  readonly pin: KernelPin;
  readonly kernel: CachedKernel | undefined;
  /** The builds that were measured; undefined if building failed. */
  readonly builds: Builds | undefined;
  readonly counted: Counted | undefined;
  readonly warnings: readonly Warning[];
  /** What stopped it. Counts taken before that stay. */
  readonly error: GateError | undefined;
}

/** Results of all lanes. */
export interface Counted extends Pick<BootMeasured, 'measurements' | 'gaps' | 'codes'> {
  readonly run: GuestRun;
  /** Results of benches that were measured again. */
  readonly furtherRuns: readonly GuestRun[];
  /** Programs that base has under another name, or in another object. */
  readonly renames: readonly Rename[];
  readonly profiles: readonly ProfileFile[];
  /** Where the runs that QEMU's plugin saw spend their instructions. */
  readonly inside: readonly InsideCount[];
}

/** Whether there is something to report of a kernel. */
export function isMeasured({ counted }: KernelOutcome): boolean {
  return counted !== undefined;
}

// Report: everything that a run leaves: the result, and what each stage handed to the next.

import type { InsideCount } from '../bench/inside.ts';
import type { Builds } from '../model/build.ts';
import type { GuestRun } from '../model/guest-run.ts';
import type { Plan } from '../plan/plan.ts';
import type { ProfileFile } from '../profile/profile.ts';
import type { Results } from './results.ts';

export interface GateRun {
  readonly results: Results;
  /** Written next to the result. */
  readonly profiles: readonly ProfileFile[];
  /** Where the runs that QEMU's plugin saw spend their instructions. */
  readonly inside: readonly InsideCount[];
  readonly stages: {
    readonly plan: Plan;
    /** One for all kernels; or one for each, if they were built in guests. */
    readonly builds: readonly Builds[];
    readonly guestRuns: readonly GuestRun[];
  };
  /** Complete outputs of failed builds and benches, by file name. */
  readonly logs: Readonly<Record<string, string>>;
}

// What a whole run leaves behind: the result, and what each stage handed to the next.

import type { Builds } from '../build/build.ts';
import type { Plan } from '../plan/plan.ts';
import type { GuestRun } from '../vm/guest-run.ts';
import type { Results } from './results.ts';

export interface GateRun {
  readonly results: Results;
  readonly stages: {
    readonly plan: Plan;
    readonly builds: Builds;
    readonly guestRuns: readonly GuestRun[];
  };
}

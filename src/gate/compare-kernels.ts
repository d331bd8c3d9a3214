// Gate: compares kernels by the same objects: one kernel takes the part of base, every other that of head.

import { measure } from '../bench/measure.ts';
import { KernelError } from '../common/errors.ts';
import { distinctBy } from '../common/group-by.ts';
import type { GuestRun } from '../model/guest-run.ts';
import type { KernelPin } from '../model/kernel.ts';
import type { Plan } from '../plan/plan.ts';
import type { KernelOutcome } from './kernel-outcome.ts';

/**
 * Compares each kernel's counts of head's objects with those of one kernel, which has no outcome of its own afterwards.
 * Without its counts no kernel can be compared.
 */
export function compareKernels(
  outcomes: readonly KernelOutcome[],
  against: KernelPin,
  plan: Plan,
): readonly KernelOutcome[] {
  const reference = outcomes.find(({ pin }) => pin.id === against.id);
  return outcomes.flatMap((outcome) => {
    if (outcome === reference) return [];
    const { counted, builds } = outcome;
    if (counted === undefined || builds === undefined) return [outcome];
    if (reference?.counted === undefined) {
      const message = `kernel ${against.id}, which it is compared with, could not be measured`;
      const error = reference?.error ?? new KernelError(message);
      return [{ ...outcome, counted: undefined, error }];
    }
    const run = joinRuns(reference.counted.run, counted.run);
    const { measurements, gaps, codes, warnings } = measure(run, plan);
    // The same bytes, but not the same tree: its name is that of the kernel.
    const base = {
      ...builds.head,
      revision: 'base' as const,
      ref: `kernel ${against.id} (${reference.pin.release})`,
      tree: `${builds.head.tree}@${against.id}`,
    };
    return [
      {
        ...outcome,
        builds: { ...builds, base },
        counted: { ...counted, run, measurements, gaps, codes },
        warnings: distinctBy([...run.warnings, ...warnings], (warning) => JSON.stringify(warning)),
      },
    ];
  });
}

/** Returns a kernel's run with the loads of another kernel as base's. */
function joinRuns(reference: GuestRun, run: GuestRun): GuestRun {
  const toBase = <Item extends { readonly revision: string }>(items: readonly Item[]) =>
    items.map((item) => ({ ...item, revision: 'base' as const }));
  return {
    ...run,
    objects: [...toBase(reference.objects), ...run.objects],
    loads: [...toBase(reference.loads), ...run.loads],
  };
}

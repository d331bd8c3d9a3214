// Gate: measures benches again in further boots if an inexact printed value seems to have changed.

import { measure } from '../bench/measure.ts';
import type { BootMeasured } from '../bench/measurement.ts';
import type { Rename } from '../bench/program-names.ts';
import { GateError, machineFailure, VmError } from '../common/errors.ts';
import { addConfirmations, findVaryingChanges } from '../compare/compare.ts';
import type { GuestRun } from '../model/guest-run.ts';
import type { Config } from '../model/inputs.ts';
import { withBenches, withoutProfiles } from '../plan/plan.ts';
import { withoutObjects } from '../vm/count-parts.ts';
import type { GuestContext } from '../vm/guest.ts';
import { type MeasureRequest, measureInGuest } from '../vm/measure-in-guest.ts';

/** Boots of each revision after the first one, in which a change in varying readings must be seen. */
const furtherBoots = 2;

interface Confirmed extends Omit<BootMeasured, 'error'> {
  readonly error: GateError | undefined;
  /** Results of the further boots. */
  readonly furtherRuns: readonly GuestRun[];
}

/**
 * Measures benches again if an inexact printed value seems to have changed. Base and head have boots of their own each
 * time: readings of one boot can share what another boot of the same code does not. If such a boot fails, its changes
 * are not confirmed and the kernel has its error.
 *
 * @param deadline end of the kernel's time, by `performance.now()`
 */
export async function confirmChanges(
  first: BootMeasured,
  { plan, ...request }: MeasureRequest,
  renames: readonly Rename[],
  gate: Config['gate'],
  context: GuestContext,
  deadline: number,
): Promise<Confirmed> {
  let confirmed: Confirmed = { ...first, furtherRuns: [] };
  for (let boot = 1; boot <= furtherBoots; boot++) {
    const { measurements, gaps, furtherRuns } = confirmed;
    const changes = findVaryingChanges(measurements, gaps, gate);
    const varying = withBenches(plan, ({ name }) => changes.some(({ benchmark }) => benchmark.startsWith(`${name}/`)));
    if (varying.benches.length === 0) break;
    const { id } = request.kernel.pin;
    const names = varying.benches.map(({ name }) => `\`${name}\``).join(', ');
    context.log.progress(
      `${id}: measuring ${names} again (${boot} of ${furtherBoots}): an inexact value seems to have changed`,
    );
    try {
      const timeoutMs = deadline - performance.now();
      if (timeoutMs <= 0) {
        throw new VmError(`no time is left to measure ${names} again on kernel ${id}`, { hint: 'raise --timeout' });
      }
      const again = withoutProfiles(varying);
      const wanted = withoutObjects({ ...request, plan: again, timeoutMs, further: boot }, undefined);
      const { run } = await measureInGuest(wanted, { ...context, auditShare: 0 });
      const further = measure(run, again, renames);
      confirmed = {
        ...confirmed,
        measurements: addConfirmations(measurements, changes, further.measurements),
        error: confirmed.error ?? further.error,
        furtherRuns: [...furtherRuns, run],
      };
    } catch (thrown) {
      const error = machineFailure(thrown) ?? thrown;
      if (!(error instanceof GateError) || context.signal?.aborted === true) throw thrown;
      return {
        ...confirmed,
        measurements: addConfirmations(measurements, changes, []),
        error: confirmed.error ?? error,
      };
    }
  }
  return confirmed;
}

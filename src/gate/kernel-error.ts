// Gate: the error of a kernel that failed.

import { GateError, InterruptedError, machineFailure } from '../common/errors.ts';
import type { KernelPin } from '../model/kernel.ts';
import type { Plan } from '../plan/plan.ts';
import type { GuestContext } from '../vm/guest.ts';

const interruptedHint = { hint: 'run it again: results of finished kernels are reused' };

/**
 * Returns the error that a kernel has in the report, and warns about it if there are other kernels.
 *
 * @throws what was thrown, if it is not a failure of this kernel alone
 */
export function toKernelError(
  thrown: unknown,
  { id }: KernelPin,
  { kernels }: Plan,
  { log, signal }: GuestContext,
): GateError {
  // Once the run is aborted, every failure is due to that. A disk that is full for one kernel does not take the others'
  // results away.
  const error = signal?.aborted === true ? signal.reason : (machineFailure(thrown) ?? thrown);
  if (!(error instanceof GateError)) throw error;
  if (error instanceof InterruptedError) return new InterruptedError('interrupted', interruptedHint);
  // The only kernel's error is the run's own, and the caller reports it.
  if (kernels.length > 1) log.warn(`${id}: ${error.message}`);
  return error;
}

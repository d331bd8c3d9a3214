// Gate: runs the time lane.

import { part } from '../adapters/schedule.ts';
import { measureTimes } from '../bench/measure-times.ts';
import { checkSeals } from '../build/seal.ts';
import type { Plan } from '../plan/plan.ts';
import type { GuestContext } from '../vm/guest.ts';
import { timeInGuest } from '../vm/time-in-guest.ts';
import { toKernelError } from './kernel-error.ts';
import type { KernelOutcome } from './kernel-outcome.ts';

/**
 * Runs the time lane, one kernel after the other, while nothing else of the gate runs: times depend on what else the
 * host does. Each kernel has its share of the remaining budget.
 */
export async function timeKernels(
  outcomes: readonly KernelOutcome[],
  plan: Plan,
  context: GuestContext,
  timeoutMs: number,
): Promise<KernelOutcome[]> {
  if (plan.timed.length === 0) return [...outcomes];
  const startedAt = performance.now();
  const seed = Math.floor(Math.random() * 2 ** 32);
  const timed: KernelOutcome[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const { kernel, builds } = outcome;
    if (kernel === undefined || builds === undefined || outcome.error !== undefined) {
      timed.push(outcome);
      continue;
    }
    const leftMs = plan.timeBudgetMs - (performance.now() - startedAt);
    const budgetMs = Math.max(0, leftMs) / (outcomes.length - index);
    try {
      context.signal?.throwIfAborted();
      await checkSeals([builds.base, builds.head]);
      const request = { kernel, plan, builds, budgetMs, timeoutMs, seed };
      const boots = await part(`times ${outcome.pin.id}`, () => timeInGuest(request, context));
      const isReal = boots.every(({ machine }) => machine.accelerator === 'kvm');
      const renames = outcome.counted?.renames ?? [];
      const times = { ...measureTimes(boots, plan, renames), kernel: outcome.pin.id, isReal };
      const warnings = [...new Set([...outcome.warnings, ...boots.flatMap((boot) => boot.warnings)])];
      timed.push({ ...outcome, timed: { boots, times }, warnings });
    } catch (error) {
      // Earlier counts stay, but an incomplete gate cannot pass.
      timed.push({ ...outcome, error: toKernelError(error, outcome.pin, plan, context) });
    }
  }
  return timed;
}

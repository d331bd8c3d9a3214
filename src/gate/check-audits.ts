// Gate: compares cached counts with those of a new boot.

import { measure } from '../bench/measure.ts';
import type { BootMeasured } from '../bench/measurement.ts';
import { BenchError, VmError } from '../common/errors.ts';
import { compareMeasurements } from '../compare/compare.ts';
import type { GuestRun } from '../model/guest-run.ts';
import type { Config } from '../model/inputs.ts';
import { type Plan, planFor, withBenches } from '../plan/plan.ts';
import type { Audit } from '../vm/measure-in-guest.ts';

/**
 * Compares cached counts with those of a new boot, by the rules and limits of any comparison.
 *
 * @throws VmError when they differ; the cached ones are then removed
 */
export async function checkAudits(audits: readonly Audit[], plan: Plan, gate: Config['gate']): Promise<void> {
  const failures: string[] = [];
  const keys: string[] = [];
  for (const { revision, benches, at, by, both, key, drop } of audits) {
    // Both sides are boots of one revision.
    const audited = withBenches(planFor(plan, revision), ({ name }) => benches.includes(name));
    const difference = findDifference(both, audited, gate);
    if (difference === undefined) continue;
    await drop();
    keys.push(`counts/${key}`);
    failures.push(
      `audit: kernel ${both.kernel} counts ${revision} differently from ${by} at ${at.toISOString()}: ${difference}`,
    );
  }
  if (failures.length === 0) return;
  throw new VmError(failures.join('; '), {
    hint: `equal programs have to give equal counts: report this with the results of both runs. They are removed from this cache; delete them from the workflows' cache if they are there: ${keys.join(', ')}`,
  });
}

/** Describes how head, which is base again, differs from base. */
function findDifference(both: GuestRun, plan: Plan, gate: Config['gate']): string | undefined {
  let measured: BootMeasured;
  try {
    measured = measure(both, plan);
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    return error.message;
  }
  const { measurements, gaps, error } = measured;
  if (error !== undefined) return error.message;
  const [first, ...others] = compareMeasurements(measurements, gaps, gate).filter(
    // Whether a program can be tried does not depend on chance.
    ({ verdict, lane }) => verdict !== 'unchanged' && (verdict !== 'inconclusive' || lane === 'verifier'),
  );
  if (first === undefined) return undefined;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return `${first.benchmark} ${first.measure} was ${first.base ?? 'not there'} then and is ${first.head ?? 'not there'} now${more}`;
}

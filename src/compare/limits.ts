// Compare: finds the limit that applies to a measurement. The defaults are in src/inputs/config.ts.

import { matchesGlob } from '../common/glob.ts';
import type { Config, Lane, Limit, LimitOverride } from '../model/inputs.ts';

interface Subject {
  readonly benchmark: string;
  readonly kernel: string;
  readonly lane: Lane;
}

/**
 * The limit for one measurement: the last override whose every given key matches, else the lane's own.
 *
 * The last match wins, so that a narrow exception is written below a wide one.
 */
export function limitFor(subject: Subject, gate: Config['gate']): Limit {
  const override = gate.overrides.findLast((each) => isFor(each, subject));
  return override?.limit ?? gate.limits[subject.lane];
}

/**
 * Finds overrides that apply to no measured benchmark, and returns their `benchmark` as written. A changed or mistyped
 * name leaves the intended limit unset. Overrides for kernels or lanes that were not measured are no mistake.
 *
 * @param subjects everything that was compared
 */
export function findUnusedOverrides(subjects: readonly Subject[], gate: Config['gate']): string[] {
  const unused = gate.overrides.flatMap(({ benchmark, ...rest }) =>
    benchmark !== undefined &&
    subjects.some((subject) => isFor(rest, subject)) &&
    !subjects.some((subject) => isFor({ benchmark, ...rest }, subject))
      ? [benchmark]
      : [],
  );
  return [...new Set(unused)];
}

function isFor({ benchmark, kernel, lane }: Omit<LimitOverride, 'limit'>, subject: Subject): boolean {
  return (
    (benchmark === undefined || matchesGlob(benchmark, subject.benchmark)) &&
    (kernel === undefined || matchesGlob(kernel, subject.kernel)) &&
    (lane === undefined || lane === subject.lane)
  );
}

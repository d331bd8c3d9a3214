// Compare: which limit applies to a measurement.

import { matchesGlob } from '../glob.ts';
import type { Config, Lane, Limit } from '../inputs/inputs.ts';

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
  const override = gate.overrides.findLast(
    ({ benchmark, kernel, lane }) =>
      (benchmark === undefined || matchesGlob(benchmark, subject.benchmark)) &&
      (kernel === undefined || matchesGlob(kernel, subject.kernel)) &&
      (lane === undefined || lane === subject.lane),
  );
  return override?.limit ?? gate.limits[subject.lane];
}

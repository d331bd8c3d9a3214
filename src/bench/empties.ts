// Bench: the cost of an empty program on a boot. Pure.

import { groupBy } from '../common/group-by.ts';
import type { GuestRun } from '../model/guest-run.ts';
import { findMode } from './mode.ts';

/** Instructions per run of an empty program, by program type: the most common reading, which no tick hit. */
export function countEmpties({ calibrations }: Pick<GuestRun, 'calibrations'>): ReadonlyMap<string, number> {
  return new Map(
    groupBy(calibrations, ({ prog_type }) => prog_type).flatMap((group) => {
      const readings = group.flatMap((calibration) => calibration.readings).filter(({ run_cnt }) => run_cnt > 0);
      const mode = findMode(readings.map(({ run_cnt, run_time_ns }) => run_time_ns / run_cnt));
      return mode === undefined ? [] : [[group[0].prog_type, mode] as const];
    }),
  );
}

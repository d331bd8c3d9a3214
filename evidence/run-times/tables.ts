// The tables of run-times. Pure.

import type { Row } from '../record.ts';
import { median } from '../statistics.ts';

export const scenarios = ['first', 'again', 'line', 'kernels', 'objects'] as const;
export type Scenario = (typeof scenarios)[number];

export interface Run {
  readonly commit: string;
  readonly scenario: Scenario;
  /** Wall time. */
  readonly seconds: number;
}

/** What is run, and the ratio to reach; null where it is that of `kernels` below. */
const meanings: Readonly<Record<Scenario, readonly [text: string, aim: number | null]>> = {
  first: ['a first run of the demo on 6.1, tools and kernel there, nothing built', 0.5],
  again: ['the same commit again', 0.04],
  line: ['one line changed in head, base known', 0.25],
  kernels: ['the same on 5.10, 6.1 and 6.12', null],
  objects: ['50 objects, base known, one changed in head', 0.4],
};
/** Times of three kernels over those of one, to reach. */
const aimOfKernels = 1.6;

/** The readings' seconds over their floor, to reach. */
const aimOfReadings = 2;

/**
 * @param commits this version's and the other's
 * @param readings seconds of the readings of first runs, by commit, and their floors
 */
export function runTimesTables(
  runs: readonly Run[],
  { own, other }: { readonly own: string; readonly other: string },
  { seconds, floors }: { readonly seconds: ReadonlyMap<string, readonly number[]>; readonly floors: readonly number[] },
) {
  const of = (commit: string, scenario: Scenario) =>
    runs.filter((each) => each.commit === commit && each.scenario === scenario).map(({ seconds }) => seconds);
  const cell = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(', ');
  const ratio = (values: readonly number[], others: readonly number[]) =>
    (median(values) ?? Number.NaN) / (median(others) ?? Number.NaN);
  const times = scenarios.map((scenario): Row => {
    const [run, aim] = meanings[scenario];
    const [old, now] = [of(other, scenario), of(own, scenario)];
    return {
      run,
      [`${other}, s`]: cell(old),
      [`${own}, s`]: cell(now),
      ratio: ratio(now, old).toFixed(3),
      aim: aim ?? '',
    };
  });
  const threeKernels = [other, own].map(
    (version): Row => ({
      version,
      'three kernels over one': ratio(of(version, 'kernels'), of(version, 'line')).toFixed(2),
      aim: version === own ? aimOfKernels : '',
    }),
  );
  const readings = [other, own].map(
    (version): Row => ({
      version,
      'readings of a first run, s': cell(seconds.get(version) ?? []),
      'their floor, s': cell(floors),
      'over the floor': ratio(seconds.get(version) ?? [], floors).toFixed(1),
      aim: version === own ? aimOfReadings : '',
    }),
  );
  return { times, threeKernels, readings };
}

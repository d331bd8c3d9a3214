// Same counts: one way's counts next to the others'. Pure.

import type { Results } from '../../src/report/results.ts';
import { describeLoad } from '../exactness/tables.ts';
import type { Row, Tables } from '../record.ts';

/** All counts by one way of measuring. */
export interface Way {
  /** Number of busy-loop processes during the run. */
  readonly spinning: number;
  /** Results of each project measured. All kernels have been measured. */
  readonly results: readonly Pick<Results, 'kernels' | 'measurements'>[];
}

/** The others are compared with the first. */
export type Ways = readonly [Way, ...Way[]];

/** Counted values of one way, by what was counted. */
type Counts = ReadonlyMap<string, string>;

export function sameCountsTables([first, ...others]: Ways): Tables {
  return {
    ways: [
      { ...describeWay(first), values: countsOf(first).size, differ: '' },
      ...others.map((way) => {
        const compared = compareWays(first, way);
        return {
          ...describeWay(way),
          values: compared.length,
          differ: compared.filter(({ differs }) => differs).length,
        };
      }),
    ],
  };
}

/** Each value that differs from the first way's, or that only one of the two counted. */
export function differences([first, ...others]: Ways): string[] {
  return others.flatMap((way) =>
    compareWays(first, way)
      .filter(({ differs }) => differs)
      .map(
        ({ name, expected, found }) =>
          `${name}: ${expected} and, ${Object.values(describeWay(way)).join(', ')}, ${found}`,
      ),
  );
}

interface ComparedValue {
  readonly name: string;
  readonly expected: string;
  readonly found: string;
  readonly differs: boolean;
}

function compareWays(first: Way, other: Way): ComparedValue[] {
  const expected = countsOf(first);
  const found = countsOf(other);
  return [...new Set([...expected.keys(), ...found.keys()])].map((name) => {
    const values = { expected: expected.get(name) ?? 'not counted', found: found.get(name) ?? 'not counted' };
    return { name, ...values, differs: values.expected !== values.found };
  });
}

function countsOf({ results }: Way): Counts {
  const counted = results.flatMap(({ measurements }) => measurements.filter(({ kind }) => kind === 'bpf-program'));
  return new Map(
    counted.map(({ kernel, revision, benchmark, measure, value, gross, empty }) => [
      `${benchmark} (${measure}), ${revision}, on ${kernel}`,
      `${value} (${gross ?? '–'} less ${empty ?? '–'})`,
    ]),
  );
}

/** Describes a way from the guests' own records, not from the requested settings. */
function describeWay({ spinning, results }: Way): Row {
  const kernels = results.flatMap((each) => each.kernels);
  const each = (value: (machine: NonNullable<(typeof kernels)[number]['machine']>) => string) =>
    [...new Set(kernels.map(({ machine }) => (machine === null ? 'unknown' : value(machine))))].join(' and ');
  return {
    runner: each(({ runner }) => runner),
    QEMU: each(({ qemuVersion }) => qemuVersion),
    'started from': each(({ startedFrom }) => startedFrom),
    'load added': describeLoad(spinning),
    kernels: [...new Set(kernels.map(({ release }) => release))].join(', '),
  };
}

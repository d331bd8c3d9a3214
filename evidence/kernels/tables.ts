// Kernels: the tables of every pinned kernel, and of its results on one machine. Pure.

import { groupBy } from '../../src/common/group-by.ts';
import type { MissingKernel } from '../../src/kernels/pins.ts';
import type { KernelPin } from '../../src/model/kernel.ts';
import { formatNumber } from '../../src/report/numbers.ts';
import type { MeasurementRecord } from '../../src/report/results.ts';
import type { Row, Tables } from '../record.ts';
import { medianRatio, type Sample, spreadOf, timesOf, untilFirst } from '../statistics.ts';

/** Names of the ways to boot each kernel. */
export const starts = { floor: 'floor', cold: 'cold', snapshot: 'from a snapshot' } as const;

/** Columns of the example's programs whose counts are shown, by benchmark. */
const programs = { 'macro/fun_xdp': 'fun_xdp', 'macro/fun_xdp #2': '#2', 'macro/fun_xdp #3': '#3' } as const;

/** A kernel selected to run. */
export interface RanKernel {
  readonly pin: KernelPin;
  /** First line of the error, if any; the kernel's other results still count. */
  readonly error?: string | undefined;
}

/** A pinned kernel that was not run. */
export interface LeftOutKernel {
  readonly pin: KernelPin;
  readonly reason: string;
}

export interface KernelsRun {
  /** Oldest first. */
  readonly ran: readonly RanKernel[];
  /** Oldest first. */
  readonly leftOut: readonly LeftOutKernel[];
  readonly missing: readonly MissingKernel[];
  readonly samples: readonly Sample[];
  /** Measurements of the example's first revision. */
  readonly measurements: readonly MeasurementRecord[];
}

export function kernelTables(run: KernelsRun): Tables {
  const { ran, leftOut, missing, samples } = run;
  return {
    ran: ran.map(({ pin }) => ranRow(run, pin)),
    failures: [
      ...ran.flatMap(({ pin, error }) => (error === undefined ? [] : [{ what: pin.id, error }])),
      ...samples.flatMap(({ kernel, subject, round, error }) =>
        error === undefined ? [] : [{ what: `${kernel}, ${subject}, round ${round}`, error }],
      ),
    ],
    'not-run': groupBy(leftOut, ({ pin, reason }) => JSON.stringify([reason, pin.origin, pin.support])).flatMap(
      (group) =>
        group.slice(0, 1).map(({ pin: { origin, support }, reason }) => ({
          why: reason,
          origin,
          support,
          kernels: group.map(({ pin: { id } }) => id).join(', '),
          releases: group.map(({ pin: { release } }) => release).join(', '),
        })),
    ),
    'not-pinned': groupBy(missing, ({ origin, reason }) => `${origin} ${reason}`).flatMap((group) =>
      group.slice(0, 1).map(({ origin, reason }) => ({
        origin,
        why: reason,
        of: group.map(({ minor }) => minor).join(', '),
      })),
    ),
  };
}

function ranRow({ samples, measurements }: KernelsRun, { id, release, origin, support }: KernelPin): Row {
  const floor = { kernel: id, subject: starts.floor };
  const ratioOf = (subject: string) => medianRatio(samples, { kernel: id, subject }, floor)?.toFixed(2) ?? 'failed';
  const seconds = spreadOf(timesOf(samples, id, starts.floor).map(untilFirst))?.median;
  const counts = Object.entries(programs).map(
    ([program, column]) =>
      [
        column,
        measurements.find(
          ({ kernel, benchmark, measure }) => kernel === id && benchmark === program && measure === 'bpf-instructions',
        ),
      ] as const,
  );
  const empty = counts[0]?.[1]?.empty ?? null;
  return {
    kernel: id,
    release,
    origin,
    support,
    'floor, s': seconds === undefined ? 'failed' : (seconds / 1000).toFixed(1),
    'cold, × floor': ratioOf(starts.cold),
    'from a snapshot, × floor': ratioOf(starts.snapshot),
    ...Object.fromEntries(counts.map(([column, count]) => [column, formatCount(count)])),
    empty: empty === null ? '' : formatNumber(empty),
  };
}

function formatCount(measurement: MeasurementRecord | undefined): string {
  if (measurement === undefined) return 'failed';
  const { value, gross, exact } = measurement;
  const both = gross === null ? formatNumber(value) : `${formatNumber(value)} / ${formatNumber(gross)}`;
  return exact ? both : `~ ${both}`;
}

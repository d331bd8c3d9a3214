// History: what of a run's results becomes lines.

import type { Measurement } from '../bench/measurement.ts';
import type { KernelResult, Results } from '../report/results.ts';
import { boundMedian } from '../statistics/median.ts';
import { type HistoryLine, historySchemaName } from './history-line.ts';

/** What the results do not say. */
export interface Recorded {
  /** Id of the commit that head is. */
  readonly commit: string;
  /** When it was committed. */
  readonly date: Date;
  /** Id of the workflow run that measured. */
  readonly run: number;
  /** SHA-256 of a text, in hex. */
  readonly digest: (text: string) => string;
}

const fingerprintLength = 12;

/**
 * The centre of every measurement of head, in the results' order. A kernel whose machine is not known has no line, since
 * nothing would say what its values can be compared with.
 */
export function makeLines(results: Results, { commit, date, run, digest }: Recorded): HistoryLine[] {
  const kernels = new Map(results.kernels.map((kernel) => [kernel.id, kernel]));
  return results.measurements.flatMap((measurement): HistoryLine[] => {
    const { kernel: id, revision, lane, benchmark, measure, unit, better, value } = measurement;
    const kernel = kernels.get(id);
    const parts = kernel === undefined ? null : fingerprintOf(kernel, lane);
    if (revision !== 'head' || kernel === undefined || parts === null) return [];
    return [
      {
        schema: historySchemaName,
        commit,
        date: date.toISOString().replace(/\.\d+Z$/, 'Z'),
        kernel: id,
        release: kernel.release,
        fingerprint: digest(JSON.stringify(parts)).slice(0, fingerprintLength),
        bpfgate: results.bpfgate,
        ...{ lane, benchmark, measure, unit, better, value },
        interval: intervalOf(measurement),
        run,
      },
    ];
  });
}

/** In the order of names, so that equal ones give equal text. The time lane has machines of its own. */
function fingerprintOf({ fingerprint, timed }: KernelResult, lane: Measurement['lane']): [string, unknown][] | null {
  if (fingerprint === null) return null;
  const own = lane === 'time' && timed !== null ? Object.entries(timed.machine) : [];
  // Neither shapes a time: a guest goes on from a snapshot as it would from a boot, and the reason is prose.
  const machine = own.filter(([part]) => part !== 'startedFrom' && part !== 'acceleratorReason');
  return [
    ...Object.entries(fingerprint),
    ...machine.map(([part, value]): [string, unknown] => [`time ${part}`, value]),
  ].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Of a time its 95 % interval; of a count what cannot be told apart. */
function intervalOf({ lane, value, exact, resolution, samples }: Measurement): HistoryLine['interval'] {
  if (exact) return 'exact';
  if (lane === 'time') {
    const values = samples.map(({ count, total }) => total / count).filter(Number.isFinite);
    const bounds = values.length === 0 ? null : boundMedian(values, 0.95);
    return bounds === null ? null : [bounds[0], bounds[1]];
  }
  const error = resolution * Math.abs(value);
  const bounds = [value - error, value + error] as const;
  return bounds.every(Number.isFinite) ? [...bounds] : null;
}

// History: makes lines of a run's results.

import { keyOf } from '../bench/measurement.ts';
import { isUngated } from '../compare/compare.ts';
import { isOwn } from '../report/finding-detail.ts';
import { type Finding, findFindings } from '../report/findings.ts';
import type { KernelResult, MeasurementRecord, Results } from '../report/results.ts';
import { type HistoryLine, historySchemaName, toSeconds } from './history-line.ts';

/** Facts that the results do not have. */
export interface Recorded {
  /** Id of head's commit. */
  readonly commit: string;
  /** The time of the commit. */
  readonly date: Date;
  /** Id of the workflow run that measured. */
  readonly run: number;
  /** SHA-256 of a text, in hex. */
  readonly digest: (text: string) => string;
}

const fingerprintLength = 12;

/**
 * Makes a line of the centre of every measurement of head, in the results' order, under the name that head alone gives
 * it. A name that also depends on base would change with the next commit. If base alone has another name, the line has
 * that too, so a trend continues. A kernel whose machine is not known has no line, since nothing would say what its
 * values can be compared with.
 */
export function makeLines(results: Results, recorded: Recorded): HistoryLine[] {
  const makeLine = lineMaker(results, recorded);
  return results.measurements.flatMap((measurement) => makeLine(measurement) ?? []);
}

/** Makes the line of a measurement of head; null for others, and where the machine is not known. */
export function lineMaker(
  results: Results,
  { commit, date, run, digest }: Recorded,
): (measurement: MeasurementRecord) => HistoryLine | null {
  const kernels = new Map(results.kernels.map((kernel) => [kernel.id, kernel]));
  const before = new Map(
    results.measurements.flatMap((each) => (each.revision === 'base' ? [[keyOf(each), each]] : [])),
  );
  const findings = new Map(
    findFindings(results).flatMap((finding) =>
      finding.comparisons.map((comparison) => [keyOf(comparison), describeFinding(finding)]),
    ),
  );
  return (measurement) => {
    const { kernel: id, revision, lane, measure, unit, better, value } = measurement;
    const kernel = kernels.get(id);
    const parts = kernel === undefined ? null : fingerprintOf(kernel);
    if (revision !== 'head' || kernel === undefined || parts === null) return null;
    const benchmark = nameAlone(measurement);
    const base = before.get(keyOf(measurement));
    const renamedFrom = base === undefined ? benchmark : nameAlone(base);
    const finding = findings.get(keyOf(measurement));
    return {
      schema: historySchemaName,
      commit,
      date: toSeconds(date),
      kernel: id,
      release: kernel.release,
      fingerprint: digest(JSON.stringify(parts)).slice(0, fingerprintLength),
      bpfgate: results.bpfgate,
      lane,
      benchmark,
      ...(renamedFrom === benchmark ? {} : { renamedFrom }),
      measure,
      unit,
      better,
      value,
      interval: intervalOf(measurement),
      ...(finding === undefined ? {} : { finding }),
      run,
    };
  };
}

function describeFinding({ id, subject, source, lead }: Finding): HistoryLine['finding'] {
  // A place outside the repository would name a path of the host.
  const grown = lead.flatMap(({ lines }) => lines?.find(isOwn)?.source ?? []);
  const place = grown[0] ?? source;
  return { id, subject, place: place === null ? null : `${place.file}:${place.line}` };
}

/** The name of a program among its own revision's programs, or of a printed benchmark. */
function nameAlone({ ownName, renamedFrom, benchmark }: MeasurementRecord): string {
  return ownName ?? renamedFrom ?? benchmark;
}

/** Sorted by name, so that equal parts give equal text. */
function fingerprintOf({ fingerprint }: KernelResult): [string, string][] | null {
  return fingerprint === null ? null : Object.entries(fingerprint).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * The range that the method cannot distinguish from the value. Null for a measure that is only reported, so that no page
 * calls its changes worse.
 */
function intervalOf(measurement: MeasurementRecord): HistoryLine['interval'] {
  const { value, exact, resolution } = measurement;
  if (isUngated(measurement)) return null;
  if (exact) return 'exact';
  const error = resolution * Math.abs(value);
  const bounds = [value - error, value + error] as const;
  return bounds.every(Number.isFinite) ? [...bounds] : null;
}

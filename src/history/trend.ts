// History: the values of one benchmark over the commits, as the trend page keeps and reads them.

import { groupBy } from '../common/group-by.ts';
import type { HistoryLine } from './history-line.ts';

/** Consecutive commits with one value and one fingerprint. Commits are indices in their order. */
export interface Segment {
  readonly from: number;
  /** Included. */
  readonly to: number;
  /** Index of the fingerprint. */
  readonly fingerprint: number;
  readonly value: number;
  /** The interval of the true value, in unit; equal to value if it is exact, null where that is not known. */
  readonly low: number | null;
  readonly high: number | null;
}

/** The difference of two values: known for sure, or not compared, for the reason that is named. */
export type Comparison = 'same' | 'apart' | 'other fingerprint' | 'no interval';

/** A place at which a line's value or fingerprint changes. */
export interface Change {
  readonly before: Segment;
  readonly after: Segment;
  readonly comparison: Exclude<Comparison, 'same'>;
}

/** A benchmark's measure on one kernel. */
export interface Line {
  readonly kernel: string;
  /** Number of the part of the page that holds it, and its place there. */
  readonly part: number;
  readonly place: number;
  /** The newest value, and its commit. */
  readonly last: number;
  readonly at: number;
}

/** What is drawn in one plot: a measure of a benchmark, a line for each kernel. */
export interface Plot {
  readonly benchmark: string;
  readonly measure: string;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  readonly lines: readonly Line[];
}

export interface TrendCommit {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly subject: string | null;
  /** Whether it was on the branch once, and is not any more. */
  readonly isGone: boolean;
}

/** The cause of a change, as the gate found it. */
export type TrendFinding = NonNullable<HistoryLine['finding']>;

/** A change for sure as the list of the newest ones has it, by indices. */
export interface RecentChange {
  readonly plot: number;
  readonly line: number;
  /** The last commit before it that was measured. */
  readonly before: number;
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly finding: number | null;
}

/** Everything but the lines' values. */
export interface TrendIndex {
  readonly project: string;
  /** Address of the repository's page, if it is known. */
  readonly repository: string | null;
  readonly commits: readonly TrendCommit[];
  readonly fingerprints: readonly string[];
  readonly findings: readonly TrendFinding[];
  readonly plots: readonly Plot[];
  /** Newest first, at most {@link maxRecent}. */
  readonly recent: readonly RecentChange[];
  /** Number of lines of the history that are damaged or of a later version. */
  readonly unread: number;
}

export const maxRecent = 2000;

/** Plots by the address of their view: their names, and a number where two long names are the same once shortened. */
export function addressPlots(plots: readonly Plot[]): Map<string, Plot> {
  const addressOf = ({ benchmark, measure, unit }: Plot) =>
    `#plot/${[benchmark, measure, unit].map(encodeURIComponent).join('/')}`;
  return new Map(
    groupBy(plots, addressOf).flatMap((group) =>
      group.map((plot, place): [string, Plot] => [`${addressOf(plot)}${place === 0 ? '' : `/${place + 1}`}`, plot]),
    ),
  );
}

type Column<Value> = Value | readonly Value[];

/**
 * A line's segments by column, a column of equal values as one of them: exact counts rarely change, so 5,000 commits are
 * a few numbers. Bounds are distances from the value.
 */
export interface PackedLine {
  readonly count: number;
  /** Commits without a value before each segment. */
  readonly gaps: Column<number>;
  readonly lengths: Column<number>;
  readonly fingerprints: Column<number>;
  readonly values: Column<number>;
  readonly below: Column<number | null>;
  readonly above: Column<number | null>;
  /** Findings by the commit that they are of. */
  readonly findings: readonly (readonly [commit: number, finding: number])[];
}

export function packLine(segments: readonly Segment[], findings: PackedLine['findings']): PackedLine {
  return {
    count: segments.length,
    gaps: packColumn(segments.map(({ from }, index) => from - ((segments[index - 1]?.to ?? -1) + 1))),
    lengths: packColumn(segments.map(({ from, to }) => to - from + 1)),
    fingerprints: packColumn(segments.map(({ fingerprint }) => fingerprint)),
    values: packColumn(segments.map(({ value }) => value)),
    below: packColumn(segments.map(({ value, low }) => (low === null ? null : shorten(value - low)))),
    above: packColumn(segments.map(({ value, high }) => (high === null ? null : shorten(high - value)))),
    findings,
  };
}

export function unpackLine(line: PackedLine): Segment[] {
  let next = 0;
  return Array.from({ length: line.count }, (_, index) => {
    const from = next + cellOf(line.gaps, index);
    next = from + cellOf(line.lengths, index);
    return segmentOf(line, index, from, next - 1);
  });
}

function segmentOf(line: PackedLine, index: number, from: number, to: number): Segment {
  const value = cellOf(line.values, index);
  const [below, above] = [cellOf(line.below, index), cellOf(line.above, index)];
  const low = below === null ? null : value - below;
  const high = above === null ? null : value + above;
  return { from, to, fingerprint: cellOf(line.fingerprints, index), value, low, high };
}

function cellOf<Value>(column: Column<Value>, index: number): Value {
  return (Array.isArray(column) ? column[index] : column) as Value;
}

function packColumn<Value>(values: readonly Value[]): Column<Value> {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : values;
}

/** Drops the digits that subtraction adds. */
function shorten(distance: number): number {
  return Number(distance.toPrecision(12));
}

/** Lists where a line's fingerprint or value changes. */
export function listChanges(segments: readonly Segment[]): Change[] {
  return segments.flatMap((after, index): Change[] => {
    const before = segments[index - 1];
    const comparison = before === undefined ? 'same' : compareValues(before, after);
    return before === undefined || comparison === 'same' ? [] : [{ before, after, comparison }];
  });
}

/**
 * Compares two values of a line. Those that are not exact differ where their intervals do not overlap. Where one has
 * no interval, whether they differ is not known, unless they are equal.
 */
export function compareValues(a: Segment, b: Segment): Comparison {
  if (a.fingerprint !== b.fingerprint) return 'other fingerprint';
  if (a.low === null || a.high === null || b.low === null || b.high === null) {
    return a.value === b.value ? 'same' : 'no interval';
  }
  return a.high < b.low || b.high < a.low ? 'apart' : 'same';
}

/** Reads one commit's value without unpacking the line; undefined if nothing was measured there. */
export function readAt(line: PackedLine, commit: number): Segment | undefined {
  let next = 0;
  for (let index = 0; index < line.count; index++) {
    const from = next + cellOf(line.gaps, index);
    if (from > commit) return undefined;
    next = from + cellOf(line.lengths, index);
    if (next > commit) return segmentOf(line, index, from, next - 1);
  }
  return undefined;
}

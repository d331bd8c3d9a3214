// Compare: types of the comparison of head with base.

import type { Refusal, SourceLocation } from '../bench/measurement.ts';
import type { RevisionName } from '../model/build.ts';
import type { Lane, Limit } from '../model/inputs.ts';

export const comparisonVerdicts = [
  'regression',
  'improvement',
  'unchanged',
  'inconclusive',
  'added',
  'removed',
] as const;
export type ComparisonVerdict = (typeof comparisonVerdicts)[number];

/** A source line that became more machine instructions, counted in the code; how often each runs is not known. */
export interface LineGrowth {
  /** Place in head. */
  readonly source: SourceLocation;
  readonly base: number;
  readonly head: number;
}

export interface Comparison {
  readonly kernel: string;
  readonly lane: Lane;
  readonly benchmark: string;
  /** Base's name for it, if head has it under another name or in another object. */
  readonly renamedFrom?: string | undefined;
  readonly measure: string;
  /** Head's unit; base's for a removed benchmark. */
  readonly unit: string;
  /** Whether growth or shrinking is a regression. */
  readonly better: 'lower' | 'higher';
  readonly kind: 'bpf-program' | 'benchmark';
  /** Null for an added benchmark, and where base needs a newer kernel. */
  readonly base: number | null;
  /** Null for a removed benchmark, and where head needs a newer kernel. */
  readonly head: number | null;
  /** The side that was left out and the kernel it needs, such as `5.18`; null where neither was. */
  readonly needs: { readonly side: RevisionName; readonly kernel: string } | null;
  /** head - base, in `unit`; null when either is missing or the units differ. Positive is growth, good or bad. */
  readonly delta: number | null;
  /** delta / |base|; null when delta is null or base is 0. */
  readonly deltaRatio: number | null;
  /** Range of the true delta, in `unit`; `exact` if it is `delta` itself; null if it is not known. */
  readonly interval: 'exact' | readonly [low: number, high: number] | null;
  /** P-value of times, and of counts that vary and differ by more than the limit; else null. Corrected over the run. */
  readonly pValue: number | null;
  /** Rounds that would decide an inconclusive comparison of the time lane; null elsewhere, or where none would. */
  readonly roundsNeeded: number | null;
  /** The limit that applied, overrides included. */
  readonly limit: Limit;
  /** Why the kernel refused head's program, or else base's, where the measure is `loads`. */
  readonly refusal: Refusal | null;
  readonly verdict: ComparisonVerdict;
  /** Place in head; in base for a removed benchmark. */
  readonly source: SourceLocation | null;
  /** The lines that grew most, for a program's regression; none if no line did; null if that is not known. */
  readonly lines: readonly LineGrowth[] | null;
  readonly warnings: readonly string[];
}

export const gateVerdicts = ['pass', 'regression', 'inconclusive', 'error'] as const;
/** The whole gate's verdict. */
export type GateVerdict = (typeof gateVerdicts)[number];

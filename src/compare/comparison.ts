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
/** Verdicts of comparisons that changed, the worst first. */
export const findingVerdicts = ['regression', 'inconclusive', 'improvement'] as const;

export type ComparisonVerdict = (typeof comparisonVerdicts)[number];
/** Verdicts of what both sides have. */
export type PairVerdict = Exclude<ComparisonVerdict, 'added' | 'removed'>;

/** A source line that became more machine instructions, counted in the code or, of a program seen inside, in a run. */
export interface LineGrowth {
  /** Place in head. */
  readonly source: SourceLocation;
  readonly base: number;
  readonly head: number;
}

/** A function that a program's runs spend more instructions in, with all that it calls. */
export interface CallGrowth {
  readonly name: string;
  /** Instructions for each run. */
  readonly base: number;
  readonly head: number;
}

/** What is compared, and by which limit. */
export interface Subject {
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
  /** The limit that applied, overrides included. */
  readonly limit: Limit;
  /** Why the kernel refused head's program, or else base's, where the measure is `loads`. */
  readonly refusal?: Refusal | undefined;
  /** Place in head; in base for a removed benchmark. */
  readonly source: SourceLocation | null;
  /** About the comparison. Its measurements have their own. */
  readonly warnings: readonly string[];
}

/** A benchmark of one side: the other one does not have it, needs a newer kernel, or could not be tried. */
export interface OneSided extends Subject {
  /** Null if only head has it, or `head` if only base does. */
  readonly base: number | null;
  readonly head: number | null;
  /** The side that was left out because it needs a newer kernel, such as `5.18`. */
  readonly needs?: { readonly side: RevisionName; readonly kernel: string };
  readonly verdict: ComparisonVerdict;
}

/** Two values. Nothing is known of their difference if their units differ, or no number can hold it. */
export interface TwoSided extends Subject {
  readonly base: number;
  readonly head: number;
  readonly verdict: PairVerdict;
}

/** A difference that its size decides. */
export interface Judged extends TwoSided {
  /** head - base, in `unit`. Positive is growth, good or bad. */
  readonly delta: number;
  /** delta / |base|; null from a base of 0. */
  readonly deltaRatio: number | null;
  /** Range of the true delta, in `unit`; `exact` if it is `delta` itself; null if it is not known. */
  readonly interval: 'exact' | readonly [low: number, high: number] | null;
  /** The lines that grew most, for a program's regression; none if no line did. Missing if that is not known. */
  readonly lines?: readonly LineGrowth[];
  /**
   * The called functions that cost most more, for a program that was seen inside. Then `lines` has the instructions that
   * a run executes. Missing for any other.
   */
  readonly calls?: readonly CallGrowth[];
}

/** A difference that a test decides: of printed values that vary and differ by more than the limit. */
export interface Tested extends Judged {
  /** Corrected over the run. */
  readonly pValue: number;
}

export type Comparison = OneSided | TwoSided | Judged | Tested;

export const gateVerdicts = ['pass', 'regression', 'inconclusive', 'error'] as const;
/** The whole gate's verdict. */
export type GateVerdict = (typeof gateVerdicts)[number];

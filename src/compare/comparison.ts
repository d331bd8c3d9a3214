// Seventh stage: base against head.

import type { SourceLocation } from '../bench/measurement.ts';
import type { Lane, Limit } from '../inputs/inputs.ts';

export type ComparisonVerdict = 'regression' | 'improvement' | 'unchanged' | 'inconclusive' | 'added' | 'removed';

export interface Comparison {
  readonly kernel: string;
  readonly lane: Lane;
  readonly benchmark: string;
  readonly measure: string;
  readonly unit: string;
  readonly kind: 'bpf-program' | 'benchmark';
  /** Null for an added benchmark. */
  readonly base: number | null;
  /** Null for a removed benchmark. */
  readonly head: number | null;
  /** head - base, in `unit`; null when either is missing. */
  readonly delta: number | null;
  /** delta / base; null when either is missing or base is 0. */
  readonly deltaRatio: number | null;
  readonly interval: 'exact' | readonly [low: number, high: number] | null;
  readonly pValue: number | null;
  readonly limit: Limit;
  readonly verdict: ComparisonVerdict;
  readonly source: SourceLocation | null;
  readonly warnings: readonly string[];
}

/** The whole gate's verdict. */
export type GateVerdict = 'pass' | 'regression' | 'inconclusive' | 'error';

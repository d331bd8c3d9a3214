// Report: one line of its table, a benchmark's measure on all kernels. Pure.

import type { ComparisonVerdict } from '../compare/comparison.ts';
import type { RevisionName } from '../model/build.ts';
import type { Lane } from '../model/inputs.ts';
import { joinWords, type Sentence } from './plain-text.ts';
import type { ComparisonRecord } from './results.ts';

/** A benchmark's measure on all kernels. */
export interface Row {
  readonly benchmark: string;
  /** What tables show of it: the benchmark; in a finding also its input, or several inputs. */
  readonly name: Sentence;
  readonly measure: string;
  readonly unit: string;
  readonly lane: Lane;
  readonly kind: ComparisonRecord['kind'];
  /** `renamed from `old``, for a program that base has under another name or in another object; else null. */
  readonly origin: Sentence | null;
  /** The worst verdict of its cells; `unsupported` where all kernels are too old for it. */
  readonly verdict: ComparisonVerdict | 'unsupported';
  /** `0%`; several if kernels differ. */
  readonly limit: string;
  /** One for each of the model's kernels; null where it was not measured. */
  readonly cells: readonly (Cell | null)[];
  /** One for each of the model's kernels; null where neither revision said that it needs a newer one. */
  readonly gaps: readonly (KernelGap | null)[];
}

/** The kernel that each revision needs, such as `5.18`; null where it named none. */
export type KernelGap = Readonly<Record<RevisionName, string | null>>;

export interface Cell {
  readonly kernel: string;
  readonly verdict: ComparisonVerdict;
  readonly values: Pick<ComparisonRecord, 'base' | 'head' | 'delta' | 'deltaRatio' | 'interval'>;
  /** The numbers as text, with as many digits as show the difference. Null where there is none. */
  readonly base: string | null;
  readonly head: string | null;
  readonly delta: string | null;
  readonly percent: string | null;
  /** `EACCES: R1 invalid mem access 'inv'`: why the kernel refused the program, where the measure is loads; else null. */
  readonly refusal: string | null;
  /** The side that needs a newer kernel, and which. */
  readonly needs: ComparisonRecord['needs'];
  /** The delta is more than the method's own error, or there is none because one side needs a newer kernel. */
  readonly differs: boolean;
  /** `±0.6%`: by how much the values vary on their own, where that hides the delta or leaves it undecided; else null. */
  readonly spread: string | null;
  /** `exact`, or the range of the true delta: `+1,718 to +1,864`. */
  readonly interval: string | null;
}

export interface KernelColumn {
  readonly id: string;
  readonly release: string;
  /** True also if it was only measured in part. */
  readonly failed: boolean;
  /** The benches that its error names, or all if nothing could be measured. */
  readonly failedBenches: 'all' | readonly string[];
}

/** Why kernels failed that failed in the same way. */
export interface KernelFailure {
  /** Their ids. */
  readonly kernels: readonly string[];
  /** `5.10 (5.10.262) was not measured completely`; only `5.10 and 6.1` if a bench failed, since the message says so. */
  readonly title: string;
  /** Whether they have some numbers, as of the lanes and shards that did not fail. */
  readonly problem: 'could not be measured' | 'was not measured completely';
  /** The bench that failed, and of which nothing is compared there; null if it was something else. */
  readonly bench: { readonly name: string; readonly revision: RevisionName } | null;
  /** That of several kernels does not name them. */
  readonly message: Sentence;
  /** What the failed command printed at its end, as lines. */
  readonly output: readonly string[];
  readonly hint: Sentence | null;
  /** The command that runs a bench that failed again; null if it was something else. */
  readonly repeat: Sentence | null;
  readonly consoleTail: readonly string[];
}

/** Kernels named in one place; more are counted. */
const maxKernels = 6;

export function nameKernels(ids: readonly string[]): string {
  return ids.length > maxKernels
    ? `${ids.slice(0, maxKernels - 1).join(', ')} and ${ids.length - maxKernels + 1} more kernels`
    : joinWords(ids);
}

/** `instructions per run`, or `bytes (peak-bytes)` if the unit does not identify the measure. */
export function nameUnit(row: Pick<Row, 'lane' | 'measure' | 'unit'>, delta: string): string {
  const isOne = /^.1(\.0+)?$/.test(delta);
  const unit = (isOne ? row.unit.replace(/^(instruction|byte|block)s\b/, '$1') : row.unit).replace('/', ' per ');
  if (row.lane === 'verifier' && row.measure === 'verified-instructions') return `${unit} that the verifier walks`;
  return unitIsMeasure(row) ? unit : `${unit} (${row.measure})`.trimStart();
}

/** Whether its values say if a program loads, 1 or 0. */
export function isLoads({ lane, measure }: Pick<Row, 'lane' | 'measure'>): boolean {
  return lane === 'verifier' && measure === 'loads';
}

/** Whether the unit alone identifies the measure. `bytes` does not if there are `peak-bytes` and `total-bytes`. */
function unitIsMeasure({ measure, unit }: Pick<Row, 'measure' | 'unit'>): boolean {
  const [noun = ''] = unit.split('/');
  return noun !== '' && (measure === noun || measure === `bpf-${noun}`);
}

/** The largest change among the cells that made the row's verdict. From 0 any growth is the worst there is. */
export function worstChange(row: Row): number {
  const { verdict, cells } = row;
  if (isLoads(row) && verdict === 'regression') return Number.POSITIVE_INFINITY;
  const deciding = cells.filter((cell) => cell?.differs && cell.verdict === verdict);
  return Math.max(0, ...deciding.map((cell) => Math.abs(cell?.values.deltaRatio ?? Number.POSITIVE_INFINITY)));
}

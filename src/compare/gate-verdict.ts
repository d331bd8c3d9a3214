// Compare: one verdict for the whole gate, and the exit code that tells it.

import type { Gap } from '../bench/measurement.ts';
import type { KernelResult, Results } from '../report/results.ts';
import type { Comparison, GateVerdict } from './comparison.ts';

/**
 * Any regression is a `regression`, also when another kernel failed: it is proven, and measuring the rest cannot take
 * it back. Else a kernel that failed or measured nothing is an `error`, because a gate that is not whole cannot pass;
 * one that is too old for every benchmark did not fail, as long as another measured something.
 * Else anything undecided is `inconclusive`.
 */
export function decideVerdict(
  comparisons: readonly Comparison[],
  gaps: readonly Gap[],
  kernels: readonly KernelResult[],
): GateVerdict {
  if (comparisons.some(({ verdict }) => verdict === 'regression')) return 'regression';
  const answered = findAnswered({ comparisons, gaps });
  if (comparisons.length === 0 || kernels.some(({ id, error }) => error !== null || !answered.has(id))) return 'error';
  return comparisons.some(({ verdict }) => verdict === 'inconclusive') ? 'inconclusive' : 'pass';
}

/**
 * Ids of the kernels of which something is known: what was compared, or that the kernel is too old for it. That a BPF
 * program could not be tried on either side is no answer.
 */
export function findAnswered({ comparisons, gaps }: Pick<Results, 'comparisons' | 'gaps'>): ReadonlySet<string> {
  return new Set([...comparisons, ...gaps.filter(({ needs }) => needs !== null)].map(({ kernel }) => kernel));
}

/**
 * 0 pass or inconclusive; 1 regression; 3 a kernel, the VM or the machine failed; 4 the project failed to build, a
 * benchmark failed or nothing was measured. Where both 3 and 4 apply it is 4, because trying again will not mend that.
 */
export function exitCodeOf({ verdict, kernels }: Pick<Results, 'verdict' | 'kernels'>): 0 | 1 | 3 | 4 {
  if (verdict === 'regression') return 1;
  if (verdict !== 'error') return 0;
  const errors = kernels.flatMap(({ error }) => error ?? []);
  if (errors.length === 0) return 4;
  return errors.some(({ kind }) => kind === 'build' || kind === 'bench') ? 4 : 3;
}

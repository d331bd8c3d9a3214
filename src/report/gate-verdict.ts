// Report: decides one verdict for the whole gate, and its exit code.

import type { GateVerdict } from '../compare/comparison.ts';
import type { ComparisonRecord, KernelResult, Results } from './results.ts';

/** Whether it is a regression that no line of the author accepts. */
export function isFailing({ verdict, accepted }: Pick<ComparisonRecord, 'verdict' | 'accepted'>): boolean {
  return verdict === 'regression' && accepted === undefined;
}

/**
 * Decides the verdict of the gate. Any regression that is not accepted gives `regression`, even if another kernel
 * failed: it is proven, and measuring the rest cannot take it back. Otherwise a kernel that failed or measured nothing
 * gives `error`, because an incomplete gate cannot pass. A kernel that is too old for every benchmark did not fail, as
 * long as another measured something. Otherwise anything undecided gives `inconclusive`.
 */
export function decideVerdict(
  comparisons: Results['comparisons'],
  gaps: Results['gaps'],
  kernels: readonly KernelResult[],
): GateVerdict {
  if (comparisons.some(isFailing)) return 'regression';
  const answered = findAnswered({ comparisons, gaps });
  if (comparisons.length === 0 || kernels.some(({ id, error }) => error !== null || !answered.has(id))) return 'error';
  return comparisons.some(({ verdict }) => verdict === 'inconclusive') ? 'inconclusive' : 'pass';
}

/**
 * Finds the ids of kernels of which something is known: a comparison, or that the kernel is too old for a benchmark. A
 * BPF program that could not be tried on either side is no answer.
 */
export function findAnswered({ comparisons, gaps }: Pick<Results, 'comparisons' | 'gaps'>): ReadonlySet<string> {
  return new Set([...comparisons, ...gaps.filter(({ needs }) => needs !== null)].map(({ kernel }) => kernel));
}

/**
 * The exit code: 0 pass or inconclusive; 1 regression; 3 a kernel, the VM or the machine failed; 4 the project failed
 * to build, a benchmark failed or nothing was measured. If both 3 and 4 apply it is 4, because a retry will not fix
 * that.
 */
export function exitCodeOf({ verdict, kernels }: Pick<Results, 'verdict' | 'kernels'>): 0 | 1 | 3 | 4 {
  if (verdict === 'regression') return 1;
  if (verdict !== 'error') return 0;
  const errors = kernels.flatMap(({ error }) => error ?? []);
  if (errors.length === 0) return 4;
  return errors.some(({ kind }) => kind === 'build' || kind === 'bench') ? 4 : 3;
}

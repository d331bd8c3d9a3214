// Probe overhead: costs by kernel, next to published ones. Pure.

import { formatDelta, formatNumber } from '../../src/report/numbers.ts';
import type { Row, Tables } from '../record.ts';
import { bodies, hooks, overheadOf, type ProbeCosts, published, type Target } from './results.ts';

/** Costs found by one run of the bench, or the first line of its error. */
export type LaneCosts = { readonly found: ProbeCosts } | { readonly error: string };

export interface KernelCosts {
  readonly id: string;
  /** Null if this machine does not have the kernel. */
  readonly release: string | null;
  readonly instructions: LaneCosts;
  readonly nanoseconds: LaneCosts;
}

const calls = (Object.keys(hooks) as Target[]).flatMap((target) => [
  { hook: target, body: 'none', benchmark: `${target}/none` },
  ...hooks[target].flatMap((hook) => bodies.map((body) => ({ hook, body, benchmark: `${target}/${hook}/${body}` }))),
]);

/** @param kernels oldest first */
export function probeTables(kernels: readonly KernelCosts[]): Tables {
  return {
    costs: kernels
      .filter(({ instructions, nanoseconds }) => 'found' in instructions || 'found' in nanoseconds)
      .flatMap(({ id, release, instructions, nanoseconds }) =>
        calls.map(({ hook, body, benchmark }) => ({
          kernel: id,
          release: release ?? id,
          hook,
          body,
          ...laneCells('instructions', instructions, benchmark),
          ...laneCells('ns', nanoseconds, benchmark),
        })),
      ),
    published: calls
      .filter(({ benchmark }) => published.has(benchmark))
      .map(({ hook, body, benchmark }) => ({ hook, body, ...costCells('ns', published, benchmark) })),
    failures: kernels.flatMap(({ id, instructions, nanoseconds }) =>
      Object.entries({ instructions, nanoseconds }).flatMap(([unit, lane]) =>
        'error' in lane ? [{ kernel: id, unit, error: lane.error.replace(/^error: /, '') }] : [],
      ),
    ),
  };
}

function laneCells(unit: string, lane: LaneCosts, benchmark: string): Row {
  if ('error' in lane) return costCells(unit, new Map(), benchmark);
  const gap = lane.found.gaps.get(benchmark);
  const cells = costCells(unit, lane.found.costs, benchmark);
  return gap === undefined ? cells : { ...cells, [unit]: `needs ${gap.replace('Linux ', '')}` };
}

function costCells(unit: string, costs: ReadonlyMap<string, number>, benchmark: string): Row {
  const cost = costs.get(benchmark);
  const overhead = overheadOf(costs, benchmark);
  return {
    [unit]: cost === undefined ? '' : formatNumber(cost, 1),
    [`added ${unit}`]: overhead === undefined ? '' : formatDelta(overhead.added, 1),
    [`added ${unit}, %`]: overhead === undefined ? '' : formatDelta(overhead.growth * 100, 0),
  };
}

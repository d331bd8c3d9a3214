// Report: checks that comparisons which are written down follow from their measurements.

import { keyOf } from '../bench/measurement.ts';
import { comparePairs, countAlpha } from '../compare/compare.ts';
import type { Comparison } from '../compare/comparison.ts';
import { type ComparisonRecord, type Results, readMeasurements } from './results.ts';

type Written = Pick<Results, 'measurements' | 'gaps' | 'comparisons'>;

/**
 * Judges measurements again, each pair by the limit that its comparison names.
 *
 * @returns what is wrong with the first comparison that does not follow from its measurements, to be read after the
 * name of the file; undefined if all do
 * @throws BenchError when two measurements have one name
 */
export function findMisjudged({ measurements, gaps, comparisons }: Written): string | undefined {
  const written = new Map(comparisons.map((comparison) => [keyOf(comparison), comparison]));
  const unfounded = measurements.find((measurement) => !written.has(keyOf(measurement)));
  if (unfounded !== undefined) return `has measurements of \`${unfounded.benchmark}\` and no comparison of them`;
  const pairs = comparePairs(readMeasurements(measurements), gaps, (each) => written.get(keyOf(each))?.limit ?? 'off');
  for (const { comparison: again } of pairs) {
    const comparison = written.get(keyOf(again));
    if (comparison === undefined) continue;
    written.delete(keyOf(again));
    const problem = describeDifference(comparison, again);
    if (problem !== undefined) return problem;
  }
  const [left] = written.values();
  return left === undefined ? undefined : `compares \`${left.benchmark}\`, of which it has no measurement`;
}

function describeDifference(comparison: ComparisonRecord, again: Comparison): string | undefined {
  const { benchmark, kernel, verdict } = comparison;
  const where = `\`${benchmark}\` on ${kernel}`;
  if (again.base !== comparison.base || again.head !== comparison.head) {
    return `says that ${where} is ${comparison.base} and ${comparison.head}, and its measurements that it is ${again.base} and ${again.head}`;
  }
  if (again.verdict !== verdict && !isOfSmallerFamily(comparison, again)) {
    return `says that ${where} is \`${verdict}\`, and its measurements that it is \`${again.verdict}\``;
  }
  return undefined;
}

/** Whether a change was shown among the counts of its own run, but not among those of all joined runs. */
function isOfSmallerFamily({ verdict, pValue }: ComparisonRecord, again: Comparison): boolean {
  const isChange = verdict === 'regression' || verdict === 'improvement';
  return isChange && pValue !== null && pValue < countAlpha && 'pValue' in again && again.verdict === 'inconclusive';
}

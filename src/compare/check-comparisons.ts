// Compare: whether comparisons that somebody has written down are what their measurements give.

import type { Gap, Measurement } from '../bench/measurement.ts';
import { groupBy } from '../group-by.ts';
import { compareMeasurements } from './compare.ts';
import type { Comparison } from './comparison.ts';

interface Written {
  readonly measurements: readonly Measurement[];
  readonly gaps: readonly Gap[];
  readonly comparisons: readonly Comparison[];
}

/**
 * Judges measurements again, each pair by the limit that its comparison names.
 *
 * Of times the rounds are not written down, so of those only the values are compared, and that a change which lies wholly
 * beyond the limit is not called unchanged.
 *
 * @returns what is wrong with the first comparison that is not what its measurements give, to be read after the name of the
 * file; undefined where all are
 * @throws BenchError when two measurements have one name
 */
export function findMisjudged({ measurements, gaps, comparisons }: Written): string | undefined {
  const written = new Map(comparisons.map((comparison) => [keyOf(comparison), comparison]));
  if (written.size < comparisons.length) return 'has two comparisons of one benchmark';
  const gapsOf = new Map(groupBy(gaps, subjectOf).map((own) => [own[0] === undefined ? '' : subjectOf(own[0]), own]));
  for (const pair of groupBy(measurements, keyOf)) {
    const [first] = pair;
    if (first === undefined) continue;
    const key = keyOf(first);
    const comparison = written.get(key);
    if (comparison === undefined) return `has measurements of \`${first.benchmark}\` and no comparison of them`;
    written.delete(key);
    const problem = judgeAgain(comparison, pair, gapsOf.get(subjectOf(comparison)) ?? []);
    if (problem !== undefined) return problem;
  }
  const [unfounded] = written.values();
  return unfounded === undefined ? undefined : `compares \`${unfounded.benchmark}\`, of which it has no measurement`;
}

function judgeAgain(comparison: Comparison, pair: readonly Measurement[], gaps: readonly Gap[]): string | undefined {
  const { benchmark, kernel, verdict, limit, lane } = comparison;
  const gate = { limits: { instructions: limit, verifier: limit, time: limit }, overrides: [] };
  const [again] = compareMeasurements(pair, gaps, gate);
  const where = `\`${benchmark}\` on ${kernel}`;
  if (again === undefined) return undefined;
  if (again.base !== comparison.base || again.head !== comparison.head) {
    return `says that ${where} is ${comparison.base} and ${comparison.head}, and its measurements that it is ${again.base} and ${again.head}`;
  }
  if (lane !== 'time' && again.verdict !== verdict) {
    return `says that ${where} is \`${verdict}\`, and its measurements that it is \`${again.verdict}\``;
  }
  if (lane === 'time' && verdict === 'unchanged' && isBeyond(comparison)) {
    return `says that ${where} is \`unchanged\`, and its interval lies beyond the limit`;
  }
  return undefined;
}

function isBeyond({ interval, limit, base, better }: Comparison): boolean {
  if (limit === 'off' || base === null || !Array.isArray(interval)) return false;
  const worse = better === 'lower' ? interval[0] : -interval[1];
  return worse > limit * Math.abs(base);
}

/** What a gap is of. */
function subjectOf({ kernel, lane, benchmark }: Pick<Gap, 'kernel' | 'lane' | 'benchmark'>) {
  return JSON.stringify([kernel, lane, benchmark]);
}

function keyOf({ kernel, lane, benchmark, measure }: Pick<Measurement, 'kernel' | 'lane' | 'benchmark' | 'measure'>) {
  return JSON.stringify([kernel, lane, benchmark, measure]);
}

// Varying counts: verdicts on programs that vary, of equal code and of code that executes more. Pure.

import { groupBy } from '../../src/common/group-by.ts';
import { findSeen } from '../../src/compare/grown-lines.ts';
import type { GateRun } from '../../src/report/gate-run.ts';
import type { ComparisonRecord } from '../../src/report/results.ts';
import type { Row, Tables } from '../record.ts';

/** A run on all kernels. */
export interface VaryingRun extends Pick<GateRun, 'inside'> {
  /** What head has more of in each program: `nothing`, one `instruction`, or one `call`. */
  readonly more: string;
  readonly results: Pick<GateRun['results'], 'comparisons' | 'measurements'>;
}

export function varyingTables(runs: readonly VaryingRun[]): Tables {
  const grown = runs.filter(({ more }) => more !== 'nothing');
  return { totals: groupBy(runs, ({ more }) => more).map(toTotal), kinds: grown.flatMap(kindRows) };
}

function toTotal(runs: readonly [VaryingRun, ...VaryingRun[]]): Row {
  const comparisons = runs.flatMap(({ results }) => results.comparisons);
  const measurements = runs.flatMap(({ results }) => results.measurements);
  const count = (wanted: ComparisonRecord['verdict']) => comparisons.filter(({ verdict }) => verdict === wanted).length;
  const seen = runs.flatMap(({ results, inside }) => results.comparisons.filter((each) => findSeen(each, inside)));
  return {
    'head has more': runs[0].more,
    runs: runs.length,
    comparisons: comparisons.length,
    'not exact': measurements.filter(({ revision, exact }) => revision === 'head' && !exact).length,
    'seen run by run': seen.length,
    regressions: count('regression'),
    improvements: count('improvement'),
    inconclusive: count('inconclusive'),
  };
}

function kindRows({ more, results }: VaryingRun): Row[] {
  const kindOf = ({ benchmark }: ComparisonRecord) => benchmark.replace(/\d$/, '').replace(/^.*\//, '');
  return groupBy(results.comparisons, (each) => JSON.stringify([kindOf(each), each.kernel])).map((own) => {
    const found = own.filter(({ verdict }) => verdict === 'regression');
    const deltas = found.map(({ delta }) => Number((delta ?? 0).toFixed(2)));
    const [least, most] = [Math.min(...deltas), Math.max(...deltas)];
    const about = found.filter(({ interval }) => interval !== 'exact').length;
    return {
      kind: kindOf(own[0]),
      more,
      kernel: own[0].kernel,
      found: `${found.length} of ${own.length}${about > 0 ? `, ${about} about` : ''}`,
      delta: found.length === 0 ? '' : least === most ? `+${most}` : `+${least} to +${most}`,
    };
  });
}

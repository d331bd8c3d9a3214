// Varying counts: false verdicts on counts that vary, and which changes are found. Pure.

import type { Measurement } from '../../src/bench/measurement.ts';
import { groupBy } from '../../src/common/group-by.ts';
import { addConfirmations, compareMeasurements, findVaryingChanges } from '../../src/compare/compare.ts';
import type { Config } from '../../src/model/inputs.ts';
import { type ComparisonRecord, type MeasurementRecord, readMeasurements } from '../../src/report/results.ts';
import { percent } from '../exactness/tables.ts';
import type { Row, Tables } from '../record.ts';

/** One run of a commit against itself, on all kernels. */
export interface VaryingRun {
  readonly measurements: readonly MeasurementRecord[];
  readonly comparisons: readonly ComparisonRecord[];
}

/** Growths to try, as fractions. */
const growths = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
/** Share of pairs in which a growth must be found. */
const power = 0.95;

export function varyingTables(runs: readonly VaryingRun[], gate: Config['gate']): Tables {
  const comparisons = runs.flatMap((run) => run.comparisons);
  const isAgain = ({ revision, confirmations }: MeasurementRecord) => revision === 'head' && confirmations.length > 0;
  return {
    totals: [
      {
        runs: runs.length,
        ...countVerdicts(comparisons),
        'false improvements': comparisons.filter(({ verdict }) => verdict === 'improvement').length,
        'measured in further boots': runs.flatMap((run) => run.measurements.filter(isAgain)).length,
      },
    ],
    kinds: kindRows(runs, gate),
  };
}

function countVerdicts(comparisons: readonly ComparisonRecord[]) {
  const count = (wanted: ComparisonRecord['verdict']) => comparisons.filter(({ verdict }) => verdict === wanted).length;
  return {
    comparisons: comparisons.length,
    'not exact': comparisons.filter(({ interval }) => interval !== 'exact').length,
    'false regressions': count('regression'),
    inconclusive: count('inconclusive'),
  };
}

function kindRows(runs: readonly VaryingRun[], gate: Config['gate']): Row[] {
  const kindOf = ({ benchmark }: ComparisonRecord) => benchmark.replace(/\d$/, '').replace(/^.*\//, '');
  const pairs = runs.flatMap((run) => run.comparisons.map((comparison) => ({ run, comparison })));
  return groupBy(pairs, ({ comparison }) => JSON.stringify([kindOf(comparison), comparison.kernel])).flatMap(
    (group) => {
      const found = growths.find((growth) => findShare(group, runs, growth, gate) >= power);
      const own = group.map(({ comparison }) => comparison);
      return own.slice(0, 1).map((first) => ({
        kind: kindOf(first),
        kernel: first.kernel,
        ...countVerdicts(own),
        'differ by at most': percent(Math.max(...own.map(({ deltaRatio }) => Math.abs(deltaRatio ?? 0)))),
        found: found === undefined ? `more than ${percent(growths.at(-1) ?? 1)}` : percent(found),
      }));
    },
  );
}

/** The share of pairs in which head, grown by `growth`, is a regression. The run's other readings are unchanged. */
function findShare(
  pairs: readonly { readonly run: VaryingRun; readonly comparison: ComparisonRecord }[],
  runs: readonly VaryingRun[],
  growth: number,
  gate: Config['gate'],
): number {
  const found = pairs.filter(({ run, comparison }) => {
    const isSubject = ({ kernel, benchmark }: Pick<ComparisonRecord, 'kernel' | 'benchmark'>) =>
      kernel === comparison.kernel && benchmark === comparison.benchmark;
    const growHead = ({ measurements }: VaryingRun) =>
      readMeasurements(measurements).map((each) =>
        each.revision === 'head' && isSubject(each) ? grow(each, growth) : each,
      );
    let measurements = growHead({
      ...run,
      measurements: run.measurements.map((each) => ({ ...each, confirmations: [] })),
    });
    for (const further of [1, 2]) {
      const next = runs[(runs.indexOf(run) + further) % runs.length] ?? run;
      const changes = findVaryingChanges(measurements, [], gate).filter(isSubject);
      measurements = addConfirmations(measurements, changes, growHead(next));
    }
    return compareMeasurements(measurements, [], gate).find(isSubject)?.verdict === 'regression';
  });
  return found.length / pairs.length;
}

/** Returns the measurement as if each run cost more, by this fraction of the net count. */
function grow(measurement: Measurement, growth: number): Measurement {
  const more = measurement.value * growth;
  return {
    ...measurement,
    value: measurement.value + more,
    samples: measurement.samples.map(({ count, total }) => ({ count, total: total + count * more })),
  };
}

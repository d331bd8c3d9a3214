// Export: `customSmallerIsBetter` of github-action-benchmark,
// https://github.com/benchmark-action/github-action-benchmark.

import type { RevisionName } from '../model/build.ts';
import { toPlainJson } from '../report/plain-text.ts';
import type { MeasurementRecord, Results } from '../report/results.ts';
import { nameOnKernel, requireDistinct, selectMeasurements } from './select.ts';

/**
 * Exports an array of `{name, unit, value, range?, extra}`. The action compares by the name, `bpf-instructions of
 * macro/fun_xdp (6.1)`. `range` is the difference that the method cannot detect; an exact value has none. The format
 * has no place for a measure that is better when higher, so it is left out.
 *
 * @throws InputError when there is no measurement left, or when two would have one name
 */
export function exportGithubActionBenchmark(results: Results, revision: RevisionName = 'head'): string {
  const smaller = results.measurements.filter(({ better }) => better === 'lower');
  const measurements = selectMeasurements({ ...results, measurements: smaller }, revision);
  requireDistinct(measurements, nameOf);
  const releases = new Map(results.kernels.map(({ id, release }) => [id, release]));
  const entries = measurements.map((measurement) => {
    const { kernel, unit, value, exact, resolution, runCount } = measurement;
    const error = Math.abs(value) * resolution;
    const facts = [
      `kernel ${releases.get(kernel) ?? kernel}`,
      exact ? 'exact' : `resolution ${Number((resolution * 100).toPrecision(3))}%`,
      ...(runCount === null ? [] : [`${runCount} runs`]),
    ];
    return {
      name: nameOf(measurement),
      unit,
      value,
      ...(exact || error === 0 ? {} : { range: `± ${Number(error.toPrecision(3))}` }),
      extra: facts.join('\n'),
    };
  });
  return `${toPlainJson(entries, 2)}\n`;
}

function nameOf(measurement: MeasurementRecord): string {
  return `${measurement.measure} of ${nameOnKernel(measurement)}`;
}

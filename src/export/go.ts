// Export: the Go benchmark format, which benchstat reads, https://go.dev/design/14313-benchmark-format.

import { distinctBy, groupBy, indexBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import type { MeasurementRecord, Results } from '../report/results.ts';
import { nameMeasure, requireDistinct, selectMeasurements } from './select.ts';

/**
 * Exports `BenchmarkMacro/fun_xdp/kernel=6.1 136 165 instructions/run`, below lines that describe the units and the
 * machine. Benchstat does not compare across machines: each has a table of its own.
 *
 * An exact value is one line, and its unit is declared exact if it is so in both revisions. Any other value has a line
 * for each raw sample, from which benchstat computes its own centre: its median may differ from the value that bpfgate
 * compares.
 *
 * @throws InputError when there is no measurement, or when two would have one name
 */
export function exportGo(results: Results, revision: RevisionName = 'head'): string {
  const measurements = selectMeasurements(results, revision);
  const toUnit = nameUnits(results.measurements);
  requireDistinct(measurements, (measurement) => `${toName(measurement)} ${toUnit(measurement)}`);
  const lines = [
    `pkg: ${toField(results.project.name)}`,
    ...groupBy(results.measurements, toUnit).map((group) => {
      const exact = group.every((measurement) => measurement.exact) ? ' assume=exact' : '';
      return `Unit ${toUnit(group[0])} better=${group[0].better}${exact}`;
    }),
  ];
  let machine = '';
  for (const group of groupBy(measurements, ({ kernel }) => kernel)) {
    const own = describeMachine(results, group[0].kernel);
    if (own !== machine) lines.push(own);
    machine = own;
    for (const measurement of group) {
      for (const { count, value } of readingsOf(measurement)) {
        lines.push(`${toName(measurement)} ${count} ${value} ${toUnit(measurement)}`);
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

function describeMachine({ kernels }: Results, id: string): string {
  const machine = kernels.find((kernel) => kernel.id === id)?.machine;
  const { accelerator = '', qemuVersion = '', cpuModel = '' } = machine ?? {};
  return [`accelerator: ${accelerator}`, `qemu: ${toField(qemuVersion)}`, `cpu: ${toField(cpuModel)}`].join('\n');
}

function readingsOf({ value, exact, empty, samples, runCount }: MeasurementRecord): { count: number; value: number }[] {
  const taken = samples.filter(({ count }) => count > 0);
  if (exact || taken.length === 0) return [{ count: toCount(runCount ?? 1), value }];
  // Samples are gross, the value is net of an empty program.
  return taken.map(({ count, total }) => ({ count: toCount(count), value: total / count - (empty ?? 0) }));
}

/** Rounds a count: the format has whole iterations, in 64 bits. */
function toCount(count: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.round(count)));
}

/**
 * Names a benchmark. The kernel comes last, so that a benchmark called `burst-64` is not read as one on 64 processors.
 * Go's names begin with a capital.
 */
function toName({ benchmark, kernel }: MeasurementRecord): string {
  const name = toField(benchmark);
  const [first = ''] = name;
  return `Benchmark${first.toUpperCase()}${name.slice(first.length)}/kernel=${toField(kernel)}`;
}

/** Names units. To benchstat the unit is the measure; `instructions/run` alone suffices if no other measure has it. */
function nameUnits(measurements: readonly MeasurementRecord[]): (measurement: MeasurementRecord) => string {
  const distinct = distinctBy(measurements, ({ unit, measure }) => JSON.stringify([unit, measure]));
  const measuresByUnit = indexBy(distinct, ({ unit }) => unit);
  return (measurement) => {
    const { measure, unit } = measurement;
    const unitNamesMeasure = unit !== '' && nameMeasure(measurement) === measure;
    if (unitNamesMeasure && measuresByUnit.get(unit)?.length === 1) return toField(unit);
    const endsWithUnit = unit === '' || `-${measure}`.endsWith(`-${unit}`);
    return toField(endsWithUnit ? measure : `${measure}-${unit}`);
  };
}

/** Makes a field. Spaces separate fields and line breaks separate lines; neither can be quoted. */
function toField(text: string): string {
  return text.trim().replace(/[\s\p{C}]+/gu, '_') || '_';
}

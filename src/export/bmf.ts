// Export: Bencher Metric Format, version 0, https://bencher.dev/docs/reference/bencher-metric-format/.

import { groupBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import { toPlainJson } from '../report/plain-text.ts';
import type { MeasurementRecord, Results } from '../report/results.ts';
import { nameMeasure, nameOnKernel, requireDistinct, selectMeasurements } from './select.ts';

/**
 * Exports one object, `{"macro/fun_xdp (6.1)": {"bpf-instructions": {"value": 165}}}`.
 *
 * The format has no units, so they are part of the measure. Bounds span the differences that the method cannot detect;
 * an exact value has none.
 *
 * @throws InputError when there is no measurement, or when two would have one name
 */
export function exportBmf(results: Results, revision: RevisionName = 'head'): string {
  const measurements = selectMeasurements(results, revision);
  requireDistinct(measurements, (measurement) => `${nameOnKernel(measurement)}: ${toSlug(measurement)}`);
  // Not by assignment, which would lose a benchmark called `__proto__`.
  const benchmarks = groupBy(measurements, nameOnKernel).map((group) => [
    nameOnKernel(group[0]),
    Object.fromEntries(group.map((measurement) => [toSlug(measurement), toMetric(measurement)])),
  ]);
  return `${toPlainJson(Object.fromEntries(benchmarks), 2)}\n`;
}

function toSlug(measurement: MeasurementRecord): string {
  const name = nameMeasure(measurement);
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? name : slug;
}

function toMetric({ value, exact, resolution }: MeasurementRecord) {
  const error = Math.abs(value) * resolution;
  const bounds = { lower_value: value - error, upper_value: value + error };
  // JSON has no infinity, and the format no null.
  const isBounded = Object.values(bounds).every(Number.isFinite);
  return exact || error === 0 || !isBounded ? { value } : { value, ...bounds };
}

// Export: selects the measurements for another tool's file, and names that distinguish them there.

import { namesUnit } from '../bench/measurement.ts';
import { InputError } from '../common/errors.ts';
import type { RevisionName } from '../model/build.ts';
import type { MeasurementRecord, Results } from '../report/results.ts';

/** @throws InputError when there is none */
export function selectMeasurements({ measurements }: Results, revision: RevisionName): readonly MeasurementRecord[] {
  const selected = measurements.filter((measurement) => measurement.revision === revision);
  if (selected.length > 0) return selected;
  throw new InputError(`the result file holds no measurement of ${revision}`, {
    hint: 'give the results.json of a run that measured at least one kernel',
  });
}

/** `fun_xdp (6.1)`: the name of a benchmark where kernels are not a dimension of their own. */
export function nameOnKernel({ benchmark, kernel }: MeasurementRecord): string {
  return `${benchmark} (${kernel})`;
}

/**
 * The measure with its unit, for formats without units: `bpf-instructions`, whose name includes the unit, but
 * `latency-instructions`, since a latency would otherwise be taken for nanoseconds.
 */
export function nameMeasure(measurement: MeasurementRecord): string {
  const { measure, unit } = measurement;
  return namesUnit(measurement) ? measure : `${measure}-${unit.split('/')[0]}`;
}

/**
 * Refuses two measurements with one key. The other tools key a value by its name and take the last of two.
 *
 * @param key computes what the format keys a value by
 * @throws InputError when two measurements have one key
 */
export function requireDistinct(
  measurements: readonly MeasurementRecord[],
  key: (measurement: MeasurementRecord) => string,
): void {
  const seen = new Map<string, MeasurementRecord>();
  for (const measurement of measurements) {
    const other = seen.get(key(measurement));
    if (other !== undefined) {
      throw new InputError(
        `${describe(other)} and ${describe(measurement)} would have the same name ${JSON.stringify(key(measurement))}`,
        { hint: 'give each benchmark and measure a name of its own, or export another format' },
      );
    }
    seen.set(key(measurement), measurement);
  }
}

/** Writes JSON, since a name may hold anything. */
function describe({ benchmark, measure, lane, kernel }: MeasurementRecord): string {
  return `${JSON.stringify(measure)} of ${JSON.stringify(benchmark)} (${lane}, kernel ${kernel})`;
}

// Bench: turns what a bench printed, over its readings, into measurements.

import { BenchError } from '../common/errors.ts';
import { groupBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import type { BenchRecord } from '../model/guest-run.ts';
import type { PrintedFormat } from '../model/inputs.ts';
import type { Warning } from '../model/warning.ts';
import { type BmfMetric, isBetterHigher, isTimed, unitOf } from './bmf.ts';
import { type CriterionBenchmark, parseCriterion } from './criterion.ts';
import type { OwnWarning, PrintedValue } from './measurement.ts';
import { type Needs, printsNeedsOnly } from './needs.ts';
import { holdsResults, type Printed, parsePrinted } from './printed-formats.ts';
import { baseResolution, resolutionOf } from './resolution.ts';
import { estimatePerIteration } from './slope.ts';

/** One bench's readings of one revision, in the order taken; at least one. */
export interface Readings {
  readonly kernel: string;
  readonly bench: string;
  readonly revision: RevisionName;
  readonly records: readonly BenchRecord[];
  /** Benchmarks that this kernel is too old for, by all readings together. */
  readonly needs: Needs;
}

/** Limits the samples of all readings of a revision: fitting a line takes a millisecond for each. */
const maxSamples = 100_000;

/** @throws BenchError when a reading has no criterion result or a wrong one, or all have over 100,000 samples */
export function measureCriterion(readings: Readings): PrintedValue[] {
  const found = readings.records.flatMap((record): readonly CriterionBenchmark[] => {
    const benchmarks = parseCriterion(record.stdoutText, `${describeReading(record, readings.kernel)}: stdout`);
    if (benchmarks.length > 0 || readings.needs.size > 0) return benchmarks;
    throw new BenchError(`${describeReading(record, readings.kernel)} printed no criterion results`, {
      hint: 'use `cargo criterion --message-format=json` with a criterion benchmark, or another format',
    });
  });
  const samples = found.reduce((sum, benchmark) => sum + benchmark.samples.length, 0);
  if (samples > maxSamples) {
    const { bench, revision, kernel } = readings;
    throw new BenchError(
      `bench \`${bench}\` (${revision}, kernel ${kernel}) printed ${samples} samples, more than ${maxSamples}`,
      {
        hint: 'give its command a smaller --sample-size, or make several [[bench]] of it',
      },
    );
  }
  return groupBy(found, ({ id }) => id).map((benchmarks) => {
    const values = benchmarks.map((benchmark) => estimatePerIteration(benchmark.samples));
    const samples = benchmarks.flatMap((benchmark) => benchmark.samples);
    const value = estimatePerIteration(samples);
    // Each reading is a process of its own, so a difference this small could come from one more process.
    const resolution = resolutionOf(value, Math.max(...values) - Math.min(...values));
    return {
      ...benchmarkBase(readings, benchmarks[0].id),
      measure: 'instructions',
      unit: 'instructions/iteration',
      better: 'lower',
      value,
      exact: false,
      resolution,
      samples,
      readings: values,
      warnings: [
        ...describeMissing(benchmarks.length, readings),
        ...(resolution > baseResolution ? [{ reason: coarse, detail: `by ${(resolution * 100).toFixed(2)} %` }] : []),
      ],
    };
  });
}

/**
 * @returns `warnings`: what was not read
 * @throws BenchError when a reading printed nothing of the format or something wrong
 */
export function measurePrinted(readings: Readings, format: PrintedFormat) {
  const { bench, revision } = readings;
  const printed = readings.records.flatMap((record): readonly Printed[] => {
    const { stdoutText } = record;
    if (readings.needs.size > 0 && printsNeedsOnly(stdoutText) && !holdsResults(format, stdoutText)) return [];
    return [parsePrinted(format, stdoutText, describeReading(record, readings.kernel))];
  });
  const metrics = printed.flatMap((each) => each.metrics);
  return {
    measurements: groupBy(metrics, ({ benchmark, measure }) => JSON.stringify([benchmark, measure])).map((own) =>
      measureMetric(readings, own),
    ),
    warnings: printed.flatMap(({ warnings }) =>
      warnings.map((detail): Warning => ({ about: [bench], revision, reason: 'printed what is not read', detail })),
    ),
  };
}

function measureMetric(readings: Readings, metrics: readonly [BmfMetric, ...BmfMetric[]]): PrintedValue {
  const [first] = metrics;
  const { benchmark, measure } = first;
  const better = isBetterHigher(first) ? 'higher' : 'lower';
  const values = metrics.map((metric) => metric.value);
  const settled = isTimed(first) ? settleTimed(values, better) : settleCounted(values);
  return {
    ...benchmarkBase(readings, benchmark),
    measure,
    unit: unitOf(measure),
    better,
    ...settled,
    samples: values.map((value) => ({ count: 1, total: value })),
    warnings: [...describeMissing(values.length, readings), ...settled.warnings],
  };
}

const coarse = 'readings differ, so smaller changes cannot be detected';

type Settled = Pick<PrintedValue, 'value' | 'exact' | 'resolution' | 'warnings'>;

/**
 * Takes the best reading, which is the cleanest. It is clean if it came twice: a worse value that came more often
 * contains a tick, as the best one proves. Otherwise the second best shows how far the best can be trusted.
 */
function settleTimed(values: readonly number[], better: 'lower' | 'higher'): Settled {
  const sign = better === 'higher' ? -1 : 1;
  const [best = 0, next] = values.toSorted((a, b) => sign * (a - b));
  if (next === best) return { value: best, exact: true, resolution: 0, warnings: [] };
  const word = sign < 0 ? 'highest' : 'lowest';
  return {
    value: best,
    exact: false,
    resolution: resolutionOf(best, Math.abs((next ?? best) - best)),
    warnings:
      next === undefined
        ? []
        : [{ reason: `its ${word} value, which is shown, was read only once`, detail: `in ${values.length} readings` }],
  };
}

/**
 * Takes the largest reading; its distance to the smallest is its uncertainty. No tick changes a size or a count, so
 * readings differ because of the benchmark itself, and two that agree by chance prove nothing.
 */
function settleCounted(values: readonly number[]): Settled {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) {
    const exact = values.length > 1;
    return { value: high, exact, resolution: exact ? 0 : baseResolution, warnings: [] };
  }
  const value = Math.abs(low) > Math.abs(high) ? low : high;
  return {
    value,
    exact: false,
    resolution: resolutionOf(value, high - low),
    warnings: [{ reason: coarse, detail: `between ${low} and ${high}` }],
  };
}

function benchmarkBase(readings: Readings, name: string) {
  return {
    kernel: readings.kernel,
    revision: readings.revision,
    lane: 'instructions',
    benchmark: `${readings.bench}/${name}`,
    kind: 'benchmark',
    confirmations: [],
    source: null,
  } as const;
}

function describeMissing(count: number, { records }: Readings): readonly OwnWarning[] {
  if (count === records.length) return [];
  return [{ reason: 'not printed in every reading', detail: `in ${count} of ${records.length}` }];
}

/** Names a reading in errors. */
export function describeReading({ bench, revision, reading }: BenchRecord, kernel: string): string {
  return `bench \`${bench}\` (${revision}, kernel ${kernel}, reading ${reading})`;
}

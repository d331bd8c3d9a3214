// Sixth stage: what a bench printed, over its readings, to measurements.

import type { RevisionName } from '../build/build.ts';
import { BenchError } from '../errors.ts';
import { groupBy } from '../group-by.ts';
import type { BenchRecord } from '../vm/guest-run.ts';
import { type BmfMetric, parseBmf } from './bmf.ts';
import { type CriterionBenchmark, parseCriterion } from './criterion.ts';
import type { Measured, Measurement } from './measurement.ts';
import { findMode } from './mode.ts';
import { estimatePerIteration } from './slope.ts';

/** One bench's readings of one revision, in the order taken; at least one. */
export interface Readings {
  readonly kernel: string;
  readonly bench: string;
  readonly revision: RevisionName;
  readonly records: readonly BenchRecord[];
}

/** What the method cannot tell apart in a benchmark that is not counted exactly, as a fraction. */
const baseResolution = 0.001;

/** @throws BenchError when a reading has no criterion result or a wrong one */
export function measureCriterion(readings: Readings): Measured {
  const found = readings.records.flatMap((record): readonly CriterionBenchmark[] => {
    const benchmarks = parseCriterion(record.stdoutText, `${describeRecord(readings, record)}: stdout`);
    if (benchmarks.length > 0) return benchmarks;
    throw new BenchError(`${describeRecord(readings, record)} printed no criterion results`, {
      hint: 'use `cargo criterion --message-format=json` with a criterion benchmark, or another format',
    });
  });
  return {
    measurements: groupBy(found, ({ id }) => id).map((benchmarks) => {
      const values = benchmarks.map((benchmark) => estimatePerIteration(benchmark.samples));
      const samples = benchmarks.flatMap((benchmark) => benchmark.samples);
      const value = estimatePerIteration(samples);
      const spread = (Math.max(...values) - Math.min(...values)) / value;
      return {
        ...benchmarkBase(readings, benchmarks[0]?.id ?? ''),
        measure: 'instructions',
        unit: 'instructions/iteration',
        value,
        exact: false,
        // Readings are processes of their own: what differs between them is not told apart by one more.
        resolution: Math.max(baseResolution, spread),
        samples,
        warnings: [
          ...describeMissing(benchmarks.length, readings),
          ...(spread > baseResolution
            ? [`its readings differ by ${(spread * 100).toFixed(2)} %, so smaller changes cannot be told`]
            : []),
        ],
      };
    }),
    warnings: [],
  };
}

/** @throws BenchError when a reading printed no Bencher Metric Format or a wrong one */
export function measureBmf(readings: Readings): Measured {
  const metrics = readings.records.flatMap((record) => parseBmf(record.stdoutText, describeRecord(readings, record)));
  const others = new Set(metrics.map((metric) => metric.measure).filter((measure) => measure !== 'latency'));
  const latencies = metrics.filter((metric) => metric.measure === 'latency');
  return {
    measurements: groupBy(latencies, ({ benchmark }) => benchmark).map((own) => measureLatency(readings, own)),
    warnings: [...others].map(
      (measure) => `measure \`${measure}\` of bench \`${readings.bench}\` is not compared in this version`,
    ),
  };
}

function measureLatency(readings: Readings, metrics: readonly BmfMetric[]): Measurement {
  const values = metrics.map((metric) => metric.value);
  const mode = findMode(values) ?? { value: 0, count: 0 };
  const exact = mode.count > 1;
  return {
    ...benchmarkBase(readings, metrics[0]?.benchmark ?? ''),
    measure: 'latency',
    // One virtual nanosecond is one instruction.
    unit: 'instructions',
    value: mode.value,
    exact,
    resolution: exact ? 0 : baseResolution,
    samples: values.map((value) => ({ count: 1, total: value })),
    warnings: [
      ...describeMissing(values.length, readings),
      ...(values.length > 1 && !exact ? [`no two of its ${values.length} readings agree; the lowest is shown`] : []),
    ],
  };
}

function benchmarkBase(readings: Readings, name: string) {
  return {
    kernel: readings.kernel,
    revision: readings.revision,
    lane: 'instructions',
    benchmark: `${readings.bench}/${name}`,
    kind: 'benchmark',
    gross: null,
    empty: null,
    runCount: null,
    missedRuns: null,
    source: null,
  } as const;
}

function describeMissing(count: number, { records }: Readings): readonly string[] {
  return count === records.length ? [] : [`printed in ${count} of ${records.length} readings only`];
}

function describeRecord({ kernel, bench, revision }: Readings, record: BenchRecord): string {
  return `bench \`${bench}\` (${revision}, kernel ${kernel}, reading ${record.reading})`;
}

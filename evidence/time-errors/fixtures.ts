// Runs as `npm run time-errors` records them, with noise that is the same in every run of the tests.

import type { Data, Run, RunBenchmark, RunKernel } from './data.ts';

/** Noise of about 2 %. */
const noise = (seed: number) => 1 + 0.02 * Math.sin(seed * 12.9898);

export interface RunShape {
  readonly rounds?: number;
  /** Head's growth, as a factor. */
  readonly growth?: number;
  /** The growth of base when measured again, as a factor. */
  readonly control?: number;
}

export function benchmarkOf(
  { rounds: count = 20, growth = 1, control = 1 }: RunShape,
  fields: Partial<RunBenchmark> = {},
): RunBenchmark {
  const rounds = Array.from({ length: count }, (_, index) => ({
    boot: index % 3,
    base: 100 * noise(3 * index),
    head: 100 * growth * noise(3 * index + 1),
    control: 100 * control * noise(3 * index + 2),
  }));
  const samples = (time: number) =>
    Array.from({ length: 10 }, (_, index) => ({ count: index + 1, total: (index + 1) * time * noise(index + time) }));
  return {
    benchmark: 'work/mix',
    measure: 'time',
    unit: 'ns/iteration',
    better: 'lower',
    kind: 'benchmark',
    rounds,
    samples: rounds.map(({ base, head }) => ({ base: samples(base), head: samples(head) })),
    ...fields,
  };
}

export function kernelOf(shape: RunShape = {}): RunKernel {
  return {
    kernel: '6.1',
    isReal: false,
    boots: 3,
    benchmarks: [benchmarkOf(shape, { benchmark: 'work/add', kind: 'bpf-program', samples: null }), benchmarkOf(shape)],
    controls: [{ bench: 'work', rounds: benchmarkOf({ rounds: shape.rounds ?? 20 }).rounds }],
  };
}

export function runOf(number: number, head: Run['head'], shape: RunShape = {}): Run {
  return {
    record: 'run',
    number,
    head,
    seconds: 25 + number,
    load: 1 + number / 10,
    error: null,
    kernels: [kernelOf(shape)],
  };
}

export function dataOf(runs: readonly Run[], wanted: { runs?: number; powerRuns?: number } = {}): Data {
  return {
    start: {
      record: 'start',
      command: 'npm run time-errors',
      time: '2026-11-21 13:05 UTC',
      machine: 'A CPU, 2 cores, 8 GiB',
      commit: 'b411a8e',
      kernels: [{ id: '6.1', release: '6.1.176' }],
      timeBudget: '25 s',
      seed: 7,
      runs: wanted.runs ?? runs.filter(({ head }) => head === 'base').length,
      powerRuns: wanted.powerRuns ?? runs.filter(({ head }) => head === 'slower-10').length,
      limit: 0.05,
    },
    growths: [
      { record: 'growth', head: 'slower-10', kernel: '6.1', benchmark: 'work/add', growth: 0.09994 },
      { record: 'growth', head: 'slower-25', kernel: '6.1', benchmark: 'work/add', growth: 0.24991 },
    ],
    runs,
    end: { record: 'end', minutes: 42.2, stopped: null },
  };
}

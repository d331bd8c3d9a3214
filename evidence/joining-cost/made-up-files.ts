// Joining cost: makes result files as a matrix of kernels and shards leaves them, with made-up counts. Pure.

import type { ProgramCount } from '../../src/bench/measurement.ts';
import { version } from '../../src/common/version.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import { selectShard } from '../../src/inputs/shard.ts';
import { decideVerdict } from '../../src/report/gate-verdict.ts';
import {
  type KernelResult,
  type Results,
  recordComparison,
  recordMeasurement,
  resultsSchemaName,
} from '../../src/report/results.ts';

/** The dimensions of a matrix of result files. */
export interface MatrixSize {
  readonly kernels: number;
  /** Benchmarks per kernel, over all of its shards. */
  readonly benchmarks: number;
  /** Files per kernel. */
  readonly shards: number;
}

/** One in this many benchmarks regresses, by the same amount on every kernel. */
const regressedEvery = 50;
/** Benchmarks that one bench prints; shards are made of benches. */
const benchmarksOfBench = 10;
const gate = { limits: { instructions: 0, verifier: 0, time: 0.05 }, overrides: [] } as const;

/** One result for each kernel and shard, as a job leaves it. */
export function makeFiles({ kernels, benchmarks, shards }: MatrixSize): Results[] {
  const benches = Array.from({ length: Math.ceil(benchmarks / benchmarksOfBench) }, (_, bench) => bench);
  return Array.from({ length: kernels }, (_, kernel) => `6.${kernel + 1}`).flatMap((kernel) =>
    Array.from({ length: shards }, (_, position) => {
      const shard = shards === 1 ? null : { index: position + 1, count: shards };
      const own = selectShard(benches, shard).flatMap((bench) => {
        const count = Math.min(benchmarksOfBench, benchmarks - bench * benchmarksOfBench);
        return Array.from({ length: count }, (_, index) => measure(kernel, bench, index)).flat();
      });
      const comparisons = compareMeasurements(own, [], gate).map(recordComparison);
      const results = [resultOf(kernel)];
      return {
        schema: resultsSchemaName,
        bpfgate: version,
        shard,
        gaps: [],
        accepts: [],
        diffs: [],
        profiles: [],
        verdict: decideVerdict(comparisons, [], results),
        project: { name: 'made-up', configFile: 'bpfgate.toml', projectPath: '', configChanges: [] },
        revisions: { base: revision('base'), head: revision('head') },
        kernels: results,
        measurements: own.map(recordMeasurement),
        comparisons,
      };
    }),
  );
}

/** Makes measurements of base and head of a BPF program, with the usual number of readings. */
function measure(kernel: string, bench: number, index: number): ProgramCount[] {
  const number = bench * benchmarksOfBench + index;
  const base = 100 + (number % 900);
  return (['base', 'head'] as const).map((revision) => {
    const value = base + (revision === 'head' && number % regressedEvery === 0 ? 3 : 0);
    const total = (value + 49) * 1000;
    return {
      kernel,
      revision,
      lane: 'instructions',
      benchmark: `bench-${bench}/program_${index}`,
      measure: 'bpf-instructions',
      unit: 'instructions/run',
      better: 'lower',
      kind: 'bpf-program',
      value,
      gross: value + 49,
      empty: 49,
      exact: true,
      resolution: 0,
      samples: [total, total + 1200, total].map((each) => ({ count: 1000, total: each })),
      confirmations: [],
      runCount: 1000,
      missedRuns: 0,
      warnings: [],
      source: { file: `src/bench_${bench}.bpf.c`, line: index + 1 },
    };
  });
}

function revision<Name extends 'base' | 'head'>(name: Name) {
  const tree = (name === 'base' ? 'aa' : 'bb').repeat(20);
  return { revision: name, ref: name, commit: tree, tree, tools: { clang: 'clang version 19.1.7', ld: 'GNU ld 2.40' } };
}

function resultOf(id: string): KernelResult {
  const sha256 = '5a'.repeat(32);
  const machine: NonNullable<KernelResult['machine']> = {
    accelerator: 'tcg-icount',
    runner: 'vmtest',
    acceleratorReason: null,
    qemuVersion: '7.2.22',
    cpuModel: 'Nehalem',
    commandLine: 'console=ttyS0 nokaslr norandmaps',
    startedFrom: 'boot',
    memoryMiB: 1024,
    agent: sha256,
    initramfs: sha256,
  };
  return {
    id,
    release: `${id}.1`,
    uname: `${id}.1-made-up`,
    sha256,
    origin: 'debian',
    machine,
    kept: [],
    objects: {},
    fingerprint: { kernel: id, qemu: machine.qemuVersion },
    error: null,
    warnings: [],
  };
}

// Time errors: what `npm run time-errors` measures, a JSON line for each run, from which it makes its record. Pure.

import type { TimedBenchmark } from '../../src/bench/measure-times.ts';
import type { Sample } from '../../src/bench/measurement.ts';
import { InputError } from '../../src/common/errors.ts';
import type { Head } from './schedule.ts';

export interface Start {
  readonly record: 'start';
  /** Command line as typed. */
  readonly command: string;
  /** UTC, such as `2026-11-21 13:05 UTC`. */
  readonly time: string;
  readonly machine: string;
  readonly commit: string;
  readonly kernels: readonly { readonly id: string; readonly release: string }[];
  /** Option as typed. */
  readonly timeBudget: string;
  /** Seed of the runs' order. */
  readonly seed: number;
  /** Number of requested runs of base against itself, and against each slower head. */
  readonly runs: number;
  readonly powerRuns: number;
  /** The time lane's limit, as a fraction. */
  readonly limit: number;
}

/** Growth of head's instruction counts, as a fraction of base's. */
export interface Growth {
  readonly record: 'growth';
  readonly head: Head;
  readonly kernel: string;
  readonly benchmark: string;
  readonly growth: number;
}

export interface RunBenchmark
  extends Pick<TimedBenchmark, 'benchmark' | 'measure' | 'unit' | 'better' | 'kind' | 'rounds'> {
  /** Criterion's samples of each round in order; null for a BPF program. */
  readonly samples: readonly { readonly base: readonly Sample[]; readonly head: readonly Sample[] }[] | null;
}

export interface RunKernel {
  readonly kernel: string;
  /** Whether it ran directly on the processor. */
  readonly isReal: boolean;
  readonly boots: number;
  readonly benchmarks: readonly RunBenchmark[];
  readonly controls: readonly { readonly bench: string; readonly rounds: TimedBenchmark['rounds'] }[];
}

export interface Run {
  readonly record: 'run';
  /** Position in the order, 1-based. */
  readonly number: number;
  readonly head: Head;
  readonly seconds: number;
  /** Load average over the minute before its end. */
  readonly load: number;
  readonly kernels: readonly RunKernel[];
  /** The error, without the machine's paths; null if there was none. */
  readonly error: string | null;
}

export interface End {
  readonly record: 'end';
  readonly minutes: number;
  /** Why the runs stopped early; null if they did not. */
  readonly stopped: string | null;
}

export type DataRecord = Start | Growth | Run | End;

export interface Data {
  readonly start: Start;
  readonly growths: readonly Growth[];
  readonly runs: readonly Run[];
  /** Undefined if the process was lost. */
  readonly end: End | undefined;
}

/**
 * @param file name of the text in errors
 * @throws InputError when the first line is not the start record
 */
export function parseData(text: string, file: string): Data {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const records = lines.map((line) => JSON.parse(line) as DataRecord);
  const [start] = records;
  if (start?.record !== 'start') throw new InputError(`${file}: it does not begin with a \`start\` record`);
  return {
    start,
    growths: records.filter((each) => each.record === 'growth'),
    runs: records.filter((each) => each.record === 'run'),
    end: records.find((each) => each.record === 'end'),
  };
}

// Time errors: what `npm run time-errors` measures, a JSON line for each run, from which it makes its record. Pure.

import { z } from 'zod';
import { InputError } from '../../src/common/errors.ts';

const whole = z.number().int().nonnegative();
const round = z.object({
  boot: whole,
  base: z.number().optional(),
  head: z.number().optional(),
  control: z.number().optional(),
});
const samples = z.array(z.object({ count: z.number().positive(), total: z.number() }));

const startRecord = z.object({
  record: z.literal('start'),
  /** Command line as typed. */
  command: z.string(),
  /** UTC, such as `2026-11-21 13:05 UTC`. */
  time: z.string(),
  machine: z.string(),
  commit: z.string(),
  kernels: z.array(z.object({ id: z.string(), release: z.string() })),
  /** Option as typed. */
  timeBudget: z.string(),
  /** Seed of the runs' order. */
  seed: whole,
  /** Number of requested runs. */
  runs: whole,
  powerRuns: whole,
  /** The time lane's limit, as a fraction. */
  limit: z.number(),
});

/** Growth of head's instruction counts, as a fraction of base's. */
const growthRecord = z.object({
  record: z.literal('growth'),
  head: z.string(),
  kernel: z.string(),
  benchmark: z.string(),
  growth: z.number(),
});

const kernelTimes = z.object({
  kernel: z.string(),
  /** Whether it ran directly on the processor. */
  isReal: z.boolean(),
  boots: whole,
  benchmarks: z.array(
    z.object({
      benchmark: z.string(),
      measure: z.string(),
      unit: z.string(),
      better: z.enum(['lower', 'higher']),
      kind: z.enum(['bpf-program', 'benchmark']),
      rounds: z.array(round),
      /** Criterion's samples of each round in order; null for a BPF program. */
      samples: z.array(z.object({ base: samples, head: samples })).nullable(),
    }),
  ),
  controls: z.array(z.object({ bench: z.string(), rounds: z.array(round) })),
});

const runRecord = z.object({
  record: z.literal('run'),
  /** Position in the order, 1-based. */
  number: whole,
  head: z.enum(['base', 'slower-10', 'slower-25']),
  seconds: z.number(),
  /** Load average over the minute before its end. */
  load: z.number(),
  kernels: z.array(kernelTimes),
  /** The error, without the machine's paths; null if there was none. */
  error: z.string().nullable(),
});

const endRecord = z.object({
  record: z.literal('end'),
  minutes: z.number(),
  load: z.object({ before: z.number(), after: z.number() }),
  /** Why the runs stopped early; null if they did not. */
  stopped: z.string().nullable(),
});

const record = z.discriminatedUnion('record', [startRecord, growthRecord, runRecord, endRecord]);
export type DataRecord = z.infer<typeof record>;
export type Start = z.infer<typeof startRecord>;
export type Growth = z.infer<typeof growthRecord>;
export type Run = z.infer<typeof runRecord>;
export type RunKernel = z.infer<typeof kernelTimes>;
export type RunBenchmark = RunKernel['benchmarks'][number];
export type End = z.infer<typeof endRecord>;

/** All data for the page. */
export interface Data {
  readonly start: Start;
  readonly growths: readonly Growth[];
  readonly runs: readonly Run[];
  /** Undefined if the process was lost. */
  readonly end: End | undefined;
}

/**
 * @param file name of the text in errors
 * @throws InputError when a line is not a valid record, or the first is not the start record
 */
export function parseData(text: string, file: string): Data {
  const records = text.split('\n').flatMap((line, index): DataRecord[] => {
    if (line.trim() === '') return [];
    const where = `${file}:${index + 1}`;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new InputError(`${where}: no JSON: ${line.slice(0, 60)}`, { cause });
    }
    const parsed = record.safeParse(value);
    if (parsed.success) return [parsed.data];
    const [issue] = parsed.error.issues;
    throw new InputError(`${where}: no record of time-errors: ${issue?.path.join('.')}: ${issue?.message}`);
  });
  const [start] = records;
  if (start?.record !== 'start') throw new InputError(`${file}: it does not begin with a \`start\` record`);
  return {
    start,
    growths: records.filter((each) => each.record === 'growth'),
    runs: records.filter((each) => each.record === 'run'),
    end: records.find((each) => each.record === 'end'),
  };
}

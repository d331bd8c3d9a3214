// What a guest agent left in its run folder (records.jsonl, status.json), checked before anything believes it. Pure.

import { z } from 'zod';
import { revisionNames } from '../build/build.ts';
import { VmError } from '../errors.ts';
import {
  type BenchRecord,
  type CalibrationRecord,
  type ControlRecord,
  type GuestProfile,
  type GuestRecord,
  type LoadRecord,
  type ObjectRecord,
  type ProgramRecord,
  type RunName,
  runNames,
} from './guest-run.ts';

const count = z.int().nonnegative();
const run = z.enum(runNames);
const revision = z.enum(revisionNames);
/** Of a verifier's log, in characters: the agent keeps 8 KiB of it. */
const maxLog = 16_384;

/** Below the run folder's `output`; a path that leads elsewhere is not the agent's. */
const outputFile = z.string().regex(/^output\/[\w.+@=-]+\.(base|head|control)\.\d+\.(stdout|stderr)$/);

/** Below the run folder's `profiles`. */
const profileFile = z.string().regex(/^profiles\/[\w.+@=-]+\.(base|head)\.[\w.-]+$/);

const guest = z.object({
  record: z.literal('guest'),
  agent: z.string(),
  release: z.string(),
  version: z.string(),
  cmdline: z.string(),
});
const warning = z.object({ record: z.literal('warning'), message: z.string() });
const calibration = z.object({
  record: z.literal('calibration'),
  prog_type: z.string(),
  readings: z.array(z.object({ run_cnt: count, run_time_ns: count })),
});
const progress = z.object({ record: z.literal('progress'), bench: z.string(), revision: run, reading: count });
const bench = z.object({
  record: z.literal('bench'),
  bench: z.string(),
  revision: run,
  reading: count,
  exit_code: z.int().nullable(),
  signal: z.int().nullable(),
  stdout: outputFile,
  stderr: outputFile,
  duration_ns: count,
});
/** Of one program, in files, and of one file, in lines; the agent keeps fewer. */
const [maxFiles, maxLines] = [20_000, 20_000];
const lines = z
  .array(z.object({ file: z.string(), counts: z.array(z.tuple([count, count])).max(maxLines) }))
  .max(maxFiles);
const program = z.object({
  record: z.literal('program'),
  bench: z.string(),
  revision: run,
  reading: count,
  ordinal: count,
  id: count,
  name: z.string(),
  prog_type: z.string(),
  tag: z.string(),
  run_cnt: count,
  run_time_ns: count,
  recursion_misses: count.nullable(),
  verified_insns: count.nullable(),
  xlated_bytes: count,
  jited_bytes: count,
  source: z.object({ file: z.string(), line: count }).nullable(),
  lines,
  warning: z.string().nullable(),
});
const converged = z.object({
  record: z.literal('converged'),
  bench: z.string(),
  readings: count,
  converged: z.boolean(),
});

const control = z.object({
  record: z.literal('control'),
  bench: z.string(),
  revision: run,
  reading: count,
  run_cnt: count,
  run_time_ns: count,
});
const loading = z.object({ record: z.literal('loading'), object: z.string(), revision });
const object = z.object({
  record: z.literal('object'),
  object: z.string(),
  revision,
  programs: count,
  error: z.string().nullable(),
});
const load = z.object({
  record: z.literal('load'),
  object: z.string(),
  revision,
  program: z.string(),
  section: z.string(),
  prog_type: z.string().nullable(),
  outcome: z.enum(['loaded', 'refused', 'unsupported']),
  verified_insns: count.nullable(),
  stack_bytes: count.nullable(),
  xlated_bytes: count.nullable(),
  jited_bytes: count.nullable(),
  map_bytes: count.nullable(),
  load_time_ns: count.nullable(),
  errno: z.string().nullable(),
  message: z.string().nullable(),
  log: z.string().max(maxLog),
  source: z.object({ file: z.string(), line: count }).nullable(),
  lines,
});

const profiling = z.object({ record: z.literal('profiling'), bench: z.string(), revision });
const profile = z.object({
  record: z.literal('profile'),
  // It becomes a folder's name.
  bench: z.string().regex(/^\w[\w.-]{0,99}$/),
  revision,
  name: z.string().regex(/^[A-Za-z0-9_-][\w.-]*$/),
  file: profileFile,
});

const record = z.discriminatedUnion('record', [
  guest,
  warning,
  calibration,
  progress,
  bench,
  program,
  converged,
  control,
  loading,
  object,
  load,
  profiling,
  profile,
]);
export type AgentRecord = z.infer<typeof record>;

const status = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('exited'), exit_code: z.int() }),
  z.object({ outcome: z.literal('signaled'), signal: z.int() }),
  z.object({ outcome: z.literal('timed_out'), message: z.string() }),
  z.object({ outcome: z.literal('measured') }),
  z.object({ outcome: z.literal('failed'), message: z.string(), exit_code: z.int().nullish() }),
]);
export type AgentStatus = z.infer<typeof status>;

/** @throws VmError when the text is not a status of this version's agent */
export function parseStatus(text: string): AgentStatus {
  return parseJson(status, text, 'status.json');
}

/** @throws VmError naming the line when one is not a record of this version's agent */
export function parseRecords(text: string): AgentRecord[] {
  return text
    .split('\n')
    .flatMap((line, index) => (line === '' ? [] : [parseJson(record, line, `records.jsonl:${index + 1}`)]));
}

function parseJson<T>(schema: z.ZodType<T>, text: string, where: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const detail = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new VmError(`the guest agent left an unreadable ${where}: ${detail}`, { cause });
  }
}

export interface GuestOutput {
  readonly guest: GuestRecord;
  readonly calibrations: readonly CalibrationRecord[];
  readonly benches: readonly (Omit<BenchRecord<RunName>, 'stdoutText' | 'stderrTail'> & {
    /** Paths below the run folder. */
    readonly stdout: string;
    readonly stderr: string;
  })[];
  readonly programs: readonly ProgramRecord<RunName>[];
  /** Whether every bench was read until its counts were proven. */
  readonly isProven: boolean;
  readonly controls: readonly ControlRecord[];
  readonly objects: readonly ObjectRecord[];
  readonly loads: readonly LoadRecord[];
  /** Where each is below the run folder. */
  readonly profiles: readonly (Omit<GuestProfile, 'content'> & { readonly file: string })[];
  readonly warnings: readonly string[];
}

/**
 * Sorts an agent's records by kind.
 *
 * @throws VmError when the guest never introduced itself
 */
export function sortRecords(records: readonly AgentRecord[]): GuestOutput {
  const guests = records.filter((each) => each.record === 'guest');
  const [first] = guests;
  if (first === undefined || guests.length > 1) {
    throw new VmError(`the guest agent left ${guests.length} guest records, expected one`);
  }
  return {
    guest: first,
    calibrations: records.filter((each) => each.record === 'calibration'),
    benches: records.filter((each) => each.record === 'bench'),
    programs: records.flatMap((each) => {
      if (each.record !== 'program') return [];
      const { warning: own, ...rest } = each;
      return [{ ...rest, warnings: own === null ? [] : [own] }];
    }),
    isProven: records.every((each) => each.record !== 'converged' || each.converged),
    controls: records.filter((each) => each.record === 'control'),
    objects: records.filter((each) => each.record === 'object'),
    loads: records.filter((each) => each.record === 'load'),
    profiles: records.flatMap((each) => {
      if (each.record !== 'profile') return [];
      const { record: _, ...rest } = each;
      return [rest];
    }),
    warnings: records.flatMap((each) => {
      if (each.record === 'warning') return [each.message];
      if (each.record === 'converged' && !each.converged) {
        return [`bench \`${each.bench}\`: no clean total was seen twice in ${each.readings} readings`];
      }
      return [];
    }),
  };
}

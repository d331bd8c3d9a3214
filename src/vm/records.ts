// What a guest agent left in its run folder (records.jsonl, status.json), checked before anything believes it. Pure.

import { z } from 'zod';
import { revisionNames } from '../build/build.ts';
import { VmError } from '../errors.ts';
import {
  type BenchRecord,
  type CalibrationRecord,
  type ControlRecord,
  type FileLines,
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

/** Of one boot: a hundred benches that run a hundred programs each, in ten readings of both revisions. */
const maxRecords = 200_000;

/**
 * Arrays and objects in the records of one boot: each takes some seventy bytes of memory, and 5 of text. The agent leaves
 * lines out when its records have 16 MiB, which are fewer of `[1,1],`.
 */
const maxContainers = 3_000_000;

/** Of one record, in characters, ten times what a program of the most lines comes to: it is parsed as a whole. */
const maxRecord = 4 * 2 ** 20;

/** Of a record that is none, as many faults are told. */
const maxIssues = 5;

/** A list whose length is seen to before anything in it: each of a million faults is remembered. */
function atMost<T extends z.ZodType>(length: number, element: T) {
  return z.array(z.unknown()).max(length).pipe(z.array(element));
}

function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((each) => Number.isSafeInteger(each) && each >= 0);
}

/** Below the run folder's `output`; a path that leads elsewhere is not the agent's. */
const outputFile = z.string().regex(/^output\/[\w.+@=-]+\.(base|head|control)\.\d+\.(stdout|stderr)$/);

/** Below the run folder's `profiles`. */
const profileFile = z.string().regex(/^profiles\/[\w.+@=-]+\.(base|head)\.[\w.-]+$/);

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

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
  readings: atMost(1000, z.object({ run_cnt: count, run_time_ns: count })),
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
  stdout_sha256: sha256.nullable(),
  stderr_sha256: sha256.nullable(),
  duration_ns: count,
});
/** Of one program, in files, and of one file, in lines; the agent keeps fewer. */
const [maxFiles, maxLines] = [20_000, 20_000];
/** As they were parsed: zod's own tuples take three times the memory, and these are nearly all of what a guest can leave. */
const pairs = z.custom<FileLines['counts']>(
  (value) => Array.isArray(value) && value.length <= maxLines && value.every(isPair),
  `not at most ${maxLines} pairs of whole numbers`,
);
const lines = atMost(maxFiles, z.object({ file: z.string(), counts: pairs }));
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
  sha256,
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

/**
 * @throws VmError naming the line when one is not a record of this version's agent; when there is more in them than a boot
 * has: what is short takes many times its length in memory
 */
export function parseRecords(text: string): AgentRecord[] {
  const own = text.split('\n', maxRecords + 2);
  if (own.length > maxRecords + 1) {
    throw new VmError(`the guest left more than ${maxRecords} records`, { hint: loadFewer });
  }
  // Before any of them is there.
  if (countContainers(text) > maxContainers) {
    throw new VmError(`the guest left records of more than ${maxContainers} lists and objects`, { hint: loadFewer });
  }
  return own.flatMap((line, index) => {
    if (line === '') return [];
    const where = `records.jsonl:${index + 1}`;
    checkLength(line, where);
    return [parseJson(record, line, where)];
  });
}

const loadFewer = 'let benches load fewer programs in one boot';

/**
 * For a record that has not come to its end, too.
 *
 * @throws VmError when it is longer than any record
 */
export function checkLength(line: string, where = 'records.jsonl'): void {
  if (line.length > maxRecord)
    throw new VmError(`the guest left a record of more than ${maxRecord} characters, ${where}`);
}

/** Not fewer than there are: a bracket in a string counts as well. */
function countContainers(json: string): number {
  let found = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '[' || character === '{') found += 1;
  }
  return found;
}

function parseJson<T>(schema: z.ZodType<T>, text: string, where: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const detail = cause instanceof z.ZodError ? describeIssues(cause) : String(cause);
    throw new VmError(`the guest agent left an unreadable ${where}: ${detail}`, { cause });
  }
}

/** One record of a guest can have a hundred thousand faults. */
function describeIssues({ issues }: z.ZodError): string {
  const more = issues.length - maxIssues;
  return `${z.prettifyError({ issues: issues.slice(0, maxIssues) })}${more > 0 ? `\nand ${more} more` : ''}`;
}

export interface GuestOutput {
  readonly guest: GuestRecord;
  readonly calibrations: readonly CalibrationRecord[];
  readonly benches: readonly (Omit<BenchRecord<RunName>, 'stdoutText' | 'stderrTail'> & {
    /** Paths below the run folder. */
    readonly stdout: string;
    readonly stderr: string;
    /** Of these files; null where the agent could not write all of one. */
    readonly stdout_sha256: string | null;
    readonly stderr_sha256: string | null;
  })[];
  readonly programs: readonly ProgramRecord<RunName>[];
  /** Whether every bench was read until its counts were proven. */
  readonly isProven: boolean;
  readonly controls: readonly ControlRecord[];
  readonly objects: readonly ObjectRecord[];
  readonly loads: readonly LoadRecord[];
  /** Where each is below the run folder, and what is in it. */
  readonly profiles: readonly (Omit<GuestProfile, 'content'> & { readonly file: string; readonly sha256: string })[];
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

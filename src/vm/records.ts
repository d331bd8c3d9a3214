// Guest, pure: checks the records that a guest agent left in its run folder (records.jsonl, status.json) before they
// are used.

import { z } from 'zod';
import { clipMiddle } from '../common/clip-middle.ts';
import { VmError } from '../common/errors.ts';
import { maxPackets } from '../inputs/packets.ts';
import { revisionNames } from '../model/build.ts';
import {
  type BenchRecord,
  type CalibrationRecord,
  type ControlRecord,
  type FileLines,
  type GuestProfile,
  type GuestRecord,
  type InputRun,
  type LoadRecord,
  type ObjectRecord,
  type OpenedFiles,
  type ProgramCode,
  type ProgramRecord,
  type RunName,
  runNames,
} from '../model/guest-run.ts';

const count = z.int().nonnegative();
const run = z.enum(runNames);
const revision = z.enum(revisionNames);
/** Any other text, such as a name or a loader's message. The limit is in characters. Reports refuse texts of 256 Ki. */
const text = z.string().max(65_536);
/** Maximum length of a verifier's log, in characters. The agent keeps 8 KiB of it. */
const maxLog = 16_384;

/** Maximum for one boot: a hundred benches that run a hundred programs each, in ten readings of both revisions. */
const maxRecords = 200_000;

/**
 * Maximum number of arrays and objects in the records of one boot. Each takes about seventy bytes of memory, and 5 of
 * text. The agent leaves lines out when its records have 16 MiB, which holds fewer than this many `[1,1],`.
 */
const maxContainers = 3_000_000;

/**
 * Maximum length of one record, in characters: ten times that of a program with the most lines. It is parsed as a
 * whole.
 */
const maxRecord = 4 * 2 ** 20;

/** Maximum number of programs of an object, counted under each preset. The agent loads no more. */
const maxPrograms = 4096;

/** Maximum number of faults that are reported of an invalid record. */
const maxIssues = 5;

/** A list whose length is checked before its elements: zod would remember each of a million faults. */
function atMost<T extends z.ZodType>(length: number, element: T) {
  return z.array(z.unknown()).max(length).pipe(z.array(element));
}

function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((each) => Number.isSafeInteger(each) && each >= 0);
}

/** Path below the run folder's `output`. The agent writes no other paths. */
const outputFile = z.string().regex(/^output\/[\w.+@=-]+\.(base|head|control)\.\d+\.(stdout|stderr)$/);

/** Path below the run folder's `profiles`. */
const profileFile = z.string().regex(/^profiles\/[\w.+@=-]+\.(base|head)\.[\w.-]+$/);

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const guest = z.object({
  record: z.literal('guest'),
  release: text,
  cmdline: text,
});
const warning = z.object({ record: z.literal('warning'), message: text });
const calibration = z.object({
  record: z.literal('calibration'),
  prog_type: text,
  readings: atMost(1000, z.object({ run_cnt: count, run_time_ns: count })),
  window: count.optional(),
});
const progress = z.object({ record: z.literal('progress'), bench: text, revision: run, reading: count });
const bench = z.object({
  record: z.literal('bench'),
  bench: text,
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
/** Maximum numbers of files in one program, and of lines in one file. The agent keeps fewer. */
const [maxFiles, maxLines] = [20_000, 20_000];
/**
 * Pairs as parsed: zod's own tuples take three times the memory, and pairs are nearly all of what a guest can leave.
 */
const pairs = z.custom<FileLines['counts']>(
  (value) => Array.isArray(value) && value.length <= maxLines && value.every(isPair),
  `not at most ${maxLines} pairs of whole numbers`,
);
const lines = atMost(maxFiles, z.object({ file: text, counts: pairs }));
const runCount = z.object({ run_cnt: count.min(1), run_time_ns: count });
/** Maximum number of a program's functions, and of places where lines begin. The agent keeps no more places. */
const [maxFunctions, maxPlaces] = [4096, 20_000];
const isPlace = (value: unknown) =>
  Array.isArray(value) && value.length === 4 && value.every((each) => Number.isSafeInteger(each) && each >= 0);
const places = z.custom<ProgramCode['places']>(
  (value) => Array.isArray(value) && value.length <= maxPlaces && value.every(isPlace),
  `not at most ${maxPlaces} lists of four whole numbers`,
);
const inside = z.object({
  window: count,
  reading: runCount,
  empty: count.nullable(),
  code: z
    .object({
      functions: atMost(maxFunctions, count),
      places,
      files: atMost(maxFiles, text),
      names: z.record(z.string().regex(/^[0-9a-f]{1,16}$/), text),
    })
    .nullable(),
});
const program = z.object({
  record: z.literal('program'),
  bench: text,
  revision: run,
  reading: count,
  ordinal: count,
  id: count,
  name: text,
  prog_type: text,
  tag: text,
  run_cnt: count,
  run_time_ns: count,
  recursion_misses: count.nullable(),
  xlated_bytes: count,
  source: z.object({ file: text, line: count }).nullable(),
  lines,
  warning: text.nullable(),
  inside: inside.optional(),
});
const converged = z.object({
  record: z.literal('converged'),
  bench: text,
  readings: count,
  converged: z.boolean(),
});

const control = z.object({
  record: z.literal('control'),
  bench: text,
  revision: run,
  reading: count,
  run_cnt: count,
  run_time_ns: count,
});
const loading = z.object({ record: z.literal('loading'), object: text, revision });
const object = z.object({
  record: z.literal('object'),
  object: text,
  revision,
  programs: count,
  error: text.nullable(),
});
const load = z.object({
  record: z.literal('load'),
  object: text,
  revision,
  program: text,
  section: text,
  prog_type: text,
  code: sha256.nullable(),
  outcome: z.enum(['loaded', 'refused', 'unsupported']),
  verification: z
    .object({
      insns: count,
      total_states: count.nullable(),
      peak_states: count.nullable(),
      max_states_per_insn: count.nullable(),
      mark_read: count.nullable(),
      time_us: count.nullable(),
    })
    .nullable(),
  verified_insns: count.nullable(),
  stack_bytes: count.nullable(),
  xlated_bytes: count.nullable(),
  jited_bytes: count.nullable(),
  map_bytes: count.nullable(),
  load_time_ns: count.nullable(),
  errno: text.nullable(),
  message: text.nullable(),
  log: z.string().max(maxLog),
  source: z.object({ file: text, line: count }).nullable(),
  begins: z.object({ file: text, line: count }).nullable(),
  lines,
  /** Whether its runs on inputs follow. */
  runs: z.boolean(),
});
const inputRun = z.object({
  input: text,
  readings: atMost(100, runCount),
  empty: runCount.nullable(),
  no_empty: text.nullable(),
  calls: count.min(1).nullable(),
  returned: count.nullable(),
  left: sha256.nullable(),
  instead: z.object({ at: text, because: text }).nullable(),
  error: text.nullable(),
  inside: inside.optional(),
});
const inputs = z.object({
  record: z.literal('inputs'),
  object: text,
  revision,
  error: text.nullable(),
  // Packets, or contexts and the agent's own.
  runs: atMost(maxPackets + 1, inputRun),
});
const attaching = z.object({
  record: z.literal('attaching'),
  object: text,
  revision,
  programs: atMost(maxPrograms, text),
});
const attached = z.object({
  record: z.literal('attached'),
  object: text,
  revision,
  error: text.nullable(),
  runs: atMost(maxPrograms, z.tuple([text, inputRun])),
});

const profiling = z.object({ record: z.literal('profiling'), bench: text, revision });
const profile = z.object({
  record: z.literal('profile'),
  // The bench becomes a folder's name.
  bench: z.string().regex(/^\w[\w.-]{0,99}$/),
  revision,
  name: z.string().regex(/^[A-Za-z0-9_-][\w.-]{0,99}$/),
  file: profileFile,
  sha256,
});

/** Maximum number of files that a bench opened. The agent keeps no more. */
const maxOpened = 4096;
const files = z.object({
  record: z.literal('files'),
  bench: text,
  revision,
  opened: atMost(maxOpened, text).nullable(),
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
  inputs,
  attaching,
  attached,
  profiling,
  profile,
  files,
]);
export type AgentRecord = z.infer<typeof record>;

const status = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('exited'), exit_code: z.int() }),
  z.object({ outcome: z.literal('signaled'), signal: z.int() }),
  z.object({ outcome: z.literal('measured') }),
  z.object({ outcome: z.literal('failed'), message: z.string(), exit_code: z.int().nullable() }),
]);
export type AgentStatus = z.infer<typeof status>;

/** @throws VmError when the text is not a status of this version's agent */
export function parseStatus(text: string): AgentStatus {
  return parseJson(status, text, 'status.json');
}

/**
 * @throws VmError naming the line when one is not a record of this version's agent; also when there are more than a
 * boot has, because short text can take many times its length in memory
 */
export function parseRecords(text: string): AgentRecord[] {
  const own = text.split('\n', maxRecords + 2);
  if (own.length > maxRecords + 1) {
    throw new VmError(`the guest left more than ${maxRecords} records`, { hint: loadFewer });
  }
  // Checked before any record is parsed.
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
 * Checks a record, which need not be complete yet.
 *
 * @throws VmError when it is longer than any record
 */
export function checkLength(line: string, where = 'records.jsonl'): void {
  if (line.length > maxRecord)
    throw new VmError(`the guest left a record of more than ${maxRecord} characters, ${where}`);
}

/** Returns at least the number of containers: a bracket in a string counts as well. */
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

/** Describes the first faults only, because one record of a guest can have a hundred thousand. */
function describeIssues({ issues }: z.ZodError): string {
  const more = issues.length - maxIssues;
  return `${z.prettifyError({ issues: issues.slice(0, maxIssues) })}${more > 0 ? `\nand ${more} more` : ''}`;
}

export interface GuestOutput {
  readonly guest: GuestRecord;
  readonly calibrations: readonly CalibrationRecord[];
  readonly benches: readonly (Omit<BenchRecord<RunName>, 'stdoutText' | 'stderrTail' | 'tookMs'> & {
    /** Paths below the run folder. */
    readonly stdout: string;
    readonly stderr: string;
    /** SHA-256 of these files; null where the agent could not write a file completely. */
    readonly stdout_sha256: string | null;
    readonly stderr_sha256: string | null;
  })[];
  readonly programs: readonly ProgramRecord<RunName>[];
  /** Names of the benches that failed, or whose counts no reading has proven. */
  readonly unproven: readonly string[];
  readonly controls: readonly ControlRecord[];
  readonly objects: readonly ObjectRecord[];
  readonly loads: readonly LoadRecord[];
  /** Path of each below the run folder, and the SHA-256 of its content. */
  readonly profiles: readonly (Omit<GuestProfile, 'content'> & { readonly file: string; readonly sha256: string })[];
  readonly opened: readonly OpenedFiles[];
  readonly warnings: readonly string[];
}

/**
 * Sorts an agent's records by kind.
 *
 * @throws VmError unless there is exactly one guest record
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
    unproven: records.flatMap((each) => (each.record === 'converged' && !each.converged ? [each.bench] : [])),
    controls: records.filter((each) => each.record === 'control'),
    objects: records.filter((each) => each.record === 'object'),
    loads: joinInputs(records),
    profiles: records.flatMap((each) => {
      if (each.record !== 'profile') return [];
      const { record: _, ...rest } = each;
      return [rest];
    }),
    opened: records.flatMap((each) => {
      if (each.record !== 'files') return [];
      const { bench, revision, opened } = each;
      return [{ bench, revision, files: opened }];
    }),
    warnings: records.flatMap((each) => {
      if (each.record === 'warning') return [each.message];
      // Each program that varies is named with its readings' spread.
      const hasPrograms = records.some(
        (other) => other.record === 'program' && 'bench' in each && other.bench === each.bench,
      );
      if (each.record === 'converged' && !each.converged && !hasPrograms) {
        return [`bench \`${each.bench}\`: no clean total was seen twice in ${each.readings} readings`];
      }
      return [];
    }),
  };
}

/**
 * Adds the runs on inputs to the programs whose records they follow, and those of attached programs to the programs
 * that they name.
 *
 * @throws VmError when there is no such program, or it has a run of that name
 */
function joinInputs(records: readonly AgentRecord[]): LoadRecord[] {
  const loads: Omit<LoadRecord, 'inputs'>[] = [];
  const runs: Map<string, InputRun>[] = [];
  const errors: (string | undefined)[] = [];
  let programs = new Map<string, number>();
  let attaching: readonly string[] = [];
  const isOf = (
    load: Omit<LoadRecord, 'inputs'> | undefined,
    { object, revision }: { object: string; revision: string },
  ) => load?.object === object && load.revision === revision;
  const noProgram = ({ object, revision }: { object: string; revision: string }) =>
    new VmError(`the guest left runs of no program of ${clipMiddle(object, 300)}, ${revision}`);
  const add = (index: number | undefined, run: InputRun, of: { object: string; revision: string }) => {
    const own = index === undefined ? undefined : runs[index];
    if (own === undefined || own.has(run.input)) throw noProgram(of);
    own.set(run.input, run);
  };
  for (const each of records) {
    if (each.record === 'load') {
      const { runs: _, ...load } = each;
      if (!isOf(loads.at(-1), each)) programs = new Map();
      programs.set(each.program, loads.length);
      loads.push(load);
      runs.push(new Map());
    } else if (each.record === 'inputs') {
      const last = loads.length - 1;
      if (!isOf(loads[last], each) || errors[last] !== undefined || (runs[last]?.size ?? 0) > 0) throw noProgram(each);
      if (each.error !== null) errors[last] = each.error;
      for (const run of each.runs) add(last, run, each);
    } else if (each.record === 'attaching') {
      attaching = each.programs;
    } else if (each.record === 'attached') {
      if (!isOf(loads.at(-1), each)) throw noProgram(each);
      for (const [program, run] of each.runs) add(programs.get(program), run, each);
      const { error } = each;
      if (error === null) continue;
      for (const program of attaching) {
        const failed = {
          input: 'workload',
          readings: [],
          empty: null,
          no_empty: null,
          calls: null,
          returned: null,
          left: null,
          instead: null,
          error,
        };
        add(programs.get(program), failed, each);
      }
    }
  }
  return loads.map((load, index) => {
    const own = [...(runs[index]?.values() ?? [])];
    const error = errors[index] ?? null;
    return own.length === 0 && error === null ? load : { ...load, inputs: { error, runs: own } };
  });
}

/** The parts of a guest's plan that its records can contradict. */
export interface RecordsPlan {
  readonly benches: readonly { readonly name: string }[];
  /** Maximum number for each bench and revision. */
  readonly readings: { readonly max: number };
}

/** Maximum number of warnings in a boot. The agent leaves one for each bench, object or profile with a problem. */
const maxWarnings = 5000;
/** Maximum number of files in one bench's profile. The agent keeps 16 of the command's files and makes a few. */
const maxProfiles = 32;

/**
 * Rejects records that the plan has no place for. Otherwise a hundred thousand records could name one file of output,
 * which is read for each.
 *
 * @throws VmError naming the bench, when a record is of another bench or of a reading too many, or when two are of the
 * same reading; also when there are more than 32 profiles of each bench, or 5000 warnings
 */
export function requirePlanned(output: GuestOutput, { benches, readings }: RecordsPlan): GuestOutput {
  const planned = new Set(benches.map(({ name }) => name));
  const { programs, controls, profiles, warnings } = output;
  for (const [what, own] of Object.entries({ run: output.benches, program: programs, control: controls })) {
    const seen = new Set<string>();
    for (const each of own) {
      const { bench, revision, reading } = each;
      const refuse = (why: string) => {
        const place = clipMiddle(`bench \`${bench}\` (${revision}, reading ${reading})`, 300);
        return new VmError(`the guest left a record of a ${what} of ${place} ${why}`);
      };
      if (!planned.has(bench) || reading < 1 || reading > readings.max) throw refuse('which was not planned');
      const program = 'ordinal' in each ? [each.name, each.prog_type, each.ordinal] : [];
      const key = JSON.stringify([bench, revision, reading, ...program]);
      if (seen.has(key)) throw refuse('twice');
      seen.add(key);
    }
  }
  if (warnings.length > maxWarnings) {
    throw new VmError(`the guest left ${warnings.length} warnings, more than ${maxWarnings}`);
  }
  if (profiles.length > maxProfiles * benches.length) {
    throw new VmError(`the guest left ${profiles.length} profiles, more than ${maxProfiles} of each bench`);
  }
  return output;
}

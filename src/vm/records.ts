// Guest, pure: checks the records that a guest agent left in its run folder (records.jsonl, status.json) before they
// are used.

import { z } from 'zod';
import { clipMiddle } from '../common/clip-middle.ts';
import { VmError } from '../common/errors.ts';
import { maxPackets } from '../inputs/packets.ts';
import type { RevisionName } from '../model/build.ts';
import type {
  BenchRecord,
  CalibrationRecord,
  GuestProfile,
  GuestRecord,
  GuestWarning,
  InputRun,
  Interrupts,
  LoadRecord,
  ObjectRecord,
  ProgramRecord,
  Stretch,
} from '../model/guest-run.ts';

const count = z.int().nonnegative();
/** Any other text, such as a name or a loader's message. The limit is in characters. Reports refuse texts of 256 Ki. */
const text = z.string().max(65_536);
/** Maximum length of a verifier's log, in characters. The agent keeps 8 KiB of it. */
const maxLog = 16_384;

/** Maximum for one boot: two hundred benches that run a hundred programs each, in ten readings. */
const maxRecords = 200_000;

/**
 * Maximum number of arrays and objects in the records of one boot. Each takes about seventy bytes of memory, and 5 of
 * text. The agent leaves code out when its records have 16 MiB, which holds fewer than this many `[1,1],`.
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

function isStretch(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [instructions, ...numbers] = value.toReversed();
  return (
    typeof instructions === 'string' &&
    instructions.length <= 4 * maxInstructions &&
    instructions.length % 4 === 0 &&
    /^[\w-]+$/.test(instructions) &&
    numbers.every((each) => Number.isSafeInteger(each) && each >= 0)
  );
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const guest = z.object({
  record: z.literal('guest'),
  release: text,
  cmdline: text,
});
const warning = z.object({
  record: z.literal('warning'),
  bench: text.optional(),
  object: text.optional(),
  message: text,
});
const calibration = z.object({
  record: z.literal('calibration'),
  prog_type: text,
  readings: atMost(1000, z.object({ run_cnt: count, run_time_ns: count })),
  window: count.optional(),
});
const progress = z.object({ record: z.literal('progress'), bench: text, reading: count });
const bench = z.object({
  record: z.literal('bench'),
  bench: text,
  reading: count,
  exit_code: z.int().nullable(),
  signal: z.int().nullable(),
  duration_ns: count,
});
/** Maximum numbers of a program's files, functions, and instructions. The agent describes no more instructions. */
const [maxFiles, maxFunctions, maxInstructions] = [20_000, 4096, 65_536];
/** Checked as parsed: zod's own tuples take three times the memory, and these are nearly all of what a guest can leave. */
const stretches = z.custom<readonly Stretch[]>(
  (value) => Array.isArray(value) && value.length <= maxInstructions && value.every(isStretch),
  `not at most ${maxInstructions} lists of three whole numbers and instructions`,
);
const code = z.object({
  files: atMost(maxFiles, text),
  functions: atMost(maxFunctions, z.object({ name: text, stretches })),
});
const runCount = z.object({ run_cnt: count.min(1), run_time_ns: count });
const names = z.record(z.string().regex(/^[0-9a-f]{1,16}$/), text);
const inside = z.object({
  window: count,
  // A program that is only tail-called has no runs.
  reading: runCount.extend({ run_cnt: count }),
  empty: count.nullable(),
  code: code.extend({ names }).nullable(),
});
const interrupts = z.object({ record: z.literal('interrupts'), names });
const program = z.object({
  record: z.literal('program'),
  bench: text,
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
  machine_code: code.nullable(),
  warning: text.nullable(),
  inside: inside.optional(),
});
const converged = z.object({
  record: z.literal('converged'),
  bench: text,
  readings: count,
  converged: z.boolean(),
});
const loading = z.object({ record: z.literal('loading'), object: text });
const object = z.object({
  record: z.literal('object'),
  object: text,
  programs: count,
  error: text.nullable(),
});
const load = z.object({
  record: z.literal('load'),
  object: text,
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
  machine_code: code.nullable(),
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
  error: text.nullable(),
  // Packets, or a standard context and those of the configuration.
  runs: atMost(maxPackets + 1, inputRun),
});
const attaching = z.object({
  record: z.literal('attaching'),
  object: text,
  programs: atMost(maxPrograms, text),
});
const attached = z.object({
  record: z.literal('attached'),
  object: text,
  error: text.nullable(),
  runs: atMost(maxPrograms, z.tuple([text, inputRun])),
});

const profiling = z.object({ record: z.literal('profiling'), bench: text });
const profile = z.object({
  record: z.literal('profile'),
  // The bench becomes a folder's name.
  bench: z.string().regex(/^\w[\w.-]{0,99}$/),
  name: z.string().regex(/^[A-Za-z0-9_-][\w.-]{0,99}$/),
});

const record = z.discriminatedUnion('record', [
  guest,
  warning,
  interrupts,
  calibration,
  progress,
  bench,
  program,
  converged,
  loading,
  object,
  load,
  inputs,
  attaching,
  attached,
  profiling,
  profile,
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
  readonly interrupts: Interrupts;
  readonly calibrations: readonly CalibrationRecord[];
  readonly benches: readonly Omit<BenchRecord, 'stdoutText' | 'stderrTail' | 'tookMs'>[];
  readonly programs: readonly ProgramRecord[];
  /** Names of the benches that failed, or whose counts no reading has proven. */
  readonly unproven: readonly string[];
  readonly objects: readonly ObjectRecord[];
  readonly loads: readonly LoadRecord[];
  readonly profiles: readonly Omit<GuestProfile, 'content'>[];
  readonly warnings: readonly GuestWarning[];
}

/**
 * Sorts an agent's records by kind.
 *
 * @param revision the only one that the guest runs: whatever it leaves is this revision's claim about itself
 * @throws VmError unless there is exactly one guest record
 */
export function sortRecords(records: readonly AgentRecord[], revision: RevisionName): GuestOutput {
  const guests = records.filter((each) => each.record === 'guest');
  const [first] = guests;
  if (first === undefined || guests.length > 1) {
    throw new VmError(`the guest agent left ${guests.length} guest records, expected one`);
  }
  return {
    guest: first,
    interrupts: records.find((each) => each.record === 'interrupts')?.names ?? {},
    calibrations: records.filter((each) => each.record === 'calibration'),
    benches: records.flatMap((each) => (each.record === 'bench' ? [{ ...each, revision }] : [])),
    programs: records.flatMap((each) => {
      if (each.record !== 'program') return [];
      const { warning: own, ...rest } = each;
      return [{ ...rest, revision, warnings: own === null ? [] : [own] }];
    }),
    unproven: records.flatMap((each) => (each.record === 'converged' && !each.converged ? [each.bench] : [])),
    objects: records.flatMap((each) => (each.record === 'object' ? [{ ...each, revision }] : [])),
    loads: joinInputs(records, revision),
    profiles: records.flatMap((each) => {
      if (each.record !== 'profile') return [];
      const { bench, name } = each;
      return [{ bench, revision, name }];
    }),
    warnings: records.flatMap((each) => {
      if (each.record === 'warning') return [toWarning(each, revision)];
      // Each program that varies is named with its readings' spread.
      const hasPrograms = records.some(
        (other) => other.record === 'program' && 'bench' in each && other.bench === each.bench,
      );
      if (each.record === 'converged' && !each.converged && !hasPrograms) {
        const { bench, readings } = each;
        return [{ about: [bench], bench, reason: 'no clean total was seen twice', detail: `in ${readings} readings` }];
      }
      return [];
    }),
  };
}

function toWarning({ bench, object, message }: z.infer<typeof warning>, revision: RevisionName): GuestWarning {
  const about = [bench ?? object ?? []].flat();
  // Both guests can have one that is about neither.
  return { about, bench, object, revision: about.length === 0 ? undefined : revision, reason: message };
}

/**
 * Adds the runs on inputs to the programs whose records they follow, and those of attached programs to the programs
 * that they name.
 *
 * @throws VmError when there is no such program, or it has a run of that name
 */
function joinInputs(records: readonly AgentRecord[], revision: RevisionName): LoadRecord[] {
  const loads: Omit<LoadRecord, 'inputs'>[] = [];
  const runs: Map<string, InputRun>[] = [];
  const errors: (string | undefined)[] = [];
  let programs = new Map<string, number>();
  let attaching: readonly string[] = [];
  const isOf = (load: Omit<LoadRecord, 'inputs'> | undefined, { object }: { object: string }) =>
    load?.object === object;
  const noProgram = ({ object }: { object: string }) =>
    new VmError(`the guest left runs of no program of ${clipMiddle(object, 300)}, ${revision}`);
  const add = (index: number | undefined, run: InputRun, of: { object: string }) => {
    const own = index === undefined ? undefined : runs[index];
    if (own === undefined || own.has(run.input)) throw noProgram(of);
    own.set(run.input, run);
  };
  for (const each of records) {
    if (each.record === 'load') {
      const { runs: _, ...load } = each;
      if (!isOf(loads.at(-1), each)) programs = new Map();
      programs.set(each.program, loads.length);
      loads.push({ ...load, revision });
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
  /** Maximum number for each bench. */
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
  const { programs, profiles, warnings } = output;
  for (const [what, own] of Object.entries({ run: output.benches, program: programs })) {
    const seen = new Set<string>();
    for (const each of own) {
      const { bench, reading } = each;
      const refuse = (why: string) => {
        const place = clipMiddle(`bench \`${bench}\` (reading ${reading})`, 300);
        return new VmError(`the guest left a record of a ${what} of ${place} ${why}`);
      };
      if (!planned.has(bench) || reading < 1 || reading > readings.max) throw refuse('which was not planned');
      const program = 'ordinal' in each ? [each.name, each.prog_type, each.ordinal] : [];
      const key = JSON.stringify([bench, reading, ...program]);
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

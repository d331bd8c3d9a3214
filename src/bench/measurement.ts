// Bench: types of measurements, which guest records and benchmark output are turned into.

import type { BenchError } from '../common/errors.ts';
import type { RevisionName } from '../model/build.ts';
import type { ProgramCode } from '../model/guest-run.ts';
import type { Lane } from '../model/inputs.ts';
import type { Warning } from '../model/warning.ts';

/** The most results that one reading of a bench may print: more than a report can show, and read in seconds. */
export const maxResults = 20_000;
/** The next step where results are mixed with other output. */
export const ownOutputHint = 'let only the benchmark write to stdout';

export interface SourceLocation {
  /** Path relative to the project's repository root, where it could be resolved. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

/** A warning about one measurement, in its revision. */
export type OwnWarning = Pick<Warning, 'reason' | 'detail'>;

/** What every measurement has: one benchmark's value of one measure on one kernel for one revision. */
interface Value {
  readonly kernel: string;
  readonly revision: RevisionName;
  /**
   * `<bench>/<benchmark or program>`, `<object>/<program>/<input>`, or `<object>/<program>` in the verifier lane.
   * `namePrograms` distinguishes programs of one name.
   */
  readonly benchmark: string;
  /** Name if only its revision's programs were named, where that is not `benchmark`: see `namePrograms`. */
  readonly ownName?: string | undefined;
  /** Base's name for it; set on base's side if head has the program under another name or in another object. */
  readonly renamedFrom?: string | undefined;
  readonly measure: string;
  readonly unit: string;
  /**
   * Whether lower or higher is better. It is higher only for `loads`, a printed `throughput`, `net-throughput`, rates
   * of Go, and what a tool says.
   */
  readonly better: 'lower' | 'higher';
  /** The value compared. */
  readonly value: number;
  /** True where the same input always gives the same digits, so any difference is real. */
  readonly exact: boolean;
  /** Growth below which a difference may be the method's own error, as a fraction; 0 when exact. */
  readonly resolution: number;
  /** Every raw reading, in the order taken. */
  readonly samples: readonly Sample[];
  /** Warnings about it alone. */
  readonly warnings: readonly OwnWarning[];
  readonly source: SourceLocation | null;
}

/** `bpf-instructions`: what a run of an observed program costs, net where an empty program was counted. */
export interface ProgramCount extends Value {
  readonly lane: 'instructions';
  readonly kind: 'bpf-program';
  readonly gross: number;
  /** The empty program's share of it; null if no empty program of its type was counted. */
  readonly empty: number | null;
  /** The usual number of runs in a reading. */
  readonly runCount: number;
  /** The most runs that the kernel skipped in a reading; null if it does not count them. */
  readonly missedRuns: number | null;
  /** What it did; only of runs on inputs. */
  readonly behavior?: Behavior | undefined;
}

/** What a program did in the first run. */
export interface Behavior {
  /** The return value by its name in the kernel, such as `XDP_PASS`, or as a number. */
  readonly returned: string;
  /** SHA-256 of the packet that it left; null if there is none or it could not be read. */
  readonly left: string | null;
}

/**
 * A result that a bench printed: `instructions` of a Criterion iteration, or a measure by the name it printed. And the
 * `events` of an attached program.
 */
export interface PrintedValue extends Value {
  readonly lane: 'instructions';
  readonly kind: 'benchmark';
  /** The value of each reading, where one reading holds many samples, as Criterion's do. */
  readonly readings?: readonly number[] | undefined;
  readonly confirmations: readonly Confirmation[];
}

/**
 * What the verifier and the JIT made of an object's program: `loads` (1 or 0), and if it does
 * `verified-instructions`, `stack-bytes`, `xlated-bytes`, `jited-bytes`, `map-bytes`, `load-time`.
 */
export interface LoadValue extends Value {
  readonly lane: 'verifier';
  readonly kind: 'bpf-program';
  /** Why the kernel refused the program, where the measure is `loads` and the value 0. */
  readonly refusal?: Refusal;
  /** The verifier's statistics, where the measure is `loads`. They are reported and not compared. */
  readonly verification?: Verification;
}

/** A value of the instruction lane. */
export type Count = ProgramCount | PrintedValue;
export type Measurement = Count | LoadValue;

/**
 * The result of one further boot for an inexact printed value that seemed to have changed; without samples if the boot gave
 * none. Other fields are those of the first.
 */
export interface Confirmation extends Pick<Value, 'value' | 'exact' | 'samples'> {
  readonly readings?: readonly number[] | undefined;
}

/** Identifies the measure of a benchmark on a kernel, for both revisions. */
export function keyOf({
  kernel,
  lane,
  benchmark,
  measure,
}: Pick<Measurement, 'kernel' | 'lane' | 'benchmark' | 'measure'>): string {
  return JSON.stringify([kernel, lane, benchmark, measure]);
}

/** The kernel's answer for a program that it did not load. */
export interface Refusal {
  /** `EACCES`; null where the kernel gave none. */
  readonly errno: string | null;
  /** One line. */
  readonly message: string;
  /** The end of the verifier's log; no line where there is none. */
  readonly log: readonly string[];
}

/** The verifier's statistics of one program. A number is null where the kernel does not print it. */
export interface Verification {
  /** Instructions walked. */
  readonly instructions: number;
  /** States that were remembered in all. */
  readonly totalStates: number | null;
  /** The most states that were remembered at one time. */
  readonly peakStates: number | null;
  /** The most states that were remembered at one instruction. */
  readonly maxStatesPerInstruction: number | null;
  /** The longest walk through parent states to mark a register as read. */
  readonly markRead: number | null;
  /** Duration by the guest's clock. It differs on each load. */
  readonly timeUs: number | null;
}

/** Whether the measure has its unit in its name, as `bpf-instructions` does, or there is no unit. */
export function namesUnit({ measure, unit }: Pick<Measurement, 'measure' | 'unit'>): boolean {
  const [noun = ''] = unit.split('/');
  return measure.includes(noun);
}

/** `total` over `count` runs or iterations. */
export interface Sample {
  readonly count: number;
  readonly total: number;
}

/** A benchmark that could not be measured on one kernel for one revision. */
export interface Gap {
  readonly kernel: string;
  /** Distinguishes an object's benchmark from a bench's of the same name. */
  readonly lane: Lane;
  readonly revision: RevisionName;
  /** The name its measurements have where it runs. */
  readonly benchmark: string;
  /** The first minor version that is new enough, `5.18`, newer than the kernel; null if that is not the reason. */
  readonly needs: string | null;
  /** The reason where `needs` is null. */
  readonly reason?: string | undefined;
}

/** The machine code of one program, with its lines. */
export interface MeasuredCode extends Pick<Measurement, 'kernel' | 'revision' | 'lane' | 'benchmark'> {
  readonly code: ProgramCode;
}

/** Measurements from one boot's records. */
export interface BootMeasured extends Measured {
  readonly gaps: readonly Gap[];
  /** The error of the first bench that failed, which has no measurements; undefined if none failed. */
  readonly error: BenchError | undefined;
}

/** Measurements from part of a boot's programs. */
export interface Measured {
  readonly measurements: readonly Measurement[];
  /** Code of the programs whose lines are known. */
  readonly codes: readonly MeasuredCode[];
  /** Warnings about no single measurement. */
  readonly warnings: readonly Warning[];
}

// Bench: types of measurements, which guest records and benchmark output are turned into.

import type { BenchError } from '../common/errors.ts';
import type { RevisionName } from '../model/build.ts';
import type { FileLines } from '../model/guest-run.ts';
import type { Lane } from '../model/inputs.ts';

/** The most results that one reading of a bench may print: more than a report can show, and read in seconds. */
export const maxResults = 20_000;

export interface SourceLocation {
  /** Path relative to the project's repository root, where it could be resolved. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

/** One benchmark's value of one measure on one kernel for one revision. */
export interface Measurement {
  readonly kernel: string;
  readonly revision: RevisionName;
  readonly lane: Lane;
  /**
   * `<bench>/<benchmark or program>`, or `<object>/<program>` in the verifier lane. `namePrograms` distinguishes
   * programs of one name.
   */
  readonly benchmark: string;
  /** Name if only its revision's programs were named, where that is not `benchmark`: see `namePrograms`. */
  readonly ownName?: string | undefined;
  /** Base's name for it; set on base's side if head has the program under another name or in another object. */
  readonly renamedFrom?: string | undefined;
  /**
   * `bpf-instructions` (per run of an observed program, net where an empty program was counted), `instructions` (per
   * iteration, user space), or the name the benchmark printed. In the verifier lane `loads` (1 or 0),
   * `verified-instructions`, `stack-bytes`, `xlated-bytes`, `jited-bytes`, `map-bytes`, `load-time`.
   */
  readonly measure: string;
  readonly unit: string;
  /** Whether lower or higher is better. It is higher only for `loads` and a printed `throughput`, `net-throughput`. */
  readonly better: 'lower' | 'higher';
  /** Source of the number: counted by bpfgate in the kernel, or printed by the benchmark. */
  readonly kind: 'bpf-program' | 'benchmark';
  /** The value compared. */
  readonly value: number;
  /** Gross value and the empty program's share of it, when `value` is net. */
  readonly gross: number | null;
  readonly empty: number | null;
  /** True where the same input always gives the same digits, so any difference is real. */
  readonly exact: boolean;
  /** Growth below which a difference may be the method's own error, as a fraction; 0 when exact. */
  readonly resolution: number;
  /** Every raw reading, in the order taken. */
  readonly samples: readonly Sample[];
  /** The value of each reading, where one reading holds many samples, as Criterion's do. */
  readonly readings?: readonly number[] | undefined;
  /** Results of further boots, for an inexact count that seemed to have changed; else none. */
  readonly confirmations: readonly Confirmation[];
  /** Why the kernel refused a program, where the measure is `loads` and the value 0. */
  readonly refusal: Refusal | null;
  readonly runCount: number | null;
  readonly missedRuns: number | null;
  readonly warnings: readonly string[];
  readonly source: SourceLocation | null;
}

/** The result of one further boot for a measurement; without samples if the boot gave none. */
export type Confirmation = Pick<Measurement, 'value' | 'empty' | 'exact' | 'samples' | 'readings' | 'runCount'>;

/** The kernel's answer for a program that it did not load. */
export interface Refusal {
  /** `EACCES`; null where the kernel gave none. */
  readonly errno: string | null;
  /** One line. */
  readonly message: string;
  /** The end of the verifier's log; no line where there is none. */
  readonly log: readonly string[];
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

/** The JIT's machine instructions for the lines of one program. */
export interface ProgramLines extends Pick<Measurement, 'kernel' | 'revision' | 'lane' | 'benchmark'> {
  readonly files: readonly FileLines[];
}

/** Measurements from one boot's records. */
export interface BootMeasured extends ProgramsMeasured {
  readonly gaps: readonly Gap[];
  /** The error of the first bench that failed, which has no measurements; undefined if none failed. */
  readonly error: BenchError | undefined;
}

/** Measurements from part of a boot's records. */
export interface Measured {
  readonly measurements: readonly Measurement[];
  /** Warnings about no single measurement; each names the program or bench. */
  readonly warnings: readonly string[];
}

/** Measurements from part of a boot's programs. */
export interface ProgramsMeasured extends Measured {
  /** Lines of the programs for which they are known. */
  readonly lines: readonly ProgramLines[];
}

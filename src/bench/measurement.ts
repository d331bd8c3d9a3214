// Sixth stage: guest records and benchmark output turned into measurements.

import type { RevisionName } from '../build/build.ts';
import type { BenchError } from '../errors.ts';
import type { Lane } from '../inputs/inputs.ts';
import type { FileLines } from '../vm/guest-run.ts';

/** Results that one reading of a bench may print: more than a report can show, and read in seconds. */
export const maxResults = 20_000;

export interface SourceLocation {
  /** Relative to the project's repository root where it could be resolved. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

/** One benchmark's value of one measure on one kernel for one revision. */
export interface Measurement {
  readonly kernel: string;
  readonly revision: RevisionName;
  readonly lane: Lane;
  /** `<bench>/<benchmark or program>`, of programs of one name as `namePrograms` says; of the verifier lane
   * `<object>/<program>`. */
  readonly benchmark: string;
  /** What only its revision's programs would have it called, where that is not `benchmark`: see `namePrograms`. */
  readonly ownName?: string | undefined;
  /** What base calls it, on base's side of a program that head has under another name or in another object. */
  readonly renamedFrom?: string | undefined;
  /** `bpf-instructions` (per run of an observed program, net where an empty program was counted),
   * `instructions` (per iteration, user space), or the name the benchmark printed; of the verifier lane `loads` (1 or
   * 0), `verified-instructions`, `stack-bytes`, `xlated-bytes`, `jited-bytes`, `map-bytes`, `load-time`. */
  readonly measure: string;
  readonly unit: string;
  /** Whether head is to be the lower or the higher; only a printed `throughput`, or
   * `net-throughput`, is better when higher. */
  readonly better: 'lower' | 'higher';
  /** Whose number it is: counted by bpfgate in the kernel, or printed by the benchmark. */
  readonly kind: 'bpf-program' | 'benchmark';
  /** The value compared. */
  readonly value: number;
  /** Gross value and the empty program's share of it, when `value` is net. */
  readonly gross: number | null;
  readonly empty: number | null;
  /** True where the same input always gives the same digits, so that any difference is real. */
  readonly exact: boolean;
  /** Growth below which a difference cannot be told from the method's own error, as a fraction; 0 when exact. */
  readonly resolution: number;
  /** Every raw reading, in the order taken. */
  readonly samples: readonly Sample[];
  /** The value of each reading, where one reading holds many samples: Criterion's. */
  readonly readings?: readonly number[] | undefined;
  /** What further boots gave, of a count that is not exact and that seemed to have changed; else none. */
  readonly confirmations: readonly Confirmation[];
  /** Why the kernel refused a program, where the measure is `loads` and the value 0. */
  readonly refusal: Refusal | null;
  readonly runCount: number | null;
  readonly missedRuns: number | null;
  readonly warnings: readonly string[];
  readonly source: SourceLocation | null;
}

/** What one further boot gave for a measurement; without samples where it gave nothing. */
export type Confirmation = Pick<Measurement, 'value' | 'empty' | 'exact' | 'samples' | 'readings' | 'runCount'>;

/** What the kernel said of a program that it did not load. */
export interface Refusal {
  /** `EACCES`; null where the kernel gave none. */
  readonly errno: string | null;
  /** One line. */
  readonly message: string;
  /** The end of the verifier's log; no line where there is none. */
  readonly log: readonly string[];
}

/** True for `instructions/run` of `bpf-instructions`: saying both would be saying it twice. And where there is no unit. */
export function namesUnit({ measure, unit }: Pick<Measurement, 'measure' | 'unit'>): boolean {
  const [noun = ''] = unit.split('/');
  return measure.includes(noun);
}

/** `total` over `count` runs or iterations. */
export interface Sample {
  readonly count: number;
  readonly total: number;
}

/** A benchmark that could not be had on one kernel for one revision. */
export interface Gap {
  readonly kernel: string;
  /** Both an object and a bench may give a benchmark the same name. */
  readonly lane: Lane;
  readonly revision: RevisionName;
  /** Named as its measurements are where it runs. */
  readonly benchmark: string;
  /** The first minor version that will do, `5.18`, newer than the kernel; null where that is not the reason. */
  readonly needs: string | null;
  /** The reason where `needs` is null. */
  readonly reason?: string | undefined;
}

/** What the JIT made of one program's lines. */
export interface ProgramLines extends Pick<Measurement, 'kernel' | 'revision' | 'lane' | 'benchmark'> {
  readonly files: readonly FileLines[];
}

/** What one boot's records came to. */
export interface BootMeasured extends ProgramsMeasured {
  readonly gaps: readonly Gap[];
  /** The error of the first bench that failed, which has no measurements; undefined where none did. */
  readonly error: BenchError | undefined;
}

/** What some of one boot's records came to. */
export interface Measured {
  readonly measurements: readonly Measurement[];
  /** What concerns no single measurement, each naming the program or bench. */
  readonly warnings: readonly string[];
}

/** What some of one boot's programs came to. */
export interface ProgramsMeasured extends Measured {
  /** Of those whose lines are known. */
  readonly lines: readonly ProgramLines[];
}

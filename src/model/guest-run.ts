// Model: the types of one boot of one kernel, and of the records its guest agent left.

import { type RevisionName, revisionNames } from './build.ts';
import type { Runner } from './inputs.ts';

export type Accelerator = 'kvm' | 'tcg' | 'tcg-icount';

/** The machine a guest ran on: everything that can shape a count, except the programs. */
export interface Machine {
  readonly accelerator: Accelerator;
  /** Program that started QEMU and chose its devices. */
  readonly runner: Runner;
  /** Why KVM is not used; null under KVM. */
  readonly acceleratorReason: string | null;
  /** `7.2.22`. */
  readonly qemuVersion: string;
  /** QEMU's `-cpu` argument. */
  readonly cpuModel: string;
  readonly commandLine: string;
  /** Whether the kernel was booted for this run, or resumed from a machine saved after an earlier boot. */
  readonly startedFrom: 'boot' | 'snapshot';
  readonly memoryMiB: number;
  /** SHA-256 of the guest agent: of its sources and compiler, or of a ready-made one's file. */
  readonly agent: string;
  /** SHA-256 of the initramfs. */
  readonly initramfs: string;
}

/**
 * Names of what a guest runs in turns. `control` is base again, in the time lane: it shows differences of equal
 * programs.
 */
export const runNames = [...revisionNames, 'control'] as const;
export type RunName = (typeof runNames)[number];

/** @typeParam Run names that can have run: base and head; in the time lane control as well */
export interface BenchRecord<Run extends RunName = RevisionName> {
  readonly record: 'bench';
  readonly bench: string;
  readonly revision: Run;
  /** 1-based. */
  readonly reading: number;
  readonly exit_code: number | null;
  readonly signal: number | null;
  /** Whole standard output of the command, read back by the host. */
  readonly stdoutText: string;
  readonly stderrTail: string;
  readonly duration_ns: number;
  /** What the bench took of the host's time, its profile included, divided by its readings, in milliseconds. */
  readonly tookMs: number;
}

/** Numbers of machine instructions that the JIT made from one file's lines. */
export interface FileLines {
  /** Path as in the program's BTF. */
  readonly file: string;
  /** 1-based line, and its number of instructions. */
  readonly counts: readonly (readonly [line: number, instructions: number])[];
}

/** One BPF program that appeared while a bench ran. Counters cover its whole life. */
export interface ProgramRecord<Run extends RunName = RevisionName> {
  readonly record: 'program';
  readonly bench: string;
  readonly revision: Run;
  readonly reading: number;
  /** Load order among programs of equal name and type within the reading, from 0. */
  readonly ordinal: number;
  readonly id: number;
  readonly name: string;
  /** The kernel's lower-case name: `xdp`, `kprobe`. */
  readonly prog_type: string;
  readonly tag: string;
  readonly run_cnt: number;
  /** Instructions, under icount. */
  readonly run_time_ns: number;
  readonly recursion_misses: number | null;
  readonly xlated_bytes: number;
  readonly source: { readonly file: string; readonly line: number } | null;
  /** Set in the first reading; missing where its lines are unknown. */
  readonly lines?: readonly FileLines[] | undefined;
  readonly warnings?: readonly string[] | undefined;
  /** What QEMU's plugin saw of its runs; missing without the plugin, or if it never ran. */
  readonly inside?: InsideRecord | undefined;
}

/** A fixed program, run after each run of a bench in the time lane. It shows how the machine itself varies. */
export interface ControlRecord {
  readonly record: 'control';
  readonly bench: string;
  readonly revision: RunName;
  readonly reading: number;
  readonly run_cnt: number;
  readonly run_time_ns: number;
}

export interface CalibrationRecord {
  readonly record: 'calibration';
  readonly prog_type: string;
  readonly readings: readonly { readonly run_cnt: number; readonly run_time_ns: number }[];
  /** Tag of the window in which QEMU's plugin saw the program; missing without the plugin. */
  readonly window?: number | undefined;
}

/** One BPF object file. The agent loaded every program in it that it could. */
export interface ObjectRecord {
  readonly record: 'object';
  readonly object: string;
  readonly revision: RevisionName;
  /** Number of programs in it. */
  readonly programs: number;
  /** Why none or not all of its programs could be tried. */
  readonly error: string | null;
}

/** The verifier's statistics of one program. A number is null where the kernel does not print it. */
export interface VerificationRecord {
  readonly insns: number;
  readonly total_states: number | null;
  readonly peak_states: number | null;
  readonly max_states_per_insn: number | null;
  readonly mark_read: number | null;
  /** Duration by the guest's clock. */
  readonly time_us: number | null;
}

export interface RunCount {
  readonly run_cnt: number;
  readonly run_time_ns: number;
}

/** The runs of a program on one input, or while it was attached: `workload` and `iteration`. */
export interface InputRun {
  /** Name of the input. */
  readonly input: string;
  /** Runs and their instructions in each reading, in order; empty if there is an error. */
  readonly readings: readonly RunCount[];
  /** Runs of an empty program of its type; null if it could not be counted. */
  readonly empty: RunCount | null;
  /** Why it could not. */
  readonly no_empty: string | null;
  /** System calls that the workload made in each reading; null if it did not run. */
  readonly calls: number | null;
  /** Return value of the first run; null if it was attached. */
  readonly returned: number | null;
  /** SHA-256 of the packet that the first run left; of what it found, for a flow dissector; null for a context. */
  readonly left: string | null;
  /** Function it was attached to, and why not to its own; null where it was. */
  readonly instead: { readonly at: string; readonly because: string } | null;
  /** Why it did not run. */
  readonly error: string | null;
  /** What QEMU's plugin saw of it; missing without the plugin. */
  readonly inside?: InsideRecord | undefined;
}

/** Where to find what the plugin counted in a reading. */
export interface InsideRecord {
  /** Tag of the reading's window. */
  readonly window: number;
  readonly reading: RunCount;
  /** Tag of the window of an empty program; null if there is none, and for a bench's program (`CalibrationRecord`). */
  readonly empty: number | null;
  /** Null: that of the program's input before. */
  readonly code: ProgramCode | null;
}

/** A program's machine code, without its addresses. */
export interface ProgramCode {
  /** Bytes of each function. */
  readonly functions: readonly number[];
  /** Where lines begin, in order: function, offset in it, index of the file, and line. */
  readonly places: readonly (readonly [number, number, number, number])[];
  /** Files as the compiler names them; empty for code without a known line. */
  readonly files: readonly string[];
  /** Names of called functions, by address in hexadecimal digits. */
  readonly names: Readonly<Record<string, string>>;
}

/** One program of an object, given to the kernel's verifier. Later numbers are null unless it was loaded. */
export interface LoadRecord {
  readonly record: 'load';
  readonly object: string;
  readonly revision: RevisionName;
  /** Name of its function. */
  readonly program: string;
  /** ELF section, which says what it attaches to. */
  readonly section: string;
  readonly prog_type: string;
  /** SHA-256 of its instructions and maps as given to the kernel; null where the agent could not read it. */
  readonly code: string | null;
  /** `unsupported`: it could not be tried, for a reason that says nothing about the program. */
  readonly outcome: 'loaded' | 'refused' | 'unsupported';
  /** Null where the verifier printed no statistics, and where the program could not be tried. */
  readonly verification: VerificationRecord | null;
  /** Instructions the verifier walked. */
  readonly verified_insns: number | null;
  readonly stack_bytes: number | null;
  readonly xlated_bytes: number | null;
  readonly jited_bytes: number | null;
  /** Memory of the maps it uses. */
  readonly map_bytes: number | null;
  /** Instructions, under icount. */
  readonly load_time_ns: number | null;
  /** `EACCES`, where it was refused. */
  readonly errno: string | null;
  readonly message: string | null;
  /** The end of the verifier's log, where it was refused. */
  readonly log: string;
  /** Start of the program, or the place of the verifier's complaint where the program was refused. */
  readonly source: { readonly file: string; readonly line: number } | null;
  /** Start of a program that was refused; null where it is unknown. */
  readonly begins: { readonly file: string; readonly line: number } | null;
  /** Missing where the program was not loaded, or its lines are unknown. */
  readonly lines?: readonly FileLines[] | undefined;
  /** Runs on inputs; missing where it was not run. */
  readonly inputs?: InputRuns | undefined;
}

/** The runs of a program, one for each input; none if there is an error. */
export interface InputRuns {
  readonly error: string | null;
  readonly runs: readonly InputRun[];
}

export interface GuestRecord {
  readonly record: 'guest';
  readonly release: string;
  readonly cmdline: string;
}

/** A file of a profile, as the guest wrote it. */
export interface GuestProfile {
  readonly bench: string;
  readonly revision: RevisionName;
  /** `cpu.folded` comes from the agent. The others have the names that the command gave them. */
  readonly name: string;
  readonly content: Buffer;
}

/** Files of a revision's tree that a bench opened. */
export interface OpenedFiles {
  readonly bench: string;
  readonly revision: RevisionName;
  /** Paths below the tree. A bench may have made or removed some of them. Null if not all are known. */
  readonly files: readonly string[] | null;
}

/** Results of one boot in the time lane. */
export interface TimedBoot extends Pick<GuestRun, 'kernel' | 'machine' | 'warnings'> {
  /** Number of the boot, from 0 in the order of the kernel's boots. */
  readonly boot: number;
  /** Seed of the order in which base, head and control took turns. */
  readonly seed: number;
  readonly benches: readonly BenchRecord<RunName>[];
  readonly programs: readonly ProgramRecord<RunName>[];
  readonly controls: readonly ControlRecord[];
}

/** Results of one boot. */
export interface GuestRun {
  /** Kernel id. */
  readonly kernel: string;
  readonly machine: Machine;
  /** Revisions whose records come from an earlier run, which was equal in everything that shapes them. */
  readonly kept: readonly RevisionName[];
  /** Names of the benches that failed, or whose counts no reading has proven. */
  readonly unproven: readonly string[];
  readonly guest: GuestRecord;
  readonly calibrations: readonly CalibrationRecord[];
  readonly benches: readonly BenchRecord[];
  readonly programs: readonly ProgramRecord[];
  readonly objects: readonly ObjectRecord[];
  readonly loads: readonly LoadRecord[];
  readonly warnings: readonly string[];
}

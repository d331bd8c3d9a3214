// Model: the types of one boot of one kernel, and of the records its guest agent left.

import type { RevisionName } from './build.ts';
import type { Runner } from './inputs.ts';
import type { Warning } from './warning.ts';

export type Accelerator = 'kvm' | 'tcg' | 'tcg-icount';

/** The machine a guest ran on: everything that can shape a count, except the programs. */
export interface Machine {
  readonly accelerator: Accelerator;
  /** Program that started QEMU. */
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

export interface BenchRecord {
  readonly record: 'bench';
  readonly bench: string;
  readonly revision: RevisionName;
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

/** One BPF program that appeared while a bench ran. Counters cover its whole life. */
export interface ProgramRecord {
  readonly record: 'program';
  readonly bench: string;
  readonly revision: RevisionName;
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
  /** Set in the first reading; null where its lines are unknown. */
  readonly machine_code?: ProgramCode | null | undefined;
  readonly warnings?: readonly string[] | undefined;
  /** What QEMU's plugin saw of its runs; missing without the plugin, or if it never ran. */
  readonly inside?: InsideRecord | undefined;
}

export interface CalibrationRecord {
  readonly record: 'calibration';
  readonly prog_type: string;
  readonly readings: readonly { readonly run_cnt: number; readonly run_time_ns: number }[];
  /** Tag of the window in which QEMU's plugin saw the program; missing without the plugin. */
  readonly window?: number | undefined;
}

/** Names of the code that interrupts and exceptions enter, by address in hexadecimal digits. */
export type Interrupts = Readonly<Record<string, string>>;

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
  readonly code: SeenCode | null;
}

/** A program's machine code, without its addresses. */
export interface ProgramCode {
  /** Files as the compiler names them, without `.` and repeated slashes. */
  readonly files: readonly string[];
  /** The main function first; none where no line is known. */
  readonly functions: readonly { readonly name: string; readonly stretches: readonly Stretch[] }[];
}

/**
 * Instructions of one line, one after another: index of the file; line, 0 where it is not known; hash of the line's
 * text, 0 where that is not known; and four characters for each instruction, see `bench/machine-code.ts`.
 */
export type Stretch = readonly [file: number, line: number, text: number, instructions: string];

/** Machine code that QEMU's plugin saw. */
export interface SeenCode extends ProgramCode {
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
  /** Null where the program was not loaded, or its lines are unknown. */
  readonly machine_code?: ProgramCode | null | undefined;
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

/** A warning of a guest. Only what the guest itself is about has neither bench nor object. */
export interface GuestWarning extends Warning {
  readonly bench?: string | undefined;
  readonly object?: string | undefined;
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
  readonly warnings: readonly GuestWarning[];
}

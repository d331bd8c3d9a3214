// Model: what the user asked for, resolved from the command line or the action, and bpfgate.toml.

import type { RevisionName } from './build.ts';
import type { NamedKernel } from './kernel.ts';

export const lanes = ['instructions', 'verifier'] as const;
export type Lane = (typeof lanes)[number];

/** Formats of results that a benchmark prints, one for each reading. */
export const printedFormats = ['bmf', 'go', 'libtest', 'divan', 'google-benchmark', 'hyperfine', 'gungraun'] as const;
export type PrintedFormat = (typeof printedFormats)[number];

export const benchFormats = ['criterion', ...printedFormats, 'none'] as const;
export type BenchFormat = (typeof benchFormats)[number];

/** Programs that can boot a guest. Kernel, guest and counts are the same with each. The first is the default. */
export const runners = ['vmtest', 'virtme-ng'] as const;
export type Runner = (typeof runners)[number];

/** Largest allowed growth as a fraction (0.05 is 5 %), or `off`. */
export type Limit = number | 'off';

export interface BenchConfig {
  /** Unique within the project; prefix of its benchmarks' names. */
  readonly name: string;
  /** Shell command, run in the guest as root in the project's folder. */
  readonly command: string;
  /** `auto` detects it from the command's output. */
  readonly format: BenchFormat | 'auto';
  /** Whether to measure every BPF program that appears while the command runs. Default true. */
  readonly observe: boolean;
  /** Whether to run it once more per revision, after all measuring, and keep profiles of that run. Default false. */
  readonly profile: boolean;
  /** Line of `name` in bpfgate.toml, 1-based. */
  readonly line: number;
}

export interface LimitOverride {
  /** Glob over benchmark names, `*` matching within and across `/`. */
  readonly benchmark?: string;
  /** Kernel id such as `5.10`. */
  readonly kernel?: string;
  readonly lane?: Lane;
  readonly limit: Limit;
}

/** A file with packets of the project's own. */
export interface PacketFile {
  /** Name of its packet, and beginning of the names of several. */
  readonly name: string;
  /** Path below the project. */
  readonly file: string;
  /** Line in bpfgate.toml, 1-based. */
  readonly line: number;
}

/** A packet that programs run on. */
export interface Packet {
  /** Unique; part of the names of what is measured. */
  readonly name: string;
  /** The frame, from its Ethernet header on. */
  readonly bytes: Uint8Array;
}

export const contextTypes = ['raw_tracepoint', 'syscall', 'sk_lookup'] as const;

/** A context that programs of one type run on, in addition to bpfgate's own. */
export interface Context {
  /** Unique among contexts; part of the names of what is measured. */
  readonly name: string;
  readonly type: (typeof contextTypes)[number];
  readonly bytes: readonly number[];
}

/** A value for a type of BTF. An integer that a number cannot hold is its digits. */
export type PresetValue =
  | number
  | boolean
  | string
  | readonly PresetValue[]
  | { readonly [field: string]: PresetValue };

/** A `[preset.NAME]` table: what variables and maps of objects hold before their programs are loaded. */
export interface Preset {
  readonly name: string;
  readonly variables: readonly PresetVariable[];
  readonly entries: readonly PresetEntry[];
}

export interface PresetVariable {
  readonly name: string;
  readonly value: PresetValue;
  /** Line in bpfgate.toml, 1-based. */
  readonly line: number;
}

export interface PresetEntry {
  readonly map: string;
  /** Undefined for maps without keys, such as queues. */
  readonly key: PresetValue | undefined;
  readonly value: PresetValue;
  /** Line in bpfgate.toml, 1-based. */
  readonly line: number;
}

/** The content of bpfgate.toml with its defaults filled in. */
export interface Config {
  /** Path relative to the project, for messages and annotations. */
  readonly file: string;
  readonly kernels: readonly string[];
  /** The `[[kernel]]` tables. */
  readonly namedKernels: readonly NamedKernel[];
  readonly lanes: readonly Lane[];
  /** Default `vmtest`. */
  readonly runner: Runner;
  readonly build: {
    /** Shell command, run in the project's folder once for each revision. */
    readonly command: string;
    /** `host` builds once for all kernels; `guest` builds offline for each kernel, in a guest of it. Default `host`. */
    readonly where: 'host' | 'guest';
    /** Whether a build in the sandbox has a network. Default no: what its lock files name is downloaded before. */
    readonly network: boolean;
    /**
     * Globs that choose the built BPF objects whose programs the verifier lane loads, by paths below the project. `*`
     * matches within and across `/`. Null: every BPF object found there.
     */
    readonly objects: readonly string[] | null;
    /** Names of further environment variables that the build gets, sorted. Default: none. */
    readonly env: readonly string[];
  };
  readonly benches: readonly BenchConfig[];
  /** Whether programs run on bpfgate's own packets. Null: where there is no bench. */
  readonly standardInputs: boolean | null;
  /** The `[[program]]` tables: sections whose names say nothing of a type, and one that does for each. */
  readonly sections: Readonly<Record<string, string>>;
  /** The `[[input]]` tables with a `file`. */
  readonly packetFiles: readonly PacketFile[];
  /** The `[[input]]` tables with a `context`. */
  readonly contexts: readonly Context[];
  readonly presets: readonly Preset[];
  readonly gate: {
    readonly limits: Readonly<Record<Lane, Limit>>;
    readonly overrides: readonly LimitOverride[];
  };
}

/** What a run is asked for, by the command line and by the action. */
export interface Inputs {
  /** Absolute path of the project's folder. */
  readonly project: string;
  /** The manifest of its build tool. */
  readonly manifest: Manifest;
  readonly config: Config;
  /** The bpfgate.toml that was detected. Default: the project has one. */
  readonly detected?: string;
  /** The packets that the objects' programs run on, where they take one. */
  readonly packets: readonly Packet[];
  /** Objects in the place of a project that is built. Default: the project is built. */
  readonly objects?: GivenObjects;
  /** Selector of the kernel, one of `kernels`, with which the others are compared by head's objects. */
  readonly against?: string;
  /** Any revision git understands. Default: what `eventBase` says, else the merge-base with the default branch. */
  readonly base?: string;
  /** The base that a workflow's event implies. Default: none, as outside of workflows. */
  readonly eventBase?: EventBase;
  /**
   * Commits that a workflow's event says to be on the branch that pull requests are merged into. Default: in a workflow
   * none, elsewhere the default branch's last one.
   */
  readonly merged?: readonly string[];
  /** Any revision git understands. Default: the working tree, untracked files included. */
  readonly head?: string;
  /** Kernel selectors; overrides the configuration's. Paths after `file:` are absolute. */
  readonly kernels: readonly string[];
  readonly lanes: readonly Lane[];
  /** What an option gives, so that it holds for both revisions, whatever their configurations say. Default: none. */
  readonly given?: readonly ('kernels' | 'lanes' | 'runner')[];
  /** Names of the benches to measure. Default: all. */
  readonly benches?: readonly string[];
  /** The part of the benches that is measured; null for all. */
  readonly shard: Shard | null;
  readonly runner: Runner;
  /** Whether builds on the host are sandboxed. A project cannot set it. */
  readonly sandbox: SandboxPolicy;
  /** Whether downloads of dependencies use the project's settings and the user's logins. A project cannot set it. */
  readonly allowProjectRegistries: boolean;
  /** Absolute path of the output folder. */
  readonly out: string;
}

/** What a workflow's event says about the base: a commit, or the branch with which head has its merge-base. */
export type EventBase = (
  | {
      /** The commit's id. */
      readonly commit: string;
      /** What it is, such as `the commit before this push`. */
      readonly name: string;
    }
  | {
      /** Name without `refs/heads/`. Default: the default branch. */
      readonly branch?: string | undefined;
      /** The id of the commit at which the branch was when the event was sent. */
      readonly tip?: string | undefined;
      /** What holds where the branch has head's commit already: the commit before is the base, or an error. */
      readonly merged: 'commit-before' | NothingToCompare;
    }
) & {
  /** Address of the base's repository. Default: the one that was checked out. */
  readonly remote?: string | undefined;
};

/** Why head and base are the same commit, and what to do. */
export interface NothingToCompare {
  readonly message: string;
  readonly hint: string;
}

/** BPF object files to verify, by revision. Without objects of base, everything is added. */
export type GivenObjects = Readonly<Record<RevisionName, readonly GivenObject[]>>;

export interface GivenObject {
  /** Absolute path without links. */
  readonly file: string;
  /** Path below the fixed part of its glob, else its name; base's and head's objects pair by it. */
  readonly path: string;
}

/** A build tool's own file, with the default command and the example for projects that have it. */
export interface Manifest {
  readonly file: string;
  /** Default of `build.command`. */
  readonly build: string;
  /** A complete bpfgate.toml to start from, for messages. */
  readonly example: string;
}

/** One of `count` parts, 1-based. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** The policy for sandboxing builds on the host: where that is possible, always (or the run fails), or never. */
export const sandboxPolicies = ['auto', 'required', 'off'] as const;

export type SandboxPolicy = (typeof sandboxPolicies)[number];

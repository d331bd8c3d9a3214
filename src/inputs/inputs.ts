// First stage: what the user asked for, resolved from the command line or the action, and bpfgate.toml.

import type { SandboxPolicy } from '../sandbox/sandbox.ts';
import type { Manifest } from './manifest.ts';
import type { Shard } from './shard.ts';

export const lanes = ['instructions', 'verifier', 'time'] as const;
export type Lane = (typeof lanes)[number];

export const benchFormats = ['criterion', 'bmf', 'none'] as const;
export type BenchFormat = (typeof benchFormats)[number];

/** Programs that can boot a guest: kernel, guest and counts are the same. The first is the default. */
export const runners = ['vmtest', 'virtme-ng'] as const;
export type Runner = (typeof runners)[number];

/** Largest allowed growth as a fraction (0.05 is 5 %), or `off`. */
export type Limit = number | 'off';

export interface BenchConfig {
  /** Unique within the project; prefix of its benchmarks' names. */
  readonly name: string;
  /** Shell command, run in the guest as root in the project's folder. */
  readonly command: string;
  /** `auto` looks at what the command prints. */
  readonly format: BenchFormat | 'auto';
  /** Measure every BPF program that appears while the command runs. Default true. */
  readonly observe: boolean;
  /** Run it once more for each revision, after all measuring, and keep profiles of that. Default false. */
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

/** The content of bpfgate.toml with its defaults filled in. */
export interface Config {
  /** Path relative to the project, for messages and annotations. */
  readonly file: string;
  readonly kernels: readonly string[];
  readonly lanes: readonly Lane[];
  /** What the time lane may take, of all kernels together. Default 10 min. */
  readonly timeBudgetMs: number;
  /** Default `vmtest`. */
  readonly runner: Runner;
  readonly build: {
    /** Shell command, run in the project's folder once for each revision. */
    readonly command: string;
    /** On the host, once for all kernels; or offline in a guest of each kernel, for that kernel. Default `host`. */
    readonly where: 'host' | 'guest';
    /**
     * Globs over paths below the project of the built BPF objects whose programs the verifier lane loads, `*` matching
     * within and across `/`. Null: every BPF object that is found there.
     */
    readonly objects: readonly string[] | null;
    /** Names of environment variables that the build gets as well, in order. Default: none. */
    readonly env: readonly string[];
  };
  readonly benches: readonly BenchConfig[];
  readonly gate: {
    readonly limits: Readonly<Record<Lane, Limit>>;
    readonly overrides: readonly LimitOverride[];
  };
}

/** Everything `main` needs to know, the same for the command line and the action. */
export interface Inputs {
  /** Absolute path of the project's folder. */
  readonly project: string;
  /** What it is built with. */
  readonly manifest: Manifest;
  readonly config: Config;
  /** Any revision git understands. Default: merge-base of head with `baseBranch`. */
  readonly base?: string;
  /** Any revision git understands. Default: the default branch. */
  readonly baseBranch?: string;
  /** Any revision git understands. Default: the working tree, untracked files included. */
  readonly head?: string;
  /** Kernel selectors; overrides the configuration's. */
  readonly kernels: readonly string[];
  readonly lanes: readonly Lane[];
  /** The part of the benches that is measured; null for all. */
  readonly shard: Shard | null;
  readonly timeBudgetMs: number;
  readonly runner: Runner;
  /** Whether builds on the host are sandboxed. No project can say it. */
  readonly sandbox: SandboxPolicy;
  /** Whether dependencies are downloaded by the project's own settings, with the user's logins. No project can say it. */
  readonly allowProjectRegistries: boolean;
  /** Absolute path of the output folder. */
  readonly out: string;
}

// Model: the two revisions, checked out and built.

import type { Warning } from './warning.ts';

export const revisionNames = ['base', 'head'] as const;
export type RevisionName = (typeof revisionNames)[number];

/** One revision of the project, built. */
export interface Build {
  readonly revision: RevisionName;
  /** The user's name for it: `origin/main`, `working tree`. */
  readonly ref: string;
  /** Commit id, or null for a working tree with changes. */
  readonly commit: string | null;
  /** Git tree id of what was built. */
  readonly tree: string;
  /** Absolute path of the built tree. */
  readonly dir: string;
  /** Shows whether the tree has changed since it was built. SHA-256, in hexadecimal. */
  readonly seal: string;
  /** Programs that the cargo commands of benches start. */
  readonly starts: CargoStarts;
  /** Tools that compiled and linked it: name to version line. */
  readonly tools: Readonly<Record<string, string>>;
}

/** The part of a build that a report has. */
export type BuiltRevision = Omit<Build, 'dir' | 'seal' | 'starts'>;

/** A BPF object file that the build of one revision left. */
export interface BpfObject {
  /** The same in base and head; unique within a revision. `xdp` for `out/xdp.bpf.o`. */
  readonly name: string;
  readonly revision: RevisionName;
  /** Path below the revision's `dir`. */
  readonly path: string;
  /** SHA-256 of its content. */
  readonly digest: string;
  /** Default: none that concerns it. */
  readonly presets?: readonly ObjectPreset[];
}

/** What a preset writes before the object's programs are loaded. */
export interface ObjectPreset {
  readonly name: string;
  /** Bytes of data sections, by the name of the section: `.rodata`. */
  readonly data: readonly { readonly map: string; readonly at: number; readonly bytes: readonly number[] }[];
  readonly entries: readonly {
    readonly map: string;
    /** Empty for a map without keys. */
    readonly key: readonly number[];
    readonly value: readonly number[];
  }[];
}

/** Both revisions. They were built, and are run, at the same path, so that equal sources give equal bytes. */
export interface Builds {
  readonly base: Build;
  readonly head: Build;
  /** Absolute path at which each tree was when it was built; the guest binds a revision's `dir` there. */
  readonly workDir: string;
  /** Absolute path below which the sources of given objects were; their trees hold none. */
  readonly sources?: string | undefined;
  /** Path of the project below the tree's root; empty at the root. */
  readonly projectPath: string;
  /** Objects of both revisions, sorted by name. */
  readonly objects: readonly BpfObject[];
  readonly warnings: readonly Warning[];
}

/** What commands start, keyed by the cargo part of each (`startsKey`). */
export type CargoStarts = Readonly<Record<string, CargoStart>>;

/** What a cargo command starts, or why that is not known. */
export type CargoStart =
  | { readonly programs: readonly StartedProgram[]; readonly criterion: CriterionAnswers | null }
  | { readonly unknown: string };

/** One program, as cargo starts it. */
export interface StartedProgram {
  /** The name of its package; empty for that of the project's folder. */
  readonly package: string;
  /** The name of its target, with `_` for `-`. */
  readonly target: string;
  /** Absolute path. */
  readonly folder: string;
  /** The runner's words, if any, the program, and its arguments; `argumentsMark` stands for those after `--`. */
  readonly words: readonly string[];
  /** Variables that cargo adds to the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Folders to put before the rest of PATH; empty for none. */
  readonly path: string;
}

/** Answers to what cargo-criterion asks cargo. */
export interface CriterionAnswers {
  readonly targetDirectory: string;
  /** One JSON object per line: programs, and where libraries lie. */
  readonly messages: string;
}

/** A commit, for a person. */
export interface Commit {
  readonly id: string;
  /** Ids; several for a merge. */
  readonly parents: readonly string[];
  readonly author: string;
  /** The day its author made it: `2026-11-03`. */
  readonly date: string;
  /** First line of the message. */
  readonly subject: string;
}

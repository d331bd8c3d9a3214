// Bench: gives every measurement a place in the repository that an annotation can point at. Pure.

import { resolveDots } from '../common/paths.ts';
import type { BenchConfig } from '../model/inputs.ts';
import { isSameTarget, namedTarget } from '../plan/cargo-command.ts';
import type { SourceText } from '../plan/criterion-command.ts';
import { findCriterionLine } from './find-criterion-line.ts';
import type { Measurement, SourceLocation } from './measurement.ts';

export interface SourceTree {
  /** Absolute path of the tree when it was compiled. */
  readonly workDir: string;
  /** Path of the project below the repository's root; empty at the root. */
  readonly projectPath: string;
  /** Path of the configuration below the repository's root. */
  readonly configFile: string;
  /** Sources in which Criterion's benchmarks are looked up. */
  readonly benches: readonly SourceText[];
  /** Whether the repository has the file at a path below its root. */
  readonly hasFile: (path: string) => boolean;
  /** Paths of the repository's files below its root, without those of build tools' folders. */
  readonly files: readonly string[];
  /** Objects that the build left: the names that their programs' begin with, and paths below the root. */
  readonly objects: readonly { readonly name: string; readonly path: string }[];
  /** Whether objects were given without a repository, so that a file need not be there. */
  readonly isPartial: boolean;
}

/** The part of a tree in which a file is found. */
export type FileTree = Pick<SourceTree, 'workDir' | 'projectPath' | 'hasFile' | 'files' | 'objects' | 'isPartial'>;

/** A measurement, as far as its source is concerned. */
type Locatable = Pick<Measurement, 'kind' | 'benchmark' | 'unit' | 'source'>;

/**
 * Resolves the source of each measurement. Compilers name source files by absolute path or relative to the folder in
 * which they run; both become paths below the repository's root. A Criterion benchmark is looked up by its name. Any other benchmark
 * points at its bench in bpfgate.toml. A BPF program without a source in the repository has no place: its bench is not
 * where it is written.
 */
export function locateSources<Item extends Locatable>(
  measurements: readonly Item[],
  benches: readonly Pick<BenchConfig, 'name' | 'line' | 'command'>[],
  tree: SourceTree,
): Item[] {
  return measurements.map((measurement) => ({
    ...measurement,
    source:
      resolveSource(measurement, tree) ??
      criterionLocation(measurement, benches, tree) ??
      benchLocation(measurement, benches, tree),
  }));
}

function resolveSource({ source, benchmark }: Locatable, tree: SourceTree): SourceLocation | null {
  const file = source === null ? null : locateFile(source.file, tree, benchmark);
  return source === null || file === null ? null : { file, line: source.line };
}

/** Folders of Cargo, rustc and systems for what is not the project's, before the name of a package or library. */
export const fetched =
  /^\/.*\/(?:registry\/src\/[^/]+|git\/checkouts|rustlib\/src\/rust)\/|^\/(?:rustc\/[^/]+|usr\/include|nix\/store)\//;

/**
 * Finds a file in the repository. An object that was compiled on another machine, or in another folder, names it by a
 * path whose end is the path here. A compiler that was started in the folder of a package names it from there, as
 * bpf2go does: `./xdp.c` is next to the object, or the only file of the repository whose path ends so.
 *
 * @param compiled the file, as a compiler names it
 * @param benchmark the program that it is compiled to; default: not known
 * @returns its path below the repository's root; null if it is outside
 */
export function locateFile(compiled: string, tree: FileTree, benchmark = ''): string | null {
  const path = resolveDots(compiled);
  if (path.startsWith(`${tree.workDir}/`)) return take([path.slice(tree.workDir.length + 1)], tree);
  if (!path.startsWith('/')) {
    const own = tree.objects.filter(({ name }) => benchmark.startsWith(`${name}/`));
    const folders = [...own.map((object) => `./${object.path}/..`), `./${tree.projectPath}`];
    const found = take([...folders.map((folder) => resolveDots(`${folder}/${path}`)), path], tree);
    return found ?? takeEnding(path.replace(/^(?:\.\.\/)+/, ''), tree);
  }
  if (fetched.test(path)) return null;
  const parts = path.split('/').slice(-maxParts);
  return take([...parts.map((_, index) => parts.slice(index).join('/')), path], tree);
}

/** Parts of the end of a path that are looked up. */
const maxParts = 16;

/** Takes the only file whose path ends so. */
function takeEnding(end: string, { files }: Pick<SourceTree, 'files'>): string | null {
  const [found, ...others] = files.filter((file) => `/${file}`.endsWith(`/${end}`));
  return found === undefined || others.length > 0 ? null : found;
}

/** Takes the first path that the repository has; where it need not have it, the last. */
function take(paths: readonly string[], tree: Pick<SourceTree, 'hasFile' | 'isPartial'>): string | null {
  const path = paths.find(tree.hasFile) ?? (tree.isPartial ? paths.at(-1) : undefined);
  const own = path?.replace(/^\//, '');
  return own === undefined || own.split('/').includes('..') ? null : own;
}

/**
 * Locates a Criterion benchmark; only Criterion's are counted by the iteration. Its id stands behind its package and
 * bench target, unless the project's folder and the command say them. The target's own files are searched first.
 */
function criterionLocation(
  { benchmark, unit }: Locatable,
  benches: readonly Pick<BenchConfig, 'name' | 'command'>[],
  tree: SourceTree,
): SourceLocation | null {
  if (!unit.endsWith('/iteration')) return null;
  const name = benchmark.slice(benchmark.indexOf('/') + 1);
  const parts = name.split('/');
  const bench = benches.find((each) => benchmark.startsWith(`${each.name}/`));
  const named = bench && namedTarget(bench.command);
  for (const count of [0, 1, 2]) {
    const target = named ?? parts[count - 1] ?? '';
    const own = tree.benches.filter(({ path }) => isOfTarget(path, target));
    const id = parts.slice(count).join('/');
    const found = own.length === 0 ? null : (findCriterionLine(id, own) ?? findCriterionLine(id, tree.benches));
    if (found !== null) return found;
  }
  return findCriterionLine(name, tree.benches);
}

/** Whether a file is that of a bench target, or in its folder. */
function isOfTarget(path: string, target: string): boolean {
  const [, name] = /(?:^|\/)benches\/([^/]+?)(?:\.rs|\/.*)$/.exec(path) ?? [];
  return name !== undefined && isSameTarget(name, target);
}

function benchLocation(
  { kind, benchmark }: Locatable,
  benches: readonly Pick<BenchConfig, 'name' | 'line'>[],
  tree: SourceTree,
): SourceLocation | null {
  const bench = kind === 'bpf-program' ? undefined : benches.find(({ name }) => benchmark.startsWith(`${name}/`));
  return bench === undefined ? null : { file: tree.configFile, line: bench.line };
}

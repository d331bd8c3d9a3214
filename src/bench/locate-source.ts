// Bench: gives every measurement a place in the repository that an annotation can point at. Pure.

import type { FileLines } from '../model/guest-run.ts';
import type { BenchConfig } from '../model/inputs.ts';
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
}

/** Something with a name that may have a place in the source. */
export interface Locatable extends Pick<Measurement, 'benchmark' | 'unit' | 'source'> {
  readonly lane?: Measurement['lane'];
}

/**
 * Resolves the source of each measurement. Compilers name source files by absolute path or relative to the project;
 * both become paths below the repository's root. A Criterion benchmark is looked up by its name. A measurement without
 * a source in the repository points at its bench in bpfgate.toml.
 */
export function locateSources<Item extends Locatable>(
  measurements: readonly Item[],
  benches: readonly Pick<BenchConfig, 'name' | 'line'>[],
  tree: SourceTree,
): Item[] {
  return measurements.map((measurement) => ({
    ...measurement,
    source:
      resolveSource(measurement.source, tree) ??
      criterionLocation(measurement, tree) ??
      benchLocation(measurement, benches, tree),
  }));
}

function resolveSource(source: SourceLocation | null, tree: SourceTree): SourceLocation | null {
  const file = source === null ? null : locateFile(source.file, tree);
  return source === null || file === null ? null : { file, line: source.line };
}

/**
 * @param compiled the file, as a compiler names it
 * @returns its path below the repository's root; null if it is outside
 */
export function locateFile(
  compiled: string,
  tree: Pick<SourceTree, 'workDir' | 'projectPath' | 'hasFile'>,
): string | null {
  const name = compiled.replace(/^(\.\/+)+/, '');
  const inProject = tree.projectPath === '' ? name : `${tree.projectPath}/${name}`;
  const candidates = name.startsWith(`${tree.workDir}/`)
    ? [name.slice(tree.workDir.length + 1)]
    : name.startsWith('/')
      ? []
      : [inProject, name];
  return candidates.find(tree.hasFile) ?? null;
}

/**
 * Gives files their paths below the repository's root. Files of the toolchain or a dependency keep their absolute
 * paths. Other files outside the repository are left out.
 *
 * @returns `isWhole`: whether no file was left out
 */
export function locateLines(
  files: readonly FileLines[],
  tree: SourceTree,
): { readonly files: readonly FileLines[]; readonly isWhole: boolean } {
  const located = files.flatMap(({ file, counts }) => {
    const path = locateFile(file, tree) ?? (file.startsWith('/') ? file : null);
    return path === null ? [] : { file: path, counts };
  });
  return { files: located, isWhole: located.length === files.length };
}

/** Locates a Criterion benchmark. Only Criterion's are counted by the iteration. */
function criterionLocation({ benchmark, unit }: Locatable, tree: SourceTree): SourceLocation | null {
  if (!unit.endsWith('/iteration')) return null;
  return findCriterionLine(benchmark.slice(benchmark.indexOf('/') + 1), tree.benches);
}

function benchLocation(
  { lane, benchmark }: Locatable,
  benches: readonly Pick<BenchConfig, 'name' | 'line'>[],
  tree: SourceTree,
): SourceLocation | null {
  // A program of the verifier lane belongs to an object, which may have a bench's name.
  const bench = lane === 'verifier' ? undefined : benches.find(({ name }) => benchmark.startsWith(`${name}/`));
  return bench === undefined ? null : { file: tree.configFile, line: bench.line };
}

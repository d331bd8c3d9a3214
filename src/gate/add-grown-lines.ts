// Gate: finds the source lines by which programs grew.

import type { ExecutedInstruction, InsideCount } from '../bench/inside.ts';
import { locateFile, type SourceTree } from '../bench/locate-source.ts';
import type { MeasuredCode, SourceLocation } from '../bench/measurement.ts';
import { readBoth } from '../build/read-both.ts';
import { indexBy } from '../common/group-by.ts';
import type { Comparison, LineGrowth } from '../compare/comparison.ts';
import { codeOf, findGrownCalls, findGrownLines, seenOf } from '../compare/grown-lines.ts';
import { changedBodies, changedLines, findChangedWithin, findHunks, type Hunk } from '../compare/near-diff.ts';
import { type Builds, type RevisionName, revisionNames } from '../model/build.ts';

/** Comparisons with the lines that grew. */
export interface Grown {
  readonly comparisons: Comparison[];
  /** Names in base of the files that have another name in head, by that. */
  readonly moved: ReadonlyMap<string, string>;
}

/**
 * Adds, to each program that runs or compiles to more instructions, the lines that grew; not once `signal` aborts.
 *
 * @param inside what a plugin saw of programs: it gives the lines that a run executes more of, and the calls
 */
export async function addGrownLines(
  comparisons: readonly Comparison[],
  codes: readonly MeasuredCode[],
  inside: readonly InsideCount[],
  trees: Readonly<Record<RevisionName, SourceTree>>,
  builds: Builds,
  signal: AbortSignal | undefined,
): Promise<Grown> {
  const moved = new Map<string, string>();
  const hunks = new Map<string, readonly Hunk[]>();
  const added: Comparison[] = [];
  for (const comparison of comparisons) added.push(await addLines(comparison));
  return { comparisons: added, moved };

  async function addLines(comparison: Comparison): Promise<Comparison> {
    if (signal?.aborted) return comparison;
    const seen = seenOf(comparison, inside);
    const [base, head] = revisionNames.map((revision) => {
      const code = seen === undefined ? codeOf(comparison, revision, codes) : seen[revision].code;
      return code && locate(code, trees[revision], comparison.benchmark);
    });
    if (base === undefined || head === undefined) return comparison;
    // What a run executes says how much each line costs.
    const growth = findGrownLines(base, head, seen === undefined ? 'new-first' : 'most-first');
    for (const [to, from] of growth.moved) moved.set(to, from);
    const { changed } = growth;
    const lines = await nameChanged(growth.lines, head);
    // Code that is smaller can cost more.
    const isElsewhere = lines.length === 0 && changed !== null && changed.file === comparison.source?.file;
    const source = isElsewhere ? changed : comparison.source;
    return { ...comparison, source, lines, ...(seen === undefined ? {} : { calls: findGrownCalls(seen) }) };
  }

  /**
   * Names the line that head changed where that has no code. What a compiler inlines from a dependency has no line of the
   * project's own, and counts for the one before it: a call that head adds below is what grew. Or, if head changed none
   * of the lines that grew, the only place that it did change in functions of the program's files.
   */
  async function nameChanged(
    grown: readonly LineGrowth[],
    code: readonly ExecutedInstruction[],
  ): Promise<LineGrowth[]> {
    const withCode = indexBy(
      code.flatMap(({ source }) => (source === null || source.file.startsWith('/') ? [] : [source])),
      ({ file }) => file,
    );
    const changed = new Map<string, readonly Hunk[]>();
    for (const file of withCode.keys()) changed.set(file, await hunksOf(file));
    const isChanged = ({ file, line }: SourceLocation) => changedLines(changed.get(file) ?? []).includes(line);
    const named = grown.map((each): LineGrowth => {
      const { file, line } = each.source;
      const below = (withCode.get(file) ?? []).flatMap((other) => (other.line > line ? other.line : []));
      const next = below.reduce((least, other) => Math.min(least, other), Number.POSITIVE_INFINITY);
      return { ...each, source: { file, line: findChangedWithin(changed.get(file) ?? [], line, next) } };
    });
    const [first, ...others] = named;
    if (first === undefined || named.some(({ source }) => isChanged(source))) return named;
    const places = [...changed].flatMap(([file, hunks]) =>
      changedBodies(hunks).map((line): SourceLocation => ({ file, line })),
    );
    const [only, another] = places;
    return only === undefined || another !== undefined ? named : [{ ...first, source: only }, ...others];
  }

  async function hunksOf(file: string): Promise<readonly Hunk[]> {
    const known = hunks.get(file);
    if (known !== undefined) return known;
    const texts = await readBoth(builds, moved.get(file) ?? file, file);
    const found = texts === null ? [] : findHunks(...texts);
    hunks.set(file, found);
    return found;
  }
}

/** Gives files their paths below the repository's root; others outside it keep absolute paths, or have none. */
function locate(code: readonly ExecutedInstruction[], tree: SourceTree, benchmark: string): ExecutedInstruction[] {
  const paths = new Map<string, string | null>();
  return code.map((each) => {
    if (each.source === null) return each;
    const { file, line } = each.source;
    let path = paths.get(file);
    if (path === undefined) {
      path = locateFile(file, tree, benchmark) ?? (file.startsWith('/') ? file : null);
      paths.set(file, path);
    }
    return { ...each, source: path === null ? null : { file: path, line } };
  });
}

// Gate: finds the source lines by which programs grew.

import type { InsideCount } from '../bench/inside.ts';
import { locateLines, type SourceTree } from '../bench/locate-source.ts';
import type { ProgramLines } from '../bench/measurement.ts';
import { readBoth } from '../build/read-both.ts';
import type { Comparison } from '../compare/comparison.ts';
import {
  executedLines,
  findGrownCalls,
  findGrownLines,
  type LineMap,
  linesOf,
  mapLines,
  pairFiles,
  sameLines,
  seenOf,
} from '../compare/grown-lines.ts';
import { type Builds, revisionNames } from '../model/build.ts';
import { findSources } from './find-sources.ts';

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
  lines: readonly ProgramLines[],
  inside: readonly InsideCount[],
  builds: Builds,
  tree: SourceTree,
  signal: AbortSignal | undefined,
): Promise<Grown> {
  const baseTree = { ...tree, ...findSources(builds, 'base') };
  const maps = new Map<string, LineMap>();
  const moved = new Map<string, string>();
  const added: Comparison[] = [];
  for (const comparison of comparisons) {
    const seen = seenOf(comparison, inside);
    const [base, head] = revisionNames.map((revision) =>
      seen === undefined ? linesOf(comparison, revision, lines) : executedLines(seen[revision]),
    );
    if (base === undefined || head === undefined || signal?.aborted) {
      added.push(comparison);
      continue;
    }
    const [before, after] = [locateLines(base, baseTree), locateLines(head, tree)];
    const pairs = pairFiles(before.files, after.files);
    for (const [from, to] of pairs) {
      if (from !== to) moved.set(to, from);
      const key = JSON.stringify([from, to]);
      if (maps.has(key)) continue;
      const texts = await readBoth(builds, from, to);
      maps.set(key, texts === null ? sameLines : mapLines(...texts));
    }
    const grown = findGrownLines(before.files, after.files, pairs, (...pair) => maps.get(JSON.stringify(pair)));
    // If not every line is known, it is not known either whether one grew.
    const isWhole = before.isWhole && after.isWhole;
    if (seen !== undefined) added.push({ ...comparison, lines: grown, calls: findGrownCalls(seen) });
    else added.push(grown.length === 0 && !isWhole ? comparison : { ...comparison, lines: grown });
  }
  return { comparisons: added, moved };
}

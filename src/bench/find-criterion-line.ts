// Where a Criterion benchmark is written: it does not print that, but its id is in the source. Pure.

import type { SourceLocation } from './measurement.ts';

export interface SourceText {
  /** Below the repository's root. */
  readonly path: string;
  readonly text: string;
}

/**
 * The line of `bench_function("NAME"` (or `bench_with_input`, `BenchmarkId::new`) of a benchmark called `NAME`,
 * `GROUP/NAME` or `GROUP/NAME/VALUE`, in the only file that can mean it: of several the one that also opens the group.
 * Null where the id is put together at run time, or more than one place could be it.
 *
 * @param id as Criterion prints it, without the bench's name
 * @param sources Rust files of benchmarks
 */
export function findCriterionLine(id: string, sources: readonly SourceText[]): SourceLocation | null {
  // Names may hold slashes themselves: the longest ones are tried first, without a group, then with one.
  const parts = id.split('/');
  const splits = parts.flatMap((_, start) =>
    parts.slice(start).map((_, count) => ({
      group: parts.slice(0, start).join('/'),
      name: parts.slice(start, parts.length - count).join('/'),
    })),
  );
  for (const { group, name } of splits) {
    const found = sources
      .filter(({ text }) => group === '' || opensGroup(text, group))
      .flatMap(({ path, text }) => linesOf(text, name).map((line) => ({ file: path, line })));
    if (found.length === 1) return found[0] ?? null;
    if (found.length > 1) return null;
  }
  return null;
}

function opensGroup(text: string, group: string): boolean {
  return new RegExp(`\\bbenchmark_group\\(\\s*"${escapePattern(group)}"`).test(text);
}

function linesOf(text: string, name: string): number[] {
  const call = new RegExp(
    `\\b(?:bench_function|bench_with_input|BenchmarkId::new)\\(\\s*(?:BenchmarkId::new\\(\\s*)?"${escapePattern(name)}"`,
    'g',
  );
  return [...text.matchAll(call)].map(({ index }) => text.slice(0, index).split('\n').length);
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

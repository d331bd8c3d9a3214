// Where a Criterion benchmark is written: it does not print that, but its id is in the source. Pure.

import type { SourceLocation } from './measurement.ts';

export interface SourceText {
  /** Below the repository's root. */
  readonly path: string;
  readonly text: string;
}

/** Of an id, which the guest prints; each adds to what is looked for. */
const maxParts = 8;

/**
 * The line of `bench_function("NAME"` (or `bench_with_input`, `BenchmarkId::new`) of a benchmark called `NAME`,
 * `GROUP/NAME` or `GROUP/NAME/VALUE`, in the only file that can mean it: of several the one that also opens the group.
 * Null where the id is put together at run time, or more than one place could be it.
 *
 * @param id as Criterion prints it, without the bench's name
 * @param sources Rust files of benchmarks
 */
export function findCriterionLine(id: string, sources: readonly SourceText[]): SourceLocation | null {
  const parts = id.split('/');
  if (parts.length > maxParts) return null;
  // Names may hold slashes themselves, so any of them may be the one between group and name.
  const splits = parts.flatMap((_, start) =>
    parts.slice(start).map((_, count) => ({
      group: parts.slice(0, start).join('/'),
      name: parts.slice(start, parts.length - count).join('/'),
    })),
  );
  const found = splits.flatMap(({ group, name }) =>
    sources
      .filter(({ text }) => group === '' || opensGroup(text, group))
      .flatMap(({ path, text }) => linesOf(text, name).map((line) => ({ file: path, line }))),
  );
  const places = new Map(found.map((place) => [JSON.stringify(place), place]));
  return places.size === 1 ? ([...places.values()][0] ?? null) : null;
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

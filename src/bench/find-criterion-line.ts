// Where a Criterion benchmark is written: it does not print that, but its id is in the source. Pure.

import type { SourceLocation } from './measurement.ts';

export interface SourceText {
  /** Below the repository's root. */
  readonly path: string;
  readonly text: string;
}

/** Of an id, which the guest prints; each adds to what is looked for. */
const maxParts = 8;

/** Up to the name, which is compared as it is: of an id as long as a line can be no pattern can be made. */
const groupCall = /\bbenchmark_group\(\s*"/g;
const functionCall = /\b(?:bench_function|bench_with_input|BenchmarkId::new)\(\s*(?:BenchmarkId::new\(\s*)?"/g;

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
  const called = sources.map(({ path, text }) => ({
    ...{ path, text },
    groups: callsOf(text, groupCall),
    functions: callsOf(text, functionCall),
  }));
  const found = splits.flatMap(({ group, name }) =>
    called
      .filter(({ text, groups }) => group === '' || groups.some(({ nameAt }) => text.startsWith(`${group}"`, nameAt)))
      .flatMap(({ path, text, functions }) =>
        functions.filter(({ nameAt }) => text.startsWith(`${name}"`, nameAt)).map(({ line }) => ({ file: path, line })),
      ),
  );
  const places = new Map(found.map((place) => [JSON.stringify(place), place]));
  return places.size === 1 ? ([...places.values()][0] ?? null) : null;
}

interface Call {
  /** From 1, on which it begins. */
  readonly line: number;
  /** Offset of the name, after its quote. */
  readonly nameAt: number;
}

/** In the order of the text, whose lines are counted once. */
function callsOf(text: string, pattern: RegExp): Call[] {
  let line = 1;
  let counted = 0;
  return [...text.matchAll(pattern)].map(({ 0: call, index }) => {
    for (; counted < index; counted++) if (text[counted] === '\n') line += 1;
    return { line, nameAt: index + call.length };
  });
}

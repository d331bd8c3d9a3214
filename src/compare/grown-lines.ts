// Compare: finds the source lines of a program that became more machine instructions. Pure.

import { diffArrays } from 'diff';
import type { InsideCount } from '../bench/inside.ts';
import type { ProgramLines, SourceLocation } from '../bench/measurement.ts';
import { groupBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import type { FileLines } from '../model/guest-run.ts';
import type { CallGrowth, Comparison, LineGrowth } from './comparison.ts';

/** Edits beyond which two texts are not compared, because the time grows with their square. */
export const maxEdits = 1000;
/** The most lines that fit an annotation. */
const maxGrown = 5;

/** Measures of a program that its machine instructions can explain. */
const explained = ['bpf-instructions', 'bpf-time', 'jited-bytes'];

/** Maps a line of base to its line in head; null if head no longer has it. 1-based. */
export type LineMap = (line: number) => number | null;

/** Maps every line to itself: the text did not change, or is not known. */
export const sameLines: LineMap = (line) => line;

/** A file of base and its name in head. */
export type FilePair = readonly [base: string, head: string];

/**
 * Pairs each of base's files with head's file of the same name. A file without one is paired with a file of the same
 * name in another folder, if there is only one such on either side.
 */
export function pairFiles(base: readonly FileLines[], head: readonly FileLines[]): FilePair[] {
  const [before, after] = [namesOf(base), namesOf(head)];
  const moved = [...after].filter((file) => !before.has(file));
  const gone = [...before].filter((file) => !after.has(file));
  const alike = (files: readonly string[], file: string) => files.filter((each) => lastPart(each) === lastPart(file));
  return [...before].flatMap((file): FilePair[] => {
    if (after.has(file)) return [[file, file]];
    const [other, ...more] = alike(moved, file);
    return other === undefined || more.length > 0 || alike(gone, file).length > 1 ? [] : [[file, other]];
  });
}

function namesOf(files: readonly FileLines[]): Set<string> {
  return new Set(files.map(({ file }) => file));
}

function lastPart(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

/**
 * Finds the lines that grew most, at most five, by their place in head; none if no line grew. A line that base does not
 * have counts as 0 instructions there.
 *
 * @param pairs see {@link pairFiles}; files of base without a pair are gone
 * @param mapOf the map of a pair; undefined if every line is where it was
 */
export function findGrownLines(
  base: readonly FileLines[],
  head: readonly FileLines[],
  pairs: readonly FilePair[],
  mapOf: (base: string, head: string) => LineMap | undefined,
): LineGrowth[] {
  const lines = new Map<string, LineGrowth>();
  const add = (side: RevisionName, file: string, line: number, count: number) => {
    const key = JSON.stringify([file, line]);
    const known = lines.get(key) ?? { source: { file, line }, base: 0, head: 0 };
    lines.set(key, { ...known, [side]: known[side] + count });
  };
  for (const { file, counts } of head) for (const [line, count] of counts) add('head', file, line, count);
  const names = new Map(pairs);
  for (const { file, counts } of base) {
    const inHead = names.get(file);
    if (inHead === undefined) continue;
    const toHead = mapOf(file, inHead) ?? sameLines;
    for (const [line, count] of counts) {
      const moved = toHead(line);
      if (moved !== null) add('base', inHead, moved, count);
    }
  }
  return [...lines.values()]
    .filter((line) => line.head > line.base)
    .toSorted((a, b) => b.head - b.base - (a.head - a.base) || comparePlaces(a.source, b.source))
    .slice(0, maxGrown);
}

/** What a plugin saw of a program on one input, in base and head. */
export type SeenBoth = Readonly<Record<RevisionName, InsideCount>>;

/** Instructions of a run that may be missing where everything adds up: what timer ticks took of the kernel's own code. */
const maxRest = 0.5;

/** Whether a regression is one of what a BPF program's runs execute, which a plugin can see. */
export function isSeeable({ lane, measure, verdict }: Comparison): boolean {
  return verdict === 'regression' && lane === 'instructions' && measure === 'bpf-instructions';
}

/** Finds what was seen of a regression's program in both revisions; undefined if that does not add up. */
export function seenOf(comparison: Comparison, inside: readonly InsideCount[]): SeenBoth | undefined {
  if (!isSeeable(comparison)) return undefined;
  const { kernel, benchmark, renamedFrom = benchmark } = comparison;
  const own = inside.filter((each) => each.kernel === kernel && each.reason === null);
  const base = own.find((each) => each.revision === 'base' && each.benchmark === renamedFrom);
  const head = own.find((each) => each.revision === 'head' && each.benchmark === benchmark);
  if (base === undefined || head === undefined) return undefined;
  // Without an empty program, what the kernel itself takes for a run is the rest.
  const expected = head.empty === null ? base.rest : 0;
  const addsUp = [base, head].every(({ rest }) => Math.abs(rest - expected) < maxRest);
  return addsUp ? { base, head } : undefined;
}

/** Returns the lines that a run executes, with their instructions. */
export function executedLines({ lines }: InsideCount): FileLines[] {
  const known = lines.flatMap(({ file, line, instructions }) => (file === null ? [] : [{ file, line, instructions }]));
  return groupBy(known, ({ file }) => file).map((own) => ({
    file: own[0].file,
    counts: own.map(({ line, instructions }) => [line, instructions] as const),
  }));
}

/** Finds the functions that cost most more in head, at most five. */
export function findGrownCalls({ base, head }: SeenBoth): CallGrowth[] {
  const before = new Map(base.calls.map(({ way, name, instructions }) => [`${way} ${name}`, instructions]));
  return head.calls
    .flatMap(({ way, name, instructions }) =>
      name === null ? [] : [{ name, base: before.get(`${way} ${name}`) ?? 0, head: instructions }],
    )
    .filter((call) => call.head > call.base)
    .toSorted((a, b) => b.head - b.base - (a.head - a.base))
    .slice(0, maxGrown);
}

/** Orders lines that grew alike: the project's before those of dependencies, whose paths are absolute, then by name. */
function comparePlaces(a: SourceLocation, b: SourceLocation): number {
  const outside = Number(a.file.startsWith('/')) - Number(b.file.startsWith('/'));
  return outside || (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1);
}

/**
 * Finds the lines of a comparison's program, if it is a regression that they can explain; otherwise undefined. A time's
 * lines are those of the programs whose instructions were counted.
 */
export function linesOf(
  { kernel, lane, benchmark, measure, verdict }: Comparison,
  revision: RevisionName,
  lines: readonly ProgramLines[],
): readonly FileLines[] | undefined {
  if (verdict !== 'regression' || !explained.includes(measure)) return undefined;
  const wanted = lane === 'time' ? 'instructions' : lane;
  const own = lines.filter((each) => each.kernel === kernel && each.revision === revision);
  const found =
    own.find((each) => each.lane === wanted && each.benchmark === benchmark) ??
    // A run on an input is called after the object's program, whose lines the verifier lane has.
    own.find((each) => each.lane === 'verifier' && lane !== 'verifier' && benchmark.startsWith(`${each.benchmark}/`));
  return found?.files;
}

/**
 * Maps each line of one text to the other. Each replaced line goes with the most similar new line, in order. Lines left
 * over have no counterpart.
 */
export function mapLines(base: string, head: string): LineMap {
  if (base === head) return sameLines;
  const changes = diffArrays(base.split('\n'), head.split('\n'), { maxEditLength: maxEdits });
  if (changes === undefined) return sameLines;
  const map = new Map<number, number>();
  let [inBase, inHead] = [1, 1];
  let replaced: readonly string[] = [];
  for (const { added, removed, value } of changes) {
    const count = value.length;
    if (removed) {
      inBase += count;
      replaced = value;
    } else if (added) {
      const first = inBase - replaced.length;
      for (const [from, to] of alignLines(replaced, value)) map.set(first + from, inHead + to);
      inHead += count;
      replaced = [];
    } else {
      for (let index = 0; index < count; index++) map.set(inBase + index, inHead + index);
      inBase += count;
      inHead += count;
      replaced = [];
    }
  }
  return (line) => map.get(line) ?? null;
}

/** Pairs in a hunk beyond which lines are paired by their position: the table below has a cell for each pair. */
const maxPairs = 40_000;
/** The worth of a pair with nothing in common, so as many lines as possible are paired, the most similar first. */
const worthOfAny = 0.01;

/**
 * Pairs lines of two lists, in order, so that they are as similar as possible (Needleman and Wunsch, 1970).
 *
 * @returns indices, ascending
 */
function alignLines(base: readonly string[], head: readonly string[]): [base: number, head: number][] {
  if (base.length * head.length > maxPairs || base.length === 0) {
    return base.slice(0, head.length).map((_, index) => [index, index]);
  }
  const [before, after] = [base.map(wordsOf), head.map(wordsOf)];
  const width = head.length + 1;
  // The worth of the rest of both lists, from each pair of places on.
  const best = new Float64Array((base.length + 1) * width);
  const worth = (from: number, to: number) => worthOfAny + likeness(before[from] ?? [], after[to] ?? []);
  const at = (from: number, to: number) => best[from * width + to] ?? 0;
  for (let from = base.length - 1; from >= 0; from--) {
    for (let to = head.length - 1; to >= 0; to--) {
      best[from * width + to] = Math.max(at(from + 1, to), at(from, to + 1), worth(from, to) + at(from + 1, to + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let [from, to] = [0, 0]; from < base.length && to < head.length; ) {
    if (at(from, to) === worth(from, to) + at(from + 1, to + 1)) pairs.push([from++, to++]);
    else if (at(from, to) === at(from + 1, to)) from++;
    else to++;
  }
  return pairs;
}

/** Characters of a line that are compared. */
const maxLine = 200;

/** Splits a line into names and numbers, and each other character. */
function wordsOf(line: string): readonly string[] {
  return line.slice(0, maxLine).match(/\w+|[^\w\s]/g) ?? [];
}

/** The share of words that two lines have in common: 0 to 1 (Dice's coefficient of their words as multisets). */
function likeness(one: readonly string[], other: readonly string[]): number {
  if (one.length + other.length === 0) return 1;
  const left = new Map<string, number>();
  for (const word of one) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of other) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common += 1;
  }
  return (2 * common) / (one.length + other.length);
}

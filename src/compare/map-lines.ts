// Compare: finds where the lines of one text are in another. Pure.

import { diffArrays } from 'diff';

/** Edits beyond which two texts, or machine codes, are not aligned, because the time grows with their square. */
export const maxEdits = 1000;

/** Maps a line of base to its line in head; null if head no longer has it. 1-based. */
export type LineMap = (line: number) => number | null;

const sameLines: LineMap = (line) => line;

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

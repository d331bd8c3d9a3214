// Compare: what head changes in a file next to a line. Pure.

import { diffArrays } from 'diff';
import { clipMiddle } from '../common/clip-middle.ts';
import { maxEdits } from './map-lines.ts';

/** Lines that replace each other; either side may be empty. */
export interface Hunk {
  /** The last line of head above that ends a function: `}` without indentation. 0: none. */
  readonly ended: number;
  /** The first line of `added` in head, or the line before which `removed` was; 1-based. */
  readonly first: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Lines of one hunk, at most three in all, without their line ends; those removed come first. */
export type NearDiff = Pick<Hunk, 'removed' | 'added'>;

/** Lines from a place to a hunk below that is shown for it: from a function's name to the change in its body. */
const maxBelow = 10;
/** The same to a hunk above. What is further up is of another function. */
const maxAbove = 1;
export const maxDiffLines = 3;
/** Characters of a line. */
export const maxDiffLine = 160;

/** Finds what was removed and added; nothing if the texts differ in so much that they are not compared. */
export function findHunks(base: string, head: string): Hunk[] {
  if (base === head) return [];
  const changes = diffArrays(splitLines(base), splitLines(head), { maxEditLength: maxEdits }) ?? [];
  let line = 1;
  let lastEnd = 0;
  return changes.flatMap(({ added, removed, value }, index): Hunk[] => {
    const [before, after] = [changes[index - 1], changes[index + 1]];
    const [first, ended] = [line, lastEnd];
    if (removed) return after?.added ? [] : [{ ended, first, removed: value, added: [] }];
    line += value.length;
    const end = value.findLastIndex((text) => text.startsWith('}'));
    if (end !== -1) lastEnd = first + end;
    return added ? [{ ended, first, removed: before?.removed ? before.value : [], added: value }] : [];
  });
}

/**
 * Finds the first line that head changed between a line of code and the next one, for what grew by the first.
 *
 * @param next the next line that has code of its own
 * @returns the line itself if head changed it, or nothing but blank lines and comments below it in its function
 */
export function findChangedWithin(hunks: readonly Hunk[], line: number, next: number): number {
  const changed = changedLines(hunks.filter(({ ended }) => ended < line));
  if (changed.includes(line)) return line;
  return changed.find((each) => each > line && each < Math.min(next, line + maxBelow + 1)) ?? line;
}

/** Lines of head that are new or changed, without blank ones and comments. */
export function changedLines(hunks: readonly Hunk[]): number[] {
  return hunks.flatMap(({ first, added }) =>
    added.flatMap((text, index) => (blankOrComment.test(text) ? [] : first + index)),
  );
}

/** The first new or changed line of each hunk that is in a function's body, where lines are indented. */
export function changedBodies(hunks: readonly Hunk[]): number[] {
  return hunks.flatMap(({ first, added }) => {
    const index = added.findIndex((text) => /^\s/.test(text) && !blankOrComment.test(text));
    return index === -1 ? [] : first + index;
  });
}

/** Matches blank lines and the comments of C and Rust. */
const blankOrComment = /^\s*(?:$|\/[/*]|\*(?:[\s/]|$))/;

/** Lines without the white space at their ends, which is no change. */
function splitLines(text: string): string[] {
  return text.split('\n').map((line) => line.trimEnd());
}

/**
 * Takes the lines of the nearest hunk that are nearest to a line of head, 1-based; null if the file changes only
 * elsewhere. Indentation that they share is left out, and a tab is two spaces wide.
 */
export function findNearDiff(hunks: readonly Hunk[], line: number): NearDiff | null {
  const below = ({ first }: Hunk) => first - line;
  const above = ({ first, added }: Hunk) => line - first - Math.max(0, added.length - 1);
  const distanceTo = (hunk: Hunk) => Math.max(below(hunk), above(hunk), 0);
  const [nearest] = hunks
    .filter((hunk) => below(hunk) <= maxBelow && above(hunk) <= maxAbove && hunk.ended < line)
    .filter(({ removed, added }) => [...removed, ...added].some((text) => text !== ''))
    .toSorted((a, b) => distanceTo(a) - distanceTo(b));
  if (nearest === undefined) return null;
  const { first, removed, added } = nearest;
  const target = removed.length + Math.min(Math.max(0, line - first), added.length - 1);
  const start = Math.max(0, Math.min(target - 1, removed.length + added.length - maxDiffLines));
  const end = start + maxDiffLines;
  const lines = [...removed, ...added].slice(start, end).map((text) => text.replaceAll('\t', '  '));
  const indents = lines.filter((text) => text !== '').map((text) => text.length - text.trimStart().length);
  const indent = Math.min(...indents);
  const shown = lines.map((text) => clipMiddle(text.slice(indent), maxDiffLine));
  const count = Math.max(0, removed.length - start);
  return { removed: shown.slice(0, count), added: shown.slice(count) };
}

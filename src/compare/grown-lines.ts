// Compare: finds the source lines by which a program's machine code grew. Pure.

import { diffArrays } from 'diff';
import type { ExecutedInstruction, InsideCount } from '../bench/inside.ts';
import { type Instruction, readInstructions } from '../bench/machine-code.ts';
import type { MeasuredCode, SourceLocation } from '../bench/measurement.ts';
import { groupBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import type { CallGrowth, Comparison, LineGrowth } from './comparison.ts';
import { maxEdits } from './map-lines.ts';

/** The most lines that fit an annotation. */
const maxGrown = 5;

/** Measures of a program that its machine instructions can explain. */
const explained = ['bpf-instructions', 'jited-bytes'];

/** What head has more of than base. */
export interface Growth {
  /** Lines that grew most, by their place in head. */
  readonly lines: LineGrowth[];
  /** The line that base does not have and that has most code of its own; null if there is none. */
  readonly changed: SourceLocation | null;
  /** Names in base of files that have another name in head, by that. */
  readonly moved: ReadonlyMap<string, string>;
}

/** Instructions of base between two that both have, and those of head in their place. */
interface Gap {
  readonly removed: readonly ExecutedInstruction[];
  readonly added: readonly ExecutedInstruction[];
}

type Pair = readonly [base: ExecutedInstruction, head: ExecutedInstruction];

/**
 * Finds the lines that grew most, at most five; none if the code did not grow.
 *
 * The instructions of base and head are aligned, so code that is equal has no line, wherever it stands and whatever its
 * lines say. An instruction is matched with one that does the same on a line of the same text; then, where code was
 * replaced, on any line. What is left of a replaced part counts for the lines that gained most there, as far as that part
 * grew. So all lines together never grow by more than the code does.
 *
 * @param order `new-first`: lines that base does not have come first, because code of other lines can grow through them
 */
export function findGrownLines(
  base: readonly ExecutedInstruction[],
  head: readonly ExecutedInstruction[],
  order: 'new-first' | 'most-first',
): Growth {
  const pairs: Pair[] = [];
  const ofLines = align(base, head, shapeOnLine, pairs);
  const gaps = takeMoved(ofLines, pairs).flatMap(({ removed, added }) =>
    align(removed, added, ({ shape }) => shape, pairs),
  );
  const growths = new Map<string, number>();
  const grow = (place: string, by: number) => growths.set(place, (growths.get(place) ?? 0) + by);
  for (const [before, after] of pairs) grow(placeOf(after), after.times - before.times);
  for (const { removed, added } of gaps) {
    let left = sumTimes(added) - sumTimes(removed);
    const byLine = groupBy(added, placeOf).map((own) => ({ place: placeOf(own[0]), times: sumTimes(own) }));
    for (const { place, times } of byLine.toSorted((a, b) => b.times - a.times)) {
      const share = Math.min(times, Math.max(0, left));
      grow(place, share);
      left -= share;
    }
  }
  const known = new Set(base.map(({ text }) => text));
  const kept = new Set(pairs.map(([, after]) => placeOf(after)));
  const lines = groupBy(head, placeOf).flatMap((own) => {
    const [{ source, text }] = own;
    const place = placeOf(own[0]);
    const isNew = text === 0 ? !kept.has(place) : !known.has(text);
    const after = sumTimes(own);
    const growth = growths.get(place) ?? 0;
    // Parts of a new line can do what removed code did. All of it is new to its reader, unless it was only reworded.
    return source === null ? [] : { source, isNew, head: after, growth: isNew && growth > after / 2 ? after : growth };
  });
  let left = sumTimes(head) - sumTimes(base);
  const ordered = lines.toSorted(
    (a, b) =>
      (order === 'new-first' ? Number(b.isNew) - Number(a.isNew) : 0) ||
      b.growth - a.growth ||
      comparePlaces(a.source, b.source),
  );
  const grown = ordered.flatMap(({ source, head: after, growth }): LineGrowth[] => {
    const share = Math.min(growth, left);
    if (share < leastGrowth) return [];
    left -= share;
    return [{ source, base: after - share, head: after }];
  });
  const newCode = groupBy(
    gaps.flatMap(({ added }) => added.filter(({ text }) => text !== 0 && !known.has(text))),
    placeOf,
  ).toSorted((a, b) => sumTimes(b) - sumTimes(a));
  return { lines: grown.slice(0, maxGrown), changed: newCode[0]?.[0].source ?? null, moved: findMoved(pairs) };
}

/** Instructions of a run below which nothing grew: means of a run are not exact. */
const leastGrowth = 1e-6;

function shapeOnLine({ text, shape }: Instruction): string {
  return `${text} ${shape}`;
}

function placeOf({ source }: Instruction): string {
  return source === null ? '' : `${source.line} ${source.file}`;
}

function sumTimes(instructions: readonly ExecutedInstruction[]): number {
  return instructions.reduce((sum, { times }) => sum + times, 0);
}

/** Aligns instructions with equal keys, in order, and adds them to `pairs`. */
function align(
  base: readonly ExecutedInstruction[],
  head: readonly ExecutedInstruction[],
  keyOf: (instruction: Instruction) => string,
  pairs: Pair[],
): Gap[] {
  if (base.length === 0 || head.length === 0) return [{ removed: base, added: head }];
  const [before, after] = [base.map(keyOf), head.map(keyOf)];
  // Code that was added among code like it stays in one piece if what both end with is taken first.
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const middle = [before, after].map((keys) => keys.slice(start, keys.length - end)) as [string[], string[]];
  const changes = diffArrays(...middle, { maxEditLength: maxEdits });
  const same = (count: number) => ({ added: false, removed: false, count });
  const unknown = middle.map(({ length }, index) => ({ added: index === 1, removed: index === 0, count: length }));
  const gaps: Gap[] = [];
  let [inBase, inHead] = [0, 0];
  let [fromBase, fromHead] = [0, 0];
  const endGap = () => {
    const gap = { removed: base.slice(fromBase, inBase), added: head.slice(fromHead, inHead) };
    if (gap.removed.length + gap.added.length > 0) gaps.push(gap);
  };
  for (const { added, removed, count } of [same(start), ...(changes ?? unknown), same(end)]) {
    if (removed) inBase += count;
    else if (added) inHead += count;
    else {
      endGap();
      for (let index = 0; index < count; index++) {
        const pair = [base[inBase++], head[inHead++]];
        pairs.push(pair as [ExecutedInstruction, ExecutedInstruction]);
      }
      [fromBase, fromHead] = [inBase, inHead];
    }
  }
  endGap();
  return gaps;
}

/** Pairs what stands in one gap of base and another of head, on lines of the same text, and takes it out of both. */
function takeMoved(gaps: readonly Gap[], pairs: Pair[]): Gap[] {
  const left = new Map<string, ExecutedInstruction[]>();
  for (const each of gaps.flatMap(({ removed }) => removed)) {
    if (each.text === 0) continue;
    const key = shapeOnLine(each);
    const known = left.get(key);
    if (known === undefined) left.set(key, [each]);
    else known.push(each);
  }
  const taken = new Set<ExecutedInstruction>();
  for (const each of gaps.flatMap(({ added }) => added)) {
    const other = left.get(shapeOnLine(each))?.pop();
    if (other === undefined) continue;
    pairs.push([other, each]);
    taken.add(other).add(each);
  }
  const isLeft = (each: ExecutedInstruction) => !taken.has(each);
  return gaps.map(({ removed, added }) => ({ removed: removed.filter(isLeft), added: added.filter(isLeft) }));
}

/** Finds the files of head whose code was in another file, which head does not have. */
function findMoved(pairs: readonly Pair[]): Map<string, string> {
  const inHead = new Set(pairs.flatMap(([, { source }]) => source?.file ?? []));
  const known = pairs.flatMap(([{ source: before }, { source: after }]) =>
    before === null || after === null || inHead.has(before.file) ? [] : { from: before.file, to: after.file },
  );
  return new Map(
    groupBy(known, ({ to }) => to).map((own) => {
      const byFormer = groupBy(own, ({ from }) => from).toSorted((a, b) => b.length - a.length);
      return [own[0].to, byFormer[0]?.[0].from ?? own[0].from];
    }),
  );
}

/** Orders lines that grew alike: the project's before those of dependencies, whose paths are absolute, then by name. */
function comparePlaces(a: SourceLocation, b: SourceLocation): number {
  const outside = Number(a.file.startsWith('/')) - Number(b.file.startsWith('/'));
  return outside || (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1);
}

/** What a plugin saw of a program on one input, in base and head. */
export type SeenBoth = Readonly<Record<RevisionName, InsideCount>>;

/**
 * Instructions of a run by which the kernel's clock and what was seen may differ. A page fault cuts a block of code, of
 * which the plugin counts all: up to 20.
 */
const maxRest = 32;

/** Finds what was seen of a program in both revisions; undefined if runs are missing or do not add up. */
export function findSeen(
  { kernel, benchmark, renamedFrom = benchmark }: Pick<Comparison, 'kernel' | 'benchmark' | 'renamedFrom'>,
  inside: readonly InsideCount[],
): SeenBoth | undefined {
  const own = inside.filter((each) => each.kernel === kernel && each.reason === null);
  const base = own.find((each) => each.revision === 'base' && each.benchmark === renamedFrom);
  const head = own.find((each) => each.revision === 'head' && each.benchmark === benchmark);
  if (base === undefined || head === undefined) return undefined;
  // Without an empty program, what the kernel itself takes for a run is the rest.
  const expected = head.empty === null ? base.rest : 0;
  const addsUp = [base, head].every(({ rest }) => Math.abs(rest - expected) < maxRest);
  return addsUp ? { base, head } : undefined;
}

/** Finds what was seen of a regression's program: what a run executes, which a plugin can see. */
export function seenOf(comparison: Comparison, inside: readonly InsideCount[]): SeenBoth | undefined {
  const isSeeable = comparison.verdict === 'regression' && comparison.measure === 'bpf-instructions';
  return isSeeable ? findSeen(comparison, inside) : undefined;
}

/** Finds the functions that cost most more in head, at most five. */
export function findGrownCalls({ base, head }: SeenBoth): CallGrowth[] {
  const before = new Map(base.calls.map(({ way, name, instructions }) => [`${way} ${name}`, instructions]));
  return head.calls
    .map(({ way, name, instructions }) => ({ name, base: before.get(`${way} ${name}`) ?? 0, head: instructions }))
    .filter((call) => call.head > call.base)
    .toSorted((a, b) => b.head - b.base - (a.head - a.base))
    .slice(0, maxGrown);
}

/**
 * Finds the code of a comparison's program, if it is a regression that this can explain; otherwise undefined.
 */
export function codeOf(
  { kernel, lane, benchmark, measure, verdict }: Comparison,
  revision: RevisionName,
  codes: readonly MeasuredCode[],
): readonly ExecutedInstruction[] | undefined {
  if (verdict !== 'regression' || !explained.includes(measure)) return undefined;
  const own = codes.filter((each) => each.kernel === kernel && each.revision === revision);
  const found =
    own.find((each) => each.lane === lane && each.benchmark === benchmark) ??
    // A run on an input is called after the object's program, whose code the verifier lane has.
    own.find((each) => each.lane === 'verifier' && lane !== 'verifier' && benchmark.startsWith(`${each.benchmark}/`));
  return found && readInstructions(found.code).map((each) => ({ ...each, times: 1 }));
}

// Where a Criterion benchmark is written: it does not print that, but its id is in the source. Pure.

import type { SourceLocation } from './measurement.ts';

export interface SourceText {
  /** Below the repository's root. */
  readonly path: string;
  readonly text: string;
}

/** Of an id, which the guest prints; each adds to what is looked for. */
const maxParts = 8;

const groupCall = /(?:\bbenchmark_group|\.bench)\(\s*/g;
const functionCall =
  /\b(?:bench_function|bench_with_input|bench_function_over_inputs|with_function|(?:Parameterized)?Benchmark::new)\(\s*/g;
const benchmarkId = /BenchmarkId::(?:new\(\s*|from_parameter\()/y;
/** A string, or what makes one of it. Its length is bounded: what a name is put together of can be anything. */
const stringArgument = /(?:&\s*)?(?:String::from\(\s*)?(?<format>format!\(\s*)?"(?<text>[^"\\]{0,300})"/y;

/**
 * The line of the call that makes a benchmark called `NAME`, `GROUP/NAME` or `GROUP/NAME/VALUE`: `bench_function("NAME"`,
 * or one whose name is put together at run time (`format!("NAME {n}")`, `BenchmarkId::from_parameter`). The nearest above a
 * call that opens a group says which group it is of. Where no call can be told, the line that opens the group. Null where
 * several could be meant equally well, or none.
 *
 * @param id as Criterion prints it, without the bench's name
 * @param sources Rust files of benchmarks
 */
export function findCriterionLine(id: string, sources: readonly SourceText[]): SourceLocation | null {
  const parts = id.split('/');
  if (parts.length > maxParts) return null;
  // A name may hold slashes itself, so any of them may be the one behind the group.
  const splits = parts.map((_, at) => ({ group: parts.slice(0, at).join('/'), rest: parts.slice(at).join('/') }));
  const places = new Map<string, { readonly likeness: number; readonly place: SourceLocation }>();
  for (const { path, text } of sources) {
    const calls = callsOf(text);
    for (const { group, rest } of splits) {
      for (const { line, likeness } of likely(calls, group, rest)) {
        const key = JSON.stringify([path, line]);
        if (likeness > (places.get(key)?.likeness ?? 0)) places.set(key, { likeness, place: { file: path, line } });
      }
    }
  }
  const found = [...places.values()];
  const onlyOf = (wanted: number) => {
    const [first, ...others] = found.filter(({ likeness }) => likeness === wanted);
    return others.length === 0 ? first?.place : undefined;
  };
  const most = found.reduce((best, { likeness }) => Math.max(best, likeness), 0);
  return onlyOf(most) ?? (most < isWritten ? onlyOf(isGroup) : undefined) ?? null;
}

interface Call {
  readonly kind: 'group' | 'function';
  /** From 1, on which it begins. */
  readonly line: number;
  /** What it calls it: what is written of it, in order, with anything between. Undefined for what is not written. */
  readonly name: readonly string[] | undefined;
}

// How surely a call is meant: more than any name put together, which counts by the characters that are written of it.
const [inOpenedGroup, isWritten, isParameter, isGroup] = [4000, 2000, 2, 1];

/** Calls of a file that can make a benchmark `GROUP/REST`, each with how surely it does. */
function likely(calls: readonly Call[], group: string, rest: string): { line: number; likeness: number }[] {
  const isNamed = ({ name }: Call, text: string) => name !== undefined && isPutTogether(name, text);
  const hasGroup = group === '' || calls.some((call) => call.kind === 'group' && isNamed(call, group));
  if (!hasGroup) return [];
  let opened: Call | undefined;
  return calls.flatMap((call) => {
    if (call.kind === 'group') {
      opened = call;
      return group !== '' && isNamed(call, group) ? [{ line: call.line, likeness: isGroup }] : [];
    }
    const isOpened = group === '' ? opened === undefined : opened !== undefined && isNamed(opened, group);
    const bonus = isOpened ? inOpenedGroup : 0;
    if (call.name === undefined) return isOpened && group !== '' ? [{ line: call.line, likeness: isParameter }] : [];
    // The value of a parameter follows the name.
    if (
      !isPutTogether(call.name, rest) &&
      !isPutTogether([...call.name.slice(0, -1), `${call.name.at(-1)}/`, ''], rest)
    ) {
      return [];
    }
    if (call.name.length === 1) return [{ line: call.line, likeness: bonus + isWritten }];
    return isOpened ? [{ line: call.line, likeness: isParameter + call.name.join('').length }] : [];
  });
}

/** In the order of the text, whose lines are counted once. */
function callsOf(text: string): Call[] {
  const found = [
    ...[...text.matchAll(groupCall)].map((match) => ({ kind: 'group' as const, match })),
    ...[...text.matchAll(functionCall)].map((match) => ({ kind: 'function' as const, match })),
  ].sort((a, b) => a.match.index - b.match.index);
  let line = 1;
  let counted = 0;
  return found.map(({ kind, match: { 0: call, index } }) => {
    for (; counted < index; counted++) if (text[counted] === '\n') line += 1;
    return { kind, line, name: nameAt(text, index + call.length) };
  });
}

function nameAt(text: string, offset: number): readonly string[] | undefined {
  benchmarkId.lastIndex = offset;
  const id = benchmarkId.exec(text)?.[0];
  if (id?.includes('from_parameter') === true) return undefined;
  stringArgument.lastIndex = offset + (id?.length ?? 0);
  const { format, text: name = '' } = stringArgument.exec(text)?.groups ?? {};
  if (name === '') return undefined;
  return format === undefined ? [name] : name.split(/\{[^{}]*\}/);
}

/** Whether a text begins with the first piece, ends with the last, and has the others in between, in order. */
function isPutTogether(pieces: readonly string[], text: string): boolean {
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

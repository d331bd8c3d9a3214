// Bench: finds where a Criterion benchmark is written, by its id. Criterion does not print the place. Pure.

import { matchesParts } from '../common/glob.ts';
import type { SourceText } from '../plan/criterion-command.ts';
import type { SourceLocation } from './measurement.ts';

/** The most parts of an id. The guest prints the id, and each part adds to the search. */
const maxParts = 8;

const groupCall = /(?:\bbenchmark_group|\.bench)\(\s*/g;
const functionCall =
  /\b(?:bench_function|bench_with_input|bench_function_over_inputs|with_function|(?:Parameterized)?Benchmark::new)\(\s*/g;
const benchmarkId = /BenchmarkId::(?:new\(\s*|from_parameter\()/y;
/** A string literal of bounded length, or the `format!` of one. */
const stringArgument = /(?:&\s*)?(?:String::from\(\s*)?(?<format>format!\(\s*)?"(?<text>[^"\\]{0,300})"/y;

/**
 * Finds the call that makes a benchmark called `NAME`, `GROUP/NAME` or `GROUP/NAME/VALUE`: `bench_function("NAME"`, or
 * a call whose name is made at run time (`format!("NAME {n}")`, `BenchmarkId::from_parameter`). A call belongs to the
 * group opened last before it. If the call is ambiguous, the result is the line that opens the group; if that is
 * ambiguous too, null.
 *
 * @param id as Criterion prints it, without the bench's name
 * @param sources Rust files of benchmarks
 */
export function findCriterionLine(id: string, sources: readonly SourceText[]): SourceLocation | null {
  const parts = id.split('/');
  if (parts.length > maxParts) return null;
  // A name may contain slashes, so the group may end at any of them.
  const splits = parts.map((_, at) => ({ group: parts.slice(0, at).join('/'), rest: parts.slice(at).join('/') }));
  const places = new Map<string, { readonly fit: number; readonly place: SourceLocation }>();
  for (const { path, text } of sources) {
    const calls = callsOf(text);
    for (const { group, rest } of splits) {
      for (const { line, fit } of fitting(calls, group, rest)) {
        const key = JSON.stringify([path, line]);
        if (fit > (places.get(key)?.fit ?? 0)) places.set(key, { fit, place: { file: path, line } });
      }
    }
  }
  const found = [...places.values()];
  const onlyOf = (wanted: number) => {
    const [first, ...others] = found.filter(({ fit }) => fit === wanted);
    return others.length === 0 ? first?.place : undefined;
  };
  const most = found.reduce((best, { fit }) => Math.max(best, fit), 0);
  return onlyOf(most) ?? (most < isLiteral ? onlyOf(isGroup) : undefined) ?? null;
}

interface Call {
  readonly kind: 'group' | 'function';
  /** Line on which it begins, 1-based. */
  readonly line: number;
  /** The literal parts of the name it gives, in order, with anything between. Undefined if no part is literal. */
  readonly name: readonly string[] | undefined;
}

// How well a call fits. A name made at run time scores one for each literal character, up to 300.
const [inOpenedGroup, isLiteral, isParameter, isGroup] = [4000, 2000, 2, 1];

/** Calls of a file that can make a benchmark `GROUP/REST`, each with how well it fits. */
function fitting(calls: readonly Call[], group: string, rest: string): { line: number; fit: number }[] {
  const isNamed = ({ name }: Call, text: string) => name !== undefined && matchesParts(name, text);
  const hasGroup = group === '' || calls.some((call) => call.kind === 'group' && isNamed(call, group));
  if (!hasGroup) return [];
  let opened: Call | undefined;
  return calls.flatMap((call) => {
    if (call.kind === 'group') {
      opened = call;
      return group !== '' && isNamed(call, group) ? [{ line: call.line, fit: isGroup }] : [];
    }
    const isOpened = group === '' ? opened === undefined : opened !== undefined && isNamed(opened, group);
    const bonus = isOpened ? inOpenedGroup : 0;
    if (call.name === undefined) return isOpened && group !== '' ? [{ line: call.line, fit: isParameter }] : [];
    // A parameter's value may follow the name.
    if (
      !matchesParts(call.name, rest) &&
      !matchesParts([...call.name.slice(0, -1), `${call.name.at(-1)}/`, ''], rest)
    ) {
      return [];
    }
    if (call.name.length === 1) return [{ line: call.line, fit: bonus + isLiteral }];
    return isOpened ? [{ line: call.line, fit: isParameter + call.name.join('').length }] : [];
  });
}

/** Lists calls in text order. Lines are counted in one pass. */
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

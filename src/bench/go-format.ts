// Bench: what `go test -bench` prints, also with `-json`. Pure.
//
// A benchmark is known by its package and its name, which has the number of threads at its end. A result is the number
// of iterations and pairs of value and unit, behind tabs. What the benchmark itself prints can come before the name,
// and between the name and the result:
// https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md, `src/testing/benchmark.go`

import { z } from 'zod';
import { BenchError } from '../common/errors.ts';
import { joinParts } from './output.ts';
import { runItHint, type ToolFormat, type ToolResult } from './tool-format.ts';

interface GoLine {
  /** 1-based. */
  readonly number: number;
  readonly text: string;
}

/** Output in which one program's lines follow each other. */
interface GoStream {
  /** Empty if the output does not name it. */
  readonly package: string;
  readonly lines: readonly GoLine[];
}

interface GoResult extends GoLine {
  readonly package: string;
  /** Equal for the repetitions of one benchmark, which follow each other in the output of one program. */
  readonly series: number;
  readonly name: string;
  readonly values: readonly (readonly [value: number, unit: string])[];
}

export const go: ToolFormat = {
  isIn: (text) =>
    text.includes('Benchmark') && readStreams(text).some((stream) => readStream(stream).results.length > 0),
  parse: (text, file) => {
    const streams = readStreams(text);
    const lines = streams.flatMap((stream) => stream.lines);
    const failed = lines.map((line) => /^(?:Benchmark\S* *\t)?--- FAIL: Benchmark(\S+)/.exec(line.text)?.[1]);
    const name = failed.find((each) => each !== undefined);
    if (name !== undefined) throw new BenchError(`${file}: Go benchmark \`${name}\` failed`, { hint: runItHint });
    // A package that fails prints no results, or not all. Behind a pipe its exit code is lost.
    const end = lines.find(({ text }) => /^FAIL(?:\t|$)/.test(text));
    if (end !== undefined) {
      const said = end.text.replaceAll('\t', ' ').trim();
      throw new BenchError(`${file}: line ${end.number} says that \`go test\` failed: ${said}`, { hint: runItHint });
    }
    const directions = new Map(
      lines.map((line) => unitLine.exec(line.text) ?? []).map(([, unit, better]) => [unit, better]),
    );
    const read = streams.map(readStream);
    return {
      results: read.flatMap((own, stream) => own.results.flatMap((result) => toResults(result, stream, directions))),
      warnings: read.flatMap(({ unread }) =>
        unread.map(({ number, text }) => `line ${number} looks like a Go result: ${text.trim()}`),
      ),
    };
  },
};

const unitLine = /^Unit\s+(\S+)\s(?:.*\s)?better=(higher|lower)(?:\s|$)/;

type Directions = ReadonlyMap<string | undefined, string | undefined>;

function toResults(result: GoResult, stream: number, directions: Directions): ToolResult[] {
  const { number, series, name, values } = result;
  const benchmark = joinParts([result.package, name]);
  const hasDuration = values.some(([, unit]) => unit === 'ns/op');
  return values.flatMap(([value, unit]) => {
    const measure = toMeasure(unit, hasDuration);
    if (measure === undefined) return [];
    const direction = directions.get(unit) ?? (unit.endsWith('/s') ? 'higher' : 'lower');
    // A unit that Go itself prints keeps its direction.
    const better = measure === unit && direction === 'higher' ? 'higher' : undefined;
    // One program distinguishes its benchmarks, so that only `-count` makes it print a name again.
    return [{ benchmark, measure, value, better, at: `line ${number}`, repeats: `${stream}/${series}` }];
  });
}

/** @param hasDuration whether a rate follows from a duration next to it, which `ReportMetric(0, "ns/op")` leaves out */
function toMeasure(unit: string, hasDuration: boolean): string | undefined {
  if (unit === 'ns/op') return 'latency';
  if (unit === 'B/op') return 'allocated-bytes';
  if (unit === 'allocs/op') return 'allocations';
  return hasDuration && unit.endsWith('/s') ? undefined : unit;
}

const testEvent = z.object({ Action: z.string(), Package: z.string().default(''), Output: z.string().default('') });

/** Separates the packages of `go test -json`, whose events can be mixed. Other lines are a stream of their own. */
function readStreams(text: string): GoStream[] {
  const plain: GoLine[] = [];
  const packages = new Map<string, GoLine[]>();
  for (const [index, whole] of text.split('\n').entries()) {
    const number = index + 1;
    const event = readEvent(whole);
    if (event === undefined) {
      plain.push({ number, text: whole.replace(/\r$/, '') });
      continue;
    }
    const { Package, Output } = event;
    const lines = packages.get(Package) ?? [];
    packages.set(Package, lines);
    // An event can hold a part of a line, or several lines.
    for (const [at, part] of Output.split('\n').entries()) {
      const open = at === 0 ? lines.pop() : undefined;
      lines.push(open?.text ? { ...open, text: open.text + part } : { number, text: part });
    }
  }
  const named = [...packages].map(([name, lines]) => ({ package: name, lines }));
  return [{ package: '', lines: plain }, ...named];
}

function readEvent(line: string): z.infer<typeof testEvent> | undefined {
  if (!line.startsWith('{') || !line.includes('"Action":')) return undefined;
  try {
    return testEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** A name without a result so far. */
interface Pending extends GoLine {
  readonly name: string;
}

function readStream(stream: GoStream): { readonly results: readonly GoResult[]; readonly unread: readonly GoLine[] } {
  const results: GoResult[] = [];
  const unread: GoLine[] = [];
  let [own, series] = [stream.package, 0];
  let last: string | undefined;
  let pending: Pending | undefined;
  for (const line of stream.lines) {
    const [, name] = /^pkg: (\S+)$/.exec(line.text) ?? [];
    if (name !== undefined) {
      // Each program prints it before its results.
      own = name;
      last = undefined;
    }
    const begun = findName(line.text);
    if (begun !== undefined) {
      if (isUnread(pending)) unread.push(pending);
      pending = { ...line, name: begun };
    }
    const values = findValues(line.text);
    if (values === undefined) continue;
    if (pending === undefined) unread.push(line);
    else {
      if (pending.name !== last) series += 1;
      last = pending.name;
      results.push({ ...line, package: own, series, name: last, values });
    }
    pending = undefined;
  }
  if (isUnread(pending)) unread.push(pending);
  return { results, unread };
}

/** Whether a name came without its result. With `-v` it first stands alone on a line. */
function isUnread(pending: Pending | undefined): pending is Pending {
  return pending !== undefined && /\s/.test(pending.text);
}

/** Finds the name that stands before the first tab, behind what was printed before, or as the first word. */
function findName(line: string): string | undefined {
  const tab = line.indexOf('\t');
  const words = (tab === -1 ? line : line.slice(0, tab)).trimEnd().split(/\s/);
  const word = tab === -1 ? (isNameOrResult(words) ? words[0] : undefined) : words.at(-1);
  // The name of a function goes on with no lower-case letter: `Benchmarking` is a word.
  return /Benchmark([^\p{Ll}\s:]\S*)$/u.exec(word ?? '')?.[1];
}

/** Whether the words of a line without a tab are a name alone, or a name and a result. */
function isNameOrResult([name = '', iterations = '', ...others]: readonly string[]): boolean {
  return name.startsWith('Benchmark') && /^\d*$/.test(iterations) && (iterations === '') === (others.length === 0);
}

/** Finds the pairs that a line ends with, behind tabs and a number of iterations; or, behind a name, behind blanks. */
function findValues(line: string): GoResult['values'] | undefined {
  const pairs: (readonly [value: number, unit: string])[] = [];
  const fields = line.trimEnd().split('\t');
  if (fields.length === 1) {
    const [name = '', iterations = '', ...words] = line.trim().split(/\s+/);
    if (!name.startsWith('Benchmark') || !/^\d+$/.test(iterations) || words.length % 2 === 1) return undefined;
    const all = words.flatMap((word, at) => (at % 2 === 0 ? [toPair([word, words[at + 1]])] : []));
    return all.every((pair) => pair !== undefined) && all.length > 0 ? all : undefined;
  }
  for (let field = fields.pop(); field !== undefined; field = fields.pop()) {
    const pair = toPair(field.trim().split(/\s+/));
    if (pair === undefined) return pairs.length > 0 && /\d$/.test(field) ? pairs.reverse() : undefined;
    pairs.push(pair);
  }
  return undefined;
}

function toPair([number = '', unit, ...others]: readonly (string | undefined)[]):
  | readonly [number, string]
  | undefined {
  if (unit === undefined || others.length > 0 || /^\d+$/.test(unit)) return undefined;
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(number)) return [Number(number), unit];
  return /^(?:NaN|[+-]?Inf)$/.test(number) ? [Number.NaN, unit] : undefined;
}

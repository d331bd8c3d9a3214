// Bench: what benches of libtest, divan and gungraun print. Pure.
//
// What a benchmark itself prints can come between its name and its result.

import { z } from 'zod';
import { joinParts, type OutputLine, prefixOf, readLines } from './output.ts';
import { readJson } from './read-json.ts';
import { type ToolFormat, type ToolResult, toNanoseconds } from './tool-format.ts';

// Rust's `library/test/src/formatters/pretty.rs`, and the crate bencher: `test NAME ... bench: …`.
const libtestResult = /\bbench: +([\d,.]+) (ns|µs|ms|s)\/iter \(\+\/- [\d,.]+\)/;
// By `--format json`, `json.rs` next to it.
const libtestLine = /^\{ *"type": *"bench", .*\}$/;
const libtestDocument = z.object({ name: z.string().min(1), median: z.number() });

export const libtest: ToolFormat = {
  isIn: (text) =>
    text.includes('bench') &&
    readLibtest(text).some(({ line, name }) => name !== undefined || libtestLine.test(line.text)),
  parse: (text, file) => {
    const lines = readLibtest(text);
    const results = lines.flatMap(({ line, name, number, unit }): ToolResult[] => {
      if (libtestLine.test(line.text)) {
        const { name, median } = readJson(libtestDocument, line.text, file, 'libtest');
        return [toLatency(line, prefixOf(line, 'libtest') + name, median)];
      }
      if (name === undefined) return [];
      return [toLatency(line, prefixOf(line, 'libtest') + name, toNanoseconds(number, unit))];
    });
    const unread = lines.filter(
      ({ line, name }) => name === undefined && ['bench: ', '/iter '].every((part) => line.text.includes(part)),
    );
    return { results, warnings: unread.map(({ line }) => describeUnread(line, 'libtest')) };
  },
};

/** Reads lines of results, and all others without a name. */
function readLibtest(text: string) {
  let started: string | undefined;
  return readLines(text).map((line) => {
    const end = line.text.startsWith('test ') ? line.text.indexOf(' ... ') : -1;
    if (end !== -1) started = line.text.slice('test '.length, end).trim();
    const [, number = '', unit = ''] = libtestResult.exec(line.text) ?? [];
    const name = number === '' ? undefined : started;
    if (name !== undefined) started = undefined;
    return { line, name, number, unit };
  });
}

function toLatency({ number }: OutputLine, benchmark: string, value: number): ToolResult {
  return { benchmark, measure: 'latency', value, at: `line ${number}` };
}

function describeUnread({ number, text }: OutputLine, tool: string): string {
  return `line ${number} looks like a result of ${tool}: ${text.trim()}`;
}

// divan 0.1 `src/tree_painter.rs`: a tree, whose leaves have columns. The root is the bench target.
const divanHead = /^(\S+)\s+fastest\s+│ slowest\s+│ median\s+│ mean\s+│ samples\s+│ iters$/;
const divanRow = /^((?:[│ ] {2})*)[├╰]─ (\S.*)$/;
const divanTime = /([\d.]+) (ps|ns|µs|ms|s|m) *$/;
/** Longest part of a column that is read, in characters; a benchmark can print anything before the first. */
const maxColumn = 40;

export const divan: ToolFormat = {
  isIn: (text) => text.includes('fastest') && readLines(text).some(({ text: line }) => divanHead.test(line)),
  parse: (text) => {
    const warnings: string[] = [];
    let path: string[] = [];
    let isOpen = false;
    const results = readLines(text).flatMap((line): ToolResult[] => {
      const [, root] = divanHead.exec(line.text) ?? [];
      if (root !== undefined) {
        path = [root];
        return [];
      }
      const [, indent = '', rest = ''] = divanRow.exec(line.text) ?? [];
      const fastest = findFastest(line.text);
      if (rest !== '') {
        // Columns and what the benchmark prints are two blanks away from the name.
        const name = rest.split('│', 1)[0]?.trimEnd().split(/ {2}/, 1)[0] ?? '';
        path = [...path.slice(0, 1 + indent.length / 3), name];
        isOpen = true;
      }
      if (fastest === undefined) return [];
      if (!isOpen) {
        warnings.push(describeUnread(line, 'divan'));
        return [];
      }
      isOpen = false;
      return [toLatency(line, prefixOf(line, 'divan') + joinParts(path), fastest)];
    });
    return { results, warnings };
  },
};

/** The fastest sample of a line that ends with the columns of a result. */
function findFastest(line: string): number | undefined {
  const columns = line.split('│').map((column) => column.slice(-maxColumn));
  const [slowest = '', median = '', mean = '', samples = '', iterations = ''] = columns.slice(-5);
  if (columns.length < 6 || ![slowest, median, mean].every((each) => divanTime.test(each))) return undefined;
  if (![samples, iterations].every((each) => /^ \d+ *$/.test(each))) return undefined;
  const [, number, unit] = divanTime.exec(columns.at(-6) ?? '') ?? [];
  return number === undefined || unit === undefined ? undefined : toNanoseconds(number, unit);
}

// gungraun and iai-callgrind `summary.v6.schema.json`, by --output-format=json: one object a line.
const amount = z.union([z.object({ Int: z.number() }), z.object({ Float: z.number() })]);
const gungraunDocument = z.object({
  /** Begins with the bench target. */
  module_path: z.string(),
  id: z.string().nullable(),
  profiles: z.array(
    z.object({
      tool: z.string(),
      summaries: z.object({
        total: z.object({
          summary: z
            .record(z.string(), z.record(z.string(), z.object({ metrics: z.unknown() }).loose()))
            .or(z.string()),
        }),
      }),
    }),
  ),
});
const gungraunKey = '"module_path":';
/** What is computed from other events; hits and rates of hits are better if there are more. */
const derived = /(?:Rate|[Hh]its|TotalRW|EstimatedCycles)$/;

export const gungraun: ToolFormat = {
  isIn: (text) => text.includes(gungraunKey) && readLines(text).some(isGungraun),
  parse: (text, file) => ({
    warnings: [],
    results: readLines(text).flatMap((line): ToolResult[] => {
      if (!isGungraun(line)) return [];
      const { module_path, id, profiles } = readJson(gungraunDocument, line.text, file, 'gungraun');
      const benchmark = prefixOf(line, 'gungraun') + joinParts([module_path, ...(id === null ? [] : [id])]);
      return profiles.flatMap(({ tool, summaries: { total } }) =>
        Object.entries(typeof total.summary === 'string' ? {} : total.summary).flatMap(([kind, events]) =>
          Object.entries(events).flatMap(([event, { metrics }]): ToolResult[] => {
            const value = newest(metrics);
            if (value === undefined || derived.test(event)) return [];
            // Cachegrind has Callgrind's names for its own counts, and all that find errors have one name.
            const measure = ['Callgrind', 'Dhat'].includes(kind) ? event : `${tool.toLowerCase()}-${event}`;
            return [{ benchmark, measure, value, at: `line ${line.number}` }];
          }),
        ),
      );
    }),
  }),
};

function isGungraun({ text }: OutputLine): boolean {
  return text.startsWith('{') && text.endsWith('}') && text.includes(gungraunKey);
}

/** The new value of `{Left: new}` or `{Both: [new, old]}`. */
function newest(metrics: unknown): number | undefined {
  const side = z.union([z.object({ Left: amount }), z.object({ Both: z.tuple([amount, amount]) })]).safeParse(metrics);
  if (!side.success) return undefined;
  const own = 'Left' in side.data ? side.data.Left : side.data.Both[0];
  return 'Int' in own ? own.Int : own.Float;
}

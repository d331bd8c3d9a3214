// Bench: formats of results that benchmarks print, once a reading. Pure.
//
// Durations become `latency`, in nanoseconds, which are instructions under icount. Where a tool repeats a benchmark, the
// shortest duration counts, because timer ticks only add. Rates are left out: they follow from durations.

import { z } from 'zod';
import { BenchError } from '../common/errors.ts';
import { type PrintedFormat, printedFormats } from '../model/inputs.ts';
import { type BmfMetric, looksLikeBmf, parseBmf } from './bmf.ts';
import { maxResults, ownOutputHint } from './measurement.ts';

/** The next step where a benchmark failed. */
const runItHint = 'run the command in the project to see why';

interface ToolFormat {
  /** Whether the text holds a result of the tool. */
  readonly isIn: (text: string) => boolean;
  /** @throws BenchError when a result is damaged, or its benchmark failed */
  readonly parse: (text: string, file: string) => readonly BmfMetric[];
}

const nanoseconds: Readonly<Record<string, number>> = { ps: 1e-3, ns: 1, µs: 1e3, us: 1e3, ms: 1e6, s: 1e9 };

function toNumber(text: string): number {
  return Number(text.replaceAll(',', ''));
}

/** Matches of a pattern in whole lines, with their groups. */
function linesOf(text: string, pattern: RegExp): readonly Readonly<Record<string, string>>[] {
  return text.split('\n').flatMap((line) => {
    const groups = pattern.exec(line.trimEnd())?.groups;
    return groups === undefined ? [] : [groups];
  });
}

// https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md
const goResult = /^(?:Benchmark)(?<name>\S+)\s+\d+(?<values>(?:\s+\S+\s+[^\s\d]\S*)+)$/;
const goUnit = /^Unit\s+(?<unit>\S+)\s(?:.*\s)?better=higher(?:\s|$)/;
const go: ToolFormat = {
  isIn: (text) => linesOf(text, goResult).length > 0,
  parse: (text, file) => {
    const failed = linesOf(text, /^--- FAIL: Benchmark(?<name>\S+)/)[0];
    if (failed !== undefined) {
      throw new BenchError(`${file}: Go benchmark \`${failed.name}\` failed`, { hint: runItHint });
    }
    const higher = new Set(linesOf(text, goUnit).map(({ unit }) => unit));
    const results = goPackages(text);
    // Packages can have benchmarks of one name.
    const isOfSeveral = new Set(results.map((result) => result.inPackage)).size > 1;
    return results.flatMap(({ inPackage, name, values }) => {
      const parts = values.trim().split(/\s+/);
      const benchmark = isOfSeveral && inPackage !== '' ? `${inPackage}/${name}` : name;
      return parts.flatMap((unit, index): BmfMetric[] => {
        const measure = index % 2 === 1 ? goMeasure(unit) : undefined;
        if (measure === undefined) return [];
        // A unit that Go itself prints keeps its direction.
        const better = measure === unit && higher.has(unit) ? 'higher' : undefined;
        return [{ benchmark, measure, value: Number(parts[index - 1]), better }];
      });
    });
  },
};

/** Results with the package of the last line before them that names one; it is empty if none does. */
function goPackages(text: string) {
  let inPackage = '';
  return text.split('\n').flatMap((line) => {
    const whole = line.trimEnd();
    inPackage = /^pkg: (\S+)$/.exec(whole)?.[1] ?? inPackage;
    const { name = '', values = '' } = goResult.exec(whole)?.groups ?? {};
    return name === '' ? [] : [{ inPackage, name, values }];
  });
}

function goMeasure(unit: string): string | undefined {
  if (unit === 'ns/op') return 'latency';
  if (unit === 'B/op') return 'allocated-bytes';
  if (unit === 'allocs/op') return 'allocations';
  return unit.endsWith('/s') ? undefined : unit;
}

// Rust's `library/test/src/formatters/pretty.rs`.
const libtestResult =
  /^test (?<name>\S.*) \.\.\. bench: +(?<value>[\d,.]+) (?<unit>ns|µs|ms|s)\/iter \(\+\/- [\d,.]+\)/;
// By `--format json`, `json.rs` next to it.
const libtestLine = /^(?<json>\{ *"type": *"bench", .*\})$/;
const libtestDocument = z.object({ name: z.string().min(1), median: z.number() });
const libtest: ToolFormat = {
  isIn: (text) => [libtestResult, libtestLine].some((pattern) => linesOf(text, pattern).length > 0),
  parse: (text, file) => [
    ...linesOf(text, libtestResult).map(({ name = '', value = '', unit = '' }) => ({
      benchmark: name.trimEnd(),
      measure: 'latency',
      value: toNumber(value) * (nanoseconds[unit] ?? Number.NaN),
    })),
    ...linesOf(text, libtestLine).map(({ json = '' }) => {
      const { name, median } = readJson(libtestDocument, json, file, 'libtest');
      return { benchmark: name, measure: 'latency', value: median };
    }),
  ],
};

// divan 0.1 `src/tree_painter.rs`: a tree, whose leaves have columns.
const divanRow = /^(?<indent>(?:[│ ] {2})*)[├╰]─ (?<rest>\S.*)$/;
const divanFastest = / {2}(?<value>[\d.]+) (?<unit>ps|ns|µs|ms|s) /;
const divanHead = /^(?<name>\S+)\s+fastest\s+│ slowest\s+│ median\s+│ mean\s+│ samples\s+│ iters$/;
const divan: ToolFormat = {
  isIn: (text) => linesOf(text, divanHead).length > 0,
  parse: (text) => {
    const path: string[] = [];
    return text.split('\n').flatMap((line): BmfMetric[] => {
      const row = divanRow.exec(line.trimEnd())?.groups;
      if (row === undefined) return [];
      const { indent = '', rest = '' } = row;
      const fastest = divanFastest.exec(rest);
      // Separators of columns follow the name of an inner node.
      const [name = ''] = (fastest === null ? rest : rest.slice(0, fastest.index)).split('│');
      path.splice(indent.length / 3, Number.POSITIVE_INFINITY, name.trim());
      if (fastest === null) return [];
      const { value, unit = '' } = fastest.groups ?? {};
      return [
        { benchmark: path.join('/'), measure: 'latency', value: Number(value) * (nanoseconds[unit] ?? Number.NaN) },
      ];
    });
  },
};

// https://github.com/google/benchmark/blob/main/docs/tools.md, --benchmark_format=json
const googleDocument = z.object({
  context: z.object({ library_build_type: z.string() }),
  benchmarks: z.array(
    z.object({
      name: z.string().min(1),
      run_type: z.enum(['iteration', 'aggregate']).default('iteration'),
      real_time: z.number().optional(),
      time_unit: z.enum(['ns', 'us', 'ms', 's']).default('ns'),
      error_occurred: z.boolean().default(false),
      error_message: z.string().default(''),
    }),
  ),
});
const google: ToolFormat = {
  isIn: (text) => /"library_build_type":/.test(text) && findJson(text) !== undefined,
  parse: (text, file) =>
    readJson(googleDocument, text, file, 'Google Benchmark').benchmarks.flatMap((own): BmfMetric[] => {
      if (own.error_occurred) {
        throw new BenchError(`${file}: benchmark \`${own.name}\` failed: ${own.error_message}`, { hint: runItHint });
      }
      if (own.run_type === 'aggregate' || own.real_time === undefined) return [];
      const value = own.real_time * (nanoseconds[own.time_unit] ?? Number.NaN);
      return [{ benchmark: own.name, measure: 'latency', value }];
    }),
};

// hyperfine 1.20 `src/export/json.rs`; in seconds.
const hyperfineDocument = z.object({
  results: z.array(
    z.object({
      command: z.string().min(1),
      times: z.array(z.number()).min(1),
      exit_codes: z.array(z.number().nullable()),
    }),
  ),
});
const hyperfine: ToolFormat = {
  isIn: (text) => /"exit_codes":/.test(text) && findJson(text) !== undefined,
  parse: (text, file) =>
    readJson(hyperfineDocument, text, file, 'hyperfine').results.map(({ command, times }) => ({
      benchmark: command,
      measure: 'latency',
      value: Math.round(Math.min(...times) * 1e9),
    })),
};

// gungraun and iai-callgrind `summary.v6.schema.json`, by --output-format=json: one object a line.
const amount = z.union([z.object({ Int: z.number() }), z.object({ Float: z.number() })]);
const gungraunDocument = z.object({
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
const gungraunLine = /^(?<json>\{.*"module_path":.*\})$/;
/** What is computed from other events; hits and rates of hits are better if there are more. */
const derived = /(?:Rate|[Hh]its|TotalRW|EstimatedCycles)$/;
const gungraun: ToolFormat = {
  isIn: (text) => linesOf(text, gungraunLine).length > 0,
  parse: (text, file) =>
    linesOf(text, gungraunLine).flatMap(({ json = '' }) => {
      const { module_path, id, profiles } = readJson(gungraunDocument, json, file, 'gungraun');
      const benchmark = id === null ? module_path : `${module_path}/${id}`;
      return profiles.flatMap(({ summaries: { total } }) =>
        Object.values(typeof total.summary === 'string' ? {} : total.summary).flatMap((events) =>
          Object.entries(events).flatMap(([event, { metrics }]): BmfMetric[] => {
            const value = newest(metrics);
            return value === undefined || derived.test(event) ? [] : [{ benchmark, measure: event, value }];
          }),
        ),
      );
    }),
};

/** The new value of `{Left: new}` or `{Both: [new, old]}`. */
function newest(metrics: unknown): number | undefined {
  const side = z.union([z.object({ Left: amount }), z.object({ Both: z.tuple([amount, amount]) })]).safeParse(metrics);
  if (!side.success) return undefined;
  const own = 'Left' in side.data ? side.data.Left : side.data.Both[0];
  return 'Int' in own ? own.Int : own.Float;
}

const bmf: ToolFormat = { isIn: looksLikeBmf, parse: parseBmf };
const formats: Readonly<Record<PrintedFormat, ToolFormat>> = {
  bmf,
  go,
  libtest,
  divan,
  'google-benchmark': google,
  hyperfine,
  gungraun,
};

/** Finds the first format of which the text holds results. */
export function findPrintedFormat(text: string): PrintedFormat | undefined {
  return printedFormats.find((name) => formats[name].isIn(text));
}

/**
 * Parses printed results, each measure of a benchmark once.
 *
 * @param file names the text in errors
 * @throws BenchError when there is none, one is damaged or no number, a benchmark failed, or there are more than 20,000
 */
export function parsePrinted(format: PrintedFormat, text: string, file: string): readonly BmfMetric[] {
  if (format === 'bmf') return parseBmf(text, file);
  const found = new Map<string, BmfMetric>();
  for (const metric of formats[format].parse(text, file)) {
    const { benchmark, measure, value } = metric;
    if (!Number.isFinite(value) || value < 0) {
      throw new BenchError(`${file} printed a ${measure} of \`${benchmark}\` that is no number: ${value}`, {
        hint: runItHint,
      });
    }
    const key = JSON.stringify([benchmark, measure]);
    const known = found.get(key);
    if (known === undefined || (measure === 'latency' ? value < known.value : value > known.value)) {
      found.set(key, metric);
    }
    if (found.size > maxResults) {
      throw new BenchError(`${file} printed more than ${maxResults} results`, { hint: 'make several [[bench]] of it' });
    }
  }
  if (found.size === 0) {
    throw new BenchError(`${file} printed no results of format ${format}`, {
      hint: 'set `format` to what the command prints, or `format = "none"`',
    });
  }
  return [...found.values()];
}

/** Finds the JSON document in the text: lines from one that is `{` or begins so, to the last `}`. */
function findJson(text: string): string | undefined {
  const start = /^\{/m.exec(text)?.index;
  const end = text.lastIndexOf('}');
  return start === undefined || end < start ? undefined : text.slice(start, end + 1);
}

function readJson<T>(schema: z.ZodType<T>, text: string, file: string, tool: string): T {
  try {
    return schema.parse(JSON.parse(findJson(text) ?? ''));
  } catch (cause) {
    const [issue] = cause instanceof z.ZodError ? cause.issues : [];
    const why = issue === undefined ? 'it is cut or no JSON' : `\`${issue.path.join('.')}\`: ${issue.message}`;
    throw new BenchError(`${file} printed damaged results of ${tool}: ${why}`, { cause, hint: ownOutputHint });
  }
}

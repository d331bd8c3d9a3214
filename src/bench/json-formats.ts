// Bench: the JSON documents of Google Benchmark and hyperfine. Pure.

import { z } from 'zod';
import { BenchError } from '../common/errors.ts';
import { findObjects, joinParts } from './output.ts';
import { readJson } from './read-json.ts';
import { runItHint, type ToolFormat, type ToolResult, toNanoseconds } from './tool-format.ts';

// https://github.com/google/benchmark/blob/main/docs/tools.md, --benchmark_format=json, and its `src/json_reporter.cc`
const googleRun = z
  .object({
    name: z.string().min(1),
    run_name: z.string().min(1).optional(),
    run_type: z.enum(['iteration', 'aggregate']).default('iteration'),
    aggregate_name: z.string().default(''),
    family_index: z.number().optional(),
    per_family_instance_index: z.number().optional(),
    repetitions: z.number().default(1),
    real_time: z.number().optional(),
    time_unit: z.enum(['ns', 'us', 'ms', 's']).default('ns'),
    skipped: z.boolean().default(false),
    error_occurred: z.boolean().default(false),
    error_message: z.string().default(''),
  })
  .loose();
type GoogleRun = z.infer<typeof googleRun>;
const googleDocument = z.object({
  context: z.object({ executable: z.string().default('') }),
  benchmarks: z.array(googleRun),
});
/** What a benchmark prints stands within the document. */
const googleHint =
  'let no benchmark write to stdout, or print the file of `--benchmark_out=FILE --benchmark_out_format=json`';
/** A key of every document. */
const googleKey = '"library_build_type":';

export const google: ToolFormat = {
  isIn: (text) => text.includes(googleKey) && text.includes('{'),
  parse: (text, file) => {
    const documents = findObjects(text, (json) => (isDocument(json, googleKey) ? withoutNonNumbers(json) : undefined));
    // Each key without a document is of a damaged one, which throws.
    const damaged = documents.length < text.split(googleKey).length - 1 ? [text] : [];
    const read = [...documents, ...damaged].map((json) =>
      readJson(googleDocument, json, file, 'Google Benchmark', googleHint),
    );
    const failed = read.flatMap(({ benchmarks }) => benchmarks).find((run) => run.error_occurred);
    if (failed !== undefined) {
      throw new BenchError(`${file}: benchmark \`${failed.name}\` failed: ${failed.error_message}`, {
        hint: runItHint,
      });
    }
    return {
      results: read.flatMap(({ context, benchmarks }, index) =>
        toResults(benchmarks, context.executable.replace(/^.*\//, ''), `${index + 1}`),
      ),
      warnings: read.flatMap(({ benchmarks }) => benchmarks.flatMap(describeNoNumbers)),
    };
  },
};

function toResults(runs: readonly GoogleRun[], executable: string, document: string): ToolResult[] {
  const nameOf = ({ name, run_name = name }: GoogleRun) => run_name;
  const measured = new Set(runs.filter(({ run_type }) => run_type === 'iteration').map(nameOf));
  return runs.flatMap((run, index): ToolResult[] => {
    const { real_time, time_unit, run_type, aggregate_name, skipped, repetitions } = run;
    // Of repetitions that were only summed up, the median stands for all.
    const isRead = run_type === 'iteration' || (aggregate_name === 'median' && !measured.has(nameOf(run)));
    if (!isRead || skipped || real_time === undefined) return [];
    const family = JSON.stringify([document, run.family_index, run.per_family_instance_index]);
    return [
      {
        benchmark: joinParts([executable, nameOf(run)]),
        measure: 'latency',
        value: toNanoseconds(`${real_time}`, time_unit),
        at: `result ${index + 1} of document ${document}`,
        ...(repetitions > 1 ? { repeats: family } : {}),
      },
    ];
  });
}

/** Google Benchmark prints NaN and Infinity, which JSON has not. It prints no null. */
function withoutNonNumbers(json: string): string {
  return json.replace(/"(?:[^"\\\n]|\\.)*"?|-?\b(?:NaN|Infinity)\b/g, (found) =>
    found.startsWith('"') ? found : 'null',
  );
}

function describeNoNumbers({ name, run_type, ...run }: GoogleRun): string[] {
  if (run_type === 'aggregate') return [];
  return Object.entries(run).flatMap(([counter, value]) =>
    value === null ? [`counter \`${counter}\` of \`${name}\` is no number and is left out`] : [],
  );
}

// hyperfine 1.20 `src/export/json.rs`; in seconds.
const hyperfineDocument = z.object({
  results: z.array(
    z.object({
      command: z.string().min(1),
      times: z.array(z.number()).min(1),
      parameters: z.record(z.string(), z.coerce.string()).default({}),
    }),
  ),
});
const hyperfineKey = '"exit_codes":';

export const hyperfine: ToolFormat = {
  isIn: (text) => text.includes(hyperfineKey) && text.includes('{'),
  parse: (text, file) => {
    const documents = findObjects(text, (json) => (isDocument(json, hyperfineKey) ? json : undefined));
    const found = documents.length === 0 ? [text] : documents;
    const read = found.map((json) => readJson(hyperfineDocument, json, file, 'hyperfine'));
    const results = read.flatMap(({ results: own }, document) =>
      own.map(({ command, times, parameters }, index) => ({
        benchmark: `${command}${describeParameters(parameters)}`,
        measure: 'latency',
        value: Math.round(Math.min(...times) * 1e9),
        at: `result ${index + 1} of document ${document + 1}`,
      })),
    );
    return { results, warnings: [] };
  },
};

/** Writes parameters as hyperfine does behind a command that does not hold them: ` (maps = 10)`. */
function describeParameters(parameters: Readonly<Record<string, string>>): string {
  const entries = Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? '' : ` (${entries.map(([name, value]) => `${name} = ${value}`).join(', ')})`;
}

/** Whether a text is a JSON object with a tool's key in it. */
function isDocument(text: string, key: string): boolean {
  if (!text.includes(key)) return false;
  try {
    JSON.parse(withoutNonNumbers(text));
    return true;
  } catch {
    return false;
  }
}

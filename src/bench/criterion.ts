// Bench: output of `cargo criterion --message-format=json`, and results that Criterion's benches save without it.

import { z } from 'zod';
import { BenchError } from '../common/errors.ts';
import { maxResults, ownOutputHint, type Sample } from './measurement.ts';

export interface CriterionBenchmark {
  /** `group/function/value`, as criterion names it. */
  readonly id: string;
  /** Iterations and their total in nanoseconds, which are instructions under icount. */
  readonly samples: readonly Sample[];
}

// cargo-criterion 1.1.0 `src/message_formats/json.rs`; its own estimates are not needed.
const benchmarkComplete = z.object({
  id: z.string().min(1),
  iteration_count: z.array(z.number().int().positive()).min(1),
  measured_values: z.array(z.number().nonnegative()).min(1),
  unit: z.string(),
});

// Criterion 0.3 to 0.8 `src/lib.rs`, `SavedSample`, and `src/report.rs`, `BenchmarkId`; nanoseconds, whatever the size.
const benchmarkSaved = z
  .object({
    benchmark: z.object({ full_id: z.string() }),
    sample: z.object({ iters: z.array(z.unknown()), times: z.array(z.unknown()) }),
  })
  .transform(({ benchmark, sample }) => ({
    id: benchmark.full_id,
    iteration_count: sample.iters,
    measured_values: sample.times,
    unit: knownUnit,
  }))
  .pipe(benchmarkComplete);

const messages = { 'benchmark-complete': benchmarkComplete, 'benchmark-saved': benchmarkSaved };

/** The unit that cargo-criterion prints for wall-clock time, whatever its size. */
const knownUnit = 'ns';

/** Whether any line is a message of a finished benchmark, complete or cut short. */
export function looksLikeCriterion(text: string): boolean {
  // Blanks within one line only: if newlines matched too, empty lines would take quadratic time.
  return /^[^\S\n]*\{"reason":\s*"benchmark-(?:complete|saved)"/m.test(text);
}

/**
 * Parses the messages of finished benchmarks. Other lines may stand between them.
 *
 * @param file names the text in errors, with the line
 * @returns the benchmarks in the order they finished; none when the text has no message of a finished benchmark
 * @throws BenchError when a message is cut short or wrong, an id comes twice, or there are more than 20,000
 */
export function parseCriterion(text: string, file: string): readonly CriterionBenchmark[] {
  const lines = new Map<string, number>();
  const benchmarks: CriterionBenchmark[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.trimStart().startsWith('{"reason"')) continue;
    const where = `${file}:${index + 1}`;
    const message = parseMessage(line, where);
    if (message.reason !== 'benchmark-complete' && message.reason !== 'benchmark-saved') continue;
    const benchmark = toBenchmark(message, messages[message.reason], where);
    const first = lines.get(benchmark.id);
    if (first !== undefined) {
      throw new BenchError(`${where}: criterion benchmark \`${benchmark.id}\` came twice, first at line ${first}`, {
        hint: 'give each benchmark an id of its own, or select one target with --bench NAME',
      });
    }
    if (lines.size === maxResults) {
      throw new BenchError(`${file} printed more than ${maxResults} results`, { hint: 'make several [[bench]] of it' });
    }
    lines.set(benchmark.id, index + 1);
    benchmarks.push(benchmark);
  }
  return benchmarks;
}

function parseMessage(line: string, where: string): { readonly reason: unknown } {
  try {
    return JSON.parse(line) as { readonly reason: unknown };
  } catch (cause) {
    throw new BenchError(`${where}: cut or broken criterion message: ${line.trim().slice(0, 80)}`, {
      cause,
      hint: ownOutputHint,
    });
  }
}

function toBenchmark(
  message: unknown,
  schema: (typeof messages)[keyof typeof messages],
  where: string,
): CriterionBenchmark {
  const parsed = schema.safeParse(message);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const key = issue?.path.join('.') ?? '';
    throw new BenchError(`${where}: criterion message with a bad \`${key}\`: ${issue?.message}`, {
      cause: parsed.error,
      hint: ownOutputHint,
    });
  }
  const { id, iteration_count: counts, measured_values: totals, unit } = parsed.data;
  if (unit !== knownUnit) {
    throw new BenchError(
      `${where}: criterion benchmark \`${id}\` is measured in \`${unit}\`, not in \`${knownUnit}\``,
      {
        hint: "use criterion's default measurement, wall-clock time",
      },
    );
  }
  if (counts.length !== totals.length) {
    throw new BenchError(
      `${where}: criterion benchmark \`${id}\` has ${counts.length} iteration counts for ${totals.length} totals`,
      { hint: ownOutputHint },
    );
  }
  return { id, samples: counts.map((count, index) => ({ count, total: totals[index] ?? 0 })) };
}

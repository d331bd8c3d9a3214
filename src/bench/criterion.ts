// Bench: output of `cargo criterion --message-format=json`, and results that Criterion's benches save without it.

import { z } from 'zod';
import { BenchError } from '../common/errors.ts';
import { maxResults, ownOutputHint, type Sample } from './measurement.ts';
import { type OutputLine, prefixOf, readLines } from './output.ts';

export interface CriterionBenchmark {
  /** `group/function/value`, as Criterion names it, behind the package and bench target where several are known. */
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
  // Blanks only: `^` matches behind each carriage return, so that a run of these would take quadratic time.
  return /^[ \t]*\{"reason":\s*"benchmark-(?:complete|saved)"/m.test(text);
}

/**
 * Parses the messages of finished benchmarks. Other lines may stand between them.
 *
 * @param file names the text in errors, with the line
 * @returns the benchmarks in the order they finished; none when the text has no message of a finished benchmark
 * @throws BenchError when a message is cut short or wrong, an id comes twice, or there are more than 20,000
 */
export function parseCriterion(text: string, file: string): readonly CriterionBenchmark[] {
  if (!text.includes('"reason"')) return [];
  const places = new Map<string, number>();
  const benchmarks: CriterionBenchmark[] = [];
  const lines = readLines(text);
  let isSaved = false;
  for (const line of lines) {
    if (!line.text.trimStart().startsWith('{"reason"')) continue;
    const where = `${file}:${line.number}`;
    const message = parseMessage(line.text, where);
    if (message.reason !== 'benchmark-complete' && message.reason !== 'benchmark-saved') continue;
    isSaved ||= message.reason === 'benchmark-saved';
    const own = toBenchmark(message, messages[message.reason], where);
    const benchmark = { ...own, id: prefixOf(line, 'criterion') + own.id };
    // cargo-criterion numbers what comes again, in the order of the targets.
    const first = places.get(benchmark.id) ?? places.get(benchmark.id.replace(/ #\d+$/, ''));
    if (first !== undefined) {
      throw new BenchError(`${where}: criterion benchmark \`${benchmark.id}\` came twice, first at line ${first}`, {
        hint: twiceHint,
      });
    }
    if (places.size === maxResults) {
      throw new BenchError(`${file} printed more than ${maxResults} results`, { hint: 'make several [[bench]] of it' });
    }
    places.set(benchmark.id, line.number);
    benchmarks.push(benchmark);
  }
  if (isSaved) checkSaved(lines, benchmarks.length, file);
  return benchmarks;
}

const twiceHint =
  'give each benchmark an id of its own, or make a [[bench]] of each target with `cargo bench --bench NAME`';

/** @throws BenchError when targets printed a result each, and saved them in one place, where the last one is left */
function checkSaved(lines: readonly OutputLine[], saved: number, file: string): void {
  const own = lines.flatMap(({ text }, index) => {
    const at = text.indexOf('time:   [');
    // With a throughput there is one more such line, with percents: by how much the time changed.
    if (at === -1 || text.includes('%', at)) return [];
    // A long id stands on a line of its own.
    return [text.slice(0, at).trim() || (lines[index - 1]?.text.trim() ?? '')];
  });
  // Those of `--output-format bencher` look like libtest's, which are saved nowhere.
  const ofBencher = lines.filter(({ text }) => text.startsWith('test ') && text.includes('/iter (+/- '));
  const ids = own.length > 0 ? own : ofBencher.map(({ text }) => text.slice(5, text.indexOf(' ... ')));
  if (ids.length <= saved) return;
  const seen = new Set<string>();
  const twice = ids.find((id) => seen.size === seen.add(id).size);
  const which = twice === undefined ? '' : `: \`${twice}\``;
  throw new BenchError(
    `${file} has ${ids.length} criterion results, of which ${saved} are saved; ` +
      `targets have benchmarks of one id${which}`,
    { hint: twiceHint },
  );
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

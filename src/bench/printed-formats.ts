// Bench: formats of results that benchmarks print, once a reading. Pure.
//
// Durations become `latency`, in nanoseconds, which are instructions under icount. Where a tool says that it repeats a
// benchmark, the shortest duration counts, because timer ticks only add. Rates next to it are left out: they follow.
//
// A benchmark is named by all that its tool distinguishes it by, whatever else was printed, so that a name is the same
// in base and head. Two results of one name are an error: which of them the other revision's belongs to is not known.

import { BenchError } from '../common/errors.ts';
import { type BenchFormat, type PrintedFormat, printedFormats } from '../model/inputs.ts';
import { type BmfMetric, isAmount, looksLikeBmf, parseBmf } from './bmf.ts';
import { looksLikeCriterion } from './criterion.ts';
import { go } from './go-format.ts';
import { google, hyperfine } from './json-formats.ts';
import { maxResults } from './measurement.ts';
import { divan, gungraun, libtest } from './rust-formats.ts';
import { runItHint, type ToolFormat, type ToolResult } from './tool-format.ts';

const bmf: ToolFormat = {
  isIn: looksLikeBmf,
  parse: (text, file) => ({
    results: parseBmf(text, file).map((metric) => ({ ...metric, at: 'its object' })),
    warnings: [],
  }),
};
const formats: Readonly<Record<PrintedFormat, ToolFormat>> = {
  bmf,
  go,
  libtest,
  divan,
  'google-benchmark': google,
  hyperfine,
  gungraun,
};

/** Finds the formats of which the text holds results. */
export function findPrintedFormats(text: string): PrintedFormat[] {
  return printedFormats.filter((name) => formats[name].isIn(text));
}

/** Whether the text holds results of a format. */
export function holdsResults(format: BenchFormat, text: string): boolean {
  if (format === 'none') return false;
  return format === 'criterion' ? looksLikeCriterion(text) : formats[format].isIn(text);
}

export interface Printed {
  readonly metrics: readonly BmfMetric[];
  /** What was not read, without the bench's name; at most `maxWarnings`. */
  readonly warnings: readonly string[];
}

/** Warnings of one reading; the last says how many more there are. */
const maxWarnings = 3;
/** Longest warning, in characters. */
const maxWarning = 200;

/**
 * Parses printed results, each measure of a benchmark once.
 *
 * @param file names the text in errors
 * @throws BenchError when there is none, one is damaged, two have one name, a latency is no number, a benchmark failed,
 * or there are more than 20,000
 */
export function parsePrinted(format: PrintedFormat, text: string, file: string): Printed {
  const { results, warnings } = formats[format].parse(text, file);
  const found = new Map<string, ToolResult>();
  const left: string[] = [];
  for (const result of results) {
    const { benchmark, measure, value, at } = result;
    if (!Number.isFinite(value) && measure !== 'latency') {
      left.push(`${measure} of \`${benchmark}\` is no number and is left out (${at})`);
      continue;
    }
    if (!Number.isFinite(value) || (value < 0 && isAmount(measure))) {
      const why = value < 0 ? 'negative' : 'no number';
      throw new BenchError(`${file} printed a ${measure} of \`${benchmark}\` that is ${why}: ${value}`, {
        hint: runItHint,
      });
    }
    const key = JSON.stringify([benchmark, measure]);
    const known = found.get(key);
    if (known !== undefined && (known.repeats === undefined || known.repeats !== result.repeats)) {
      throw new BenchError(`${file} printed ${measure} of \`${benchmark}\` twice: ${known.at} and ${at}`, {
        hint: 'give each benchmark a name of its own, or make a [[bench]] of each program that prints it',
      });
    }
    if (known === undefined || (measure === 'latency' ? value < known.value : value > known.value)) {
      found.set(key, result);
    }
    if (found.size > maxResults) {
      throw new BenchError(`${file} printed more than ${maxResults} results`, { hint: 'make several [[bench]] of it' });
    }
  }
  const all = [...warnings, ...left].map((warning) => warning.slice(0, maxWarning));
  const more = all.length - maxWarnings;
  if (found.size === 0) {
    throw new BenchError([`${file} printed no results of format ${format}`, ...all.slice(0, 1)].join('; '), {
      hint: 'set `format` to what the command prints, or `format = "none"`',
    });
  }
  return {
    metrics: [...found.values()].map(({ benchmark, measure, value, better }) => ({
      benchmark,
      measure,
      value,
      better,
    })),
    warnings: more > 0 ? [...all.slice(0, maxWarnings), `${more} more such warnings`] : all,
  };
}

// Bench: Bencher Metric Format, version 0: {benchmark: {measure: {value, lower_value?, upper_value?}}}.

import { z } from 'zod';
import { BenchError } from '../common/errors.ts';
import { findDuplicateKey } from './json-keys.ts';
import { maxResults } from './measurement.ts';
import { findObjects } from './output.ts';

export interface BmfMetric {
  readonly benchmark: string;
  /** `latency` is in nanoseconds, which are instructions under icount. */
  readonly measure: string;
  readonly value: number;
  /** Set if the output says that higher is better. Default: as the measure's name says. */
  readonly better?: 'higher' | undefined;
}

const metric = z.strictObject({
  value: z.number(),
  lower_value: z.number().nullish(),
  upper_value: z.number().nullish(),
});
const document = z.record(z.string().min(1), z.record(z.string().min(1), metric));

const example = '{"my_benchmark": {"latency": {"value": 123}}}';
const hint = `print one Bencher Metric Format object to stdout, such as ${example}`;

/** Whether the text holds a Bencher Metric Format object, right or slightly wrong. */
export function looksLikeBmf(text: string): boolean {
  return findObjects(text, readDocument).length > 0;
}

/**
 * Parses the object in the text. Other output may stand before and after it, on lines of its own.
 *
 * @param file names the text in errors: the bench, the revision
 * @throws BenchError when there is no such object, more than one, or one with a wrong or repeated key or value, or with
 * more than 20,000 values
 */
export function parseBmf(text: string, file: string): readonly BmfMetric[] {
  if (text.trim() === '') throw new BenchError(`${file} printed nothing`, { hint });
  const documents = findObjects(text, readDocument);
  const json = documents[0];
  if (json === undefined) {
    throw new BenchError(`${file} printed no Bencher Metric Format; its output ends with: ${text.trim().slice(-200)}`, {
      hint: /\b(NaN|Infinity)\b/.test(text) ? 'JSON has no NaN and no Infinity: leave out what has no value' : hint,
    });
  }
  if (documents.length > 1) {
    throw new BenchError(`${file} printed ${documents.length} Bencher Metric Format objects`, {
      hint: 'print one that holds all, or make each a [[bench]] of its own',
    });
  }
  const duplicate = findDuplicateKey(json);
  if (duplicate !== null) {
    throw new BenchError(`${file} printed \`${duplicate}\` twice`, { hint: 'give each a name of its own' });
  }
  const value: unknown = JSON.parse(json);
  // Counted before validation: an output of 8 MiB can hold half a million results.
  const count = Object.values(value as object).reduce<number>((sum, own) => sum + Object.keys(own ?? {}).length, 0);
  if (count > maxResults) {
    throw new BenchError(`${file} printed ${count} results, more than ${maxResults}`, {
      hint: 'make several [[bench]] of it',
    });
  }
  const parsed = document.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const keys = issue?.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys] : (issue?.path ?? []);
    throw new BenchError(`${file} printed a bad \`${keys.join('.')}\`: ${issue?.message}`, {
      cause: parsed.error,
      hint,
    });
  }
  const metrics = Object.entries(parsed.data).flatMap(([benchmark, measures]) =>
    Object.entries(measures).map(([measure, { value }]) => ({ benchmark, measure, value })),
  );
  const negative = metrics.find(({ measure, value }) => isAmount(measure) && value < 0);
  if (negative !== undefined) {
    const { benchmark, measure, value } = negative;
    throw new BenchError(`${file} printed a negative \`${benchmark}.${measure}.value\`: ${value}`, {
      hint: 'a latency, a size or a count cannot be less than 0; print a difference under another measure',
    });
  }
  return metrics;
}

/** Whether the measure cannot be negative. */
export function isAmount(measure: string): boolean {
  return unitOf(measure) !== measure;
}

/** Whether it is `latency` or one of several, such as `net-latency`. */
function isLatency(measure: string): boolean {
  return /(^|-)latency$/.test(measure);
}

type Measure = Pick<BmfMetric, 'measure' | 'better'>;

/** Whether higher is better, as the output or the measure's name says. */
export function isBetterHigher({ measure, better }: Measure): boolean {
  return better === 'higher' || isThroughput(measure);
}

/** Whether it is `throughput` or one of several, such as `net-throughput`. */
function isThroughput(measure: string): boolean {
  return /(^|-)throughput$/.test(measure);
}

/** Whether a timer tick inside the benchmark makes the measure worse, as it does a rate. A tick never makes it better. */
export function isTimed({ measure, better }: Measure): boolean {
  return isLatency(measure) || isThroughput(measure) || (better === 'higher' && measure.endsWith('/s'));
}

/**
 * The unit of a measure. The format has no units, so a size names its own at the end: `peak-bytes`, `total-blocks`. A
 * latency is in nanoseconds, which are instructions under icount. Any other measure is its own unit.
 */
export function unitOf(measure: string): string {
  if (isLatency(measure)) return 'instructions';
  return /-(bytes|blocks)$/.exec(measure)?.[1] ?? measure;
}

/** @returns an object of objects, at least one of which holds an object. A slightly wrong document still is one. */
function readDocument(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isObject(value) &&
    Object.keys(value).length > 0 &&
    Object.values(value).every(isObject) &&
    Object.values(value).some((measures) => isObject(measures) && Object.values(measures).some(isObject))
    ? text
    : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

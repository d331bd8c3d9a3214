// Report: writes and reads results.json.

import { z } from 'zod';
import { keyOf } from '../bench/measurement.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { InputError } from '../common/errors.ts';
import { acceptCosts } from './accept.ts';
import { findFindings } from './findings.ts';
import { toPlainJson, toPlainLine } from './plain-text.ts';
import { itemSchemas, type Results, resultsSchema, resultsSchemaName } from './results.ts';

/** The JSON Schema of results.json, as text that ends in a newline. */
export function formatResultsJsonSchema(): string {
  const schema = z.toJSONSchema(resultsSchema, { io: 'input', target: 'draft-2020-12' });
  return `${JSON.stringify({ title: resultsSchemaName, ...schema }, null, 2)}\n`;
}

/** Text of results.json. Anything outside the schema, such as a local path, is left out. */
export function serializeResults(results: Results): string {
  const findings = findFindings(results);
  return `${toPlainJson(resultsSchema.parse({ ...results, findings }), 2)}\n`;
}

/**
 * Reads a result file, which may come from anybody.
 *
 * @param file its name in messages
 * @throws InputError when it is not JSON, of another schema version, or not of the schema's shape
 */
export function parseResults(text: string, file: string): Results {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new InputError(`\`${file}\` is not JSON`, { cause, hint: 'give a results.json that `bpfgate run` wrote' });
  }
  const schema = typeof json === 'object' && json !== null && 'schema' in json ? json.schema : undefined;
  if (schema !== resultsSchemaName) {
    throw new InputError(
      schema === undefined
        ? `\`${file}\` is not a result file of bpfgate: it has no \`schema\``
        : `\`${file}\` has ${typeof schema === 'string' ? `schema ${JSON.stringify(clipMiddle(schema, 60))}` : 'a schema that is no text'}, but this bpfgate reads "${resultsSchemaName}"`,
      { hint: 'give a results.json written by the same version of bpfgate' },
    );
  }
  // A file's own findings and marks are not used: its comparisons and its lines decide.
  const { findings: _, ...document } = json as Readonly<Record<string, unknown>>;
  const { findings: __, ...results } = checkDocument(document, file);
  requireShortTexts(results, file, []);
  requireKnownKernels(results, file);
  requireDistinctNames(results, file);
  requireShowable(results, file);
  return { ...results, comparisons: acceptCosts(results) };
}

function refuse(file: string, what: string, hint = 'regenerate the file with bpfgate', cause?: unknown): never {
  throw new InputError(`\`${file}\` is not a valid result file: ${what}`, { hint, cause });
}

/** Longest text, in UTF-16 units: the texts of a report are processed many times. */
export const maxText = 256 * 1024;

/** @throws InputError naming a text that is longer than any that bpfgate writes */
function requireShortTexts(value: unknown, file: string, path: readonly string[]): void {
  if (typeof value === 'string' && value.length > maxText) {
    const place = clipMiddle(toPlainLine(formatPath(path)), 300);
    refuse(file, `\`${place}\` has ${value.length} characters, more than ${maxText}`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    requireShortTexts(key, file, path);
    requireShortTexts(item, file, [...path, key]);
  }
}

/** The most measurements, comparisons, gaps or profiles of a file, and of what files are joined to. */
const maxItems = 250_000;
/** The most kernels: as many as a matrix has jobs. */
const maxKernels = 256;
/** The most parts of one measurement, comparison or kernel: samples, warnings, lines of a log, versions of tools. */
const maxParts = 20_000;
/** The most cells of a report's table: benchmarks' measures times kernels. 3000 benchmarks on 12 kernels are 36,000. */
const maxCells = 100_000;
/** Wrong items of a list after which no other is checked. */
const maxWrong = 10;
const tooMuch =
  'measure fewer benchmarks, or fewer kernels, in one run: projects of one repository can have a run each';

const mostOf = (key: string) => (key === 'kernels' ? maxKernels : maxItems);

/**
 * Checks a document whose `schema` is right. The lists are read item by item, up to a few wrong ones: a check of the
 * whole would report every fault, of which 64 MiB can hold millions.
 *
 * @throws InputError when it is not of the schema's shape, or there is more of anything than a run can leave
 */
function checkDocument(json: Readonly<Record<string, unknown>>, file: string): z.infer<typeof resultsSchema> {
  const lists = Object.entries(itemSchemas).filter(([key]) => Array.isArray(json[key]));
  const rest = { ...json, ...Object.fromEntries(lists.map(([key]) => [key, []])) };
  const read: Record<string, unknown[]> = {};
  for (const [key, schema] of lists) {
    const items = json[key] as readonly unknown[];
    if (items.length > mostOf(key)) refuse(file, `it has ${items.length} ${key}, more than ${mostOf(key)}`, tooMuch);
    const good: unknown[] = [];
    let wrong = 0;
    for (const [index, item] of items.entries()) {
      if (sizeOf(item) > maxParts) refuse(file, `one of its ${key} has more than ${maxParts} parts`, tooMuch);
      const parsed = schema.safeParse(item);
      if (parsed.success) good.push(parsed.data);
      else wrong += 1;
      if (wrong < maxWrong && (wrong === 0 || index < items.length - 1)) continue;
      if (wrong > 0) parseDocument({ ...rest, [key]: items.slice(0, index + 1) }, file);
    }
    read[key] = good;
  }
  if (sizeOf(json.revisions) > maxParts) refuse(file, `its revisions have more than ${maxParts} parts`, tooMuch);
  return { ...parseDocument(rest, file), ...read };
}

function parseDocument(document: unknown, file: string): z.infer<typeof resultsSchema> {
  const parsed = resultsSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const shown = issues
    .slice(0, 3)
    .map(({ path, message }) => clipMiddle(toPlainLine(`\`${formatPath(path)}\`: ${message}`), 300));
  const more = issues.length > shown.length ? `; and ${issues.length - shown.length} more` : '';
  return refuse(file, `${shown.join('; ')}${more}`, undefined, parsed.error);
}

/** Counts the values in it, at most three levels deeper than what it holds. */
function sizeOf(item: unknown, depth = 4): number {
  if (typeof item !== 'object' || item === null || depth === 0) return 1;
  const values = Object.values(item);
  if (values.length > maxParts) return values.length;
  return values.reduce<number>((sum, value) => sum + sizeOf(value, depth - 1), 1);
}

/**
 * Checks that a report of it can be made in the time of a job.
 *
 * @param file its name in messages
 * @throws InputError when its table would have more than 100,000 cells, or two of its profiles are one file
 */
export function requireShowable({ kernels, comparisons, gaps, profiles }: Results, file: string): void {
  // A page shows each of them where it is named.
  const profile = findRepeated(profiles, (each) => each.file);
  if (profile !== undefined)
    refuse(file, `the profile \`${clipMiddle(toPlainLine(profile.file), 300)}\` is there twice`);
  const rows = new Set(comparisons.map(({ lane, benchmark, measure }) => JSON.stringify([lane, benchmark, measure])));
  for (const { lane, benchmark } of gaps) rows.add(JSON.stringify([lane, benchmark]));
  const cells = rows.size * kernels.length;
  if (cells <= maxCells) return;
  throw new InputError(
    `\`${file}\` compares ${rows.size} measures on ${kernels.length} kernels: that would be a table of ${cells} cells, and at most ${maxCells} are reported`,
    { hint: tooMuch },
  );
}

/**
 * @param file its name in messages
 * @throws InputError when a kernel is listed twice, or something belongs to a kernel that is not listed
 */
export function requireKnownKernels(results: Results, file: string): void {
  const { kernels, measurements, gaps, comparisons, profiles } = results;
  const known = new Set(kernels.map(({ id }) => id));
  if (known.size < kernels.length) refuse(file, 'a kernel is there twice');
  const stray = [...measurements, ...gaps, ...comparisons, ...profiles].find(({ kernel }) => !known.has(kernel));
  if (stray === undefined) return;
  refuse(file, `kernel \`${clipMiddle(toPlainLine(stray.kernel), 120)}\` is not among its kernels`);
}

/** @throws InputError when something is measured or compared twice, so that a reader could take either */
function requireDistinctNames({ measurements, comparisons }: Results, file: string): void {
  const refuseTwice = (benchmark: string, what: string) =>
    refuse(file, clipMiddle(toPlainLine(`\`${clipMiddle(benchmark, 120)}\` ${what}`), 500));
  const measured = findRepeated(measurements, (each) => keyOf(each) + each.revision);
  if (measured !== undefined) {
    const { benchmark, measure, revision, kernel } = measured;
    refuseTwice(benchmark, `has two values of ${measure} in ${revision} on ${kernel}`);
  }
  const compared = findRepeated(comparisons, keyOf);
  if (compared !== undefined) {
    const { benchmark, measure, kernel } = compared;
    refuseTwice(benchmark, `is compared twice by ${measure} on ${kernel}`);
  }
}

function findRepeated<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item | undefined {
  const seen = new Set<string>();
  return items.find((item) => seen.size === seen.add(keyOf(item)).size);
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}${text === '' ? '' : '.'}${String(part)}`),
    '',
  );
}

// Report: the shape of results.json, checked where it enters and where it leaves.

import { z } from 'zod';
import { clipMiddle } from '../common/clip-middle.ts';
import { InputError } from '../common/errors.ts';
import { findMisjudged } from '../compare/check-comparisons.ts';
import { comparisonVerdicts, gateVerdicts } from '../compare/comparison.ts';
import { maxShards } from '../inputs/shard.ts';
import { type RevisionName, revisionNames } from '../model/build.ts';
import { lanes, runners } from '../model/inputs.ts';
import { profileKinds } from '../profile/profile.ts';
import { toPlainJson, toPlainLine } from './plain-text.ts';
import { kernelErrorKinds, type Results, resultsSchemaName } from './results.ts';

const sourceLocation = z.object({
  file: z.string().describe("Relative to the repository's root where it could be resolved"),
  line: z.int().positive(),
});

const kind = z
  .enum(['bpf-program', 'benchmark'])
  .describe('Counted by bpfgate in the kernel, or printed by the benchmark');
const benchmark = z
  .string()
  .describe(
    '`<bench>/<benchmark or program>`, with its tag or ` #2` where a bench loads several of one name; of the verifier lane `<object>/<program>`',
  );
const renamedFrom = z
  .string()
  .optional()
  .describe('What base calls it, of a program that head has under another name or in another object');
const warnings = z.array(z.string());

// Defaults below are for files of versions without the key.
const better = z.enum(['lower', 'higher']).default('lower').describe('Whether a lower or a higher value is better');
const revisionName = z.enum(revisionNames);

const machine = z.object({
  accelerator: z.enum(['kvm', 'tcg', 'tcg-icount']),
  runner: z.enum(runners).describe('What started QEMU, and chose its devices'),
  acceleratorReason: z.string().nullable().describe('Why not KVM'),
  qemuVersion: z.string(),
  cpuModel: z.string().describe("QEMU's -cpu argument"),
  commandLine: z.string().describe('Kernel command line'),
  startedFrom: z
    .enum(['boot', 'snapshot'])
    .describe('Whether the kernel was booted for this run, or a machine saved after an earlier boot went on'),
  memoryMiB: z.int().positive(),
  agent: z.string().describe("SHA-256 over the guest agent's sources and compiler"),
  initramfs: z.string().describe('SHA-256'),
});

const revision = (name: RevisionName) =>
  z.object({
    revision: revisionName.describe(`Always ${name}`),
    ref: z.string().describe('What the user called it'),
    commit: z.string().nullable().describe('Commit id; null for a working tree with changes'),
    tree: z.string().describe('Git tree id of what was built'),
    tools: z.record(z.string(), z.string()).describe('What compiled and linked it: name to version'),
  });

const kernelResult = z.object({
  id: z.string().describe('Minor version, such as 6.1, with the origin where it is not the default: 6.1:source'),
  release: z.string().describe('Upstream release, such as 6.1.176'),
  uname: z.string().nullable().describe('What `uname -r` printed'),
  sha256: z
    .string()
    .describe(
      "Of the Debian package, or of its packages' sums; of the image where bpfgate compiled it (of what it is made from where that failed)",
    ),
  origin: z.string().describe('Who compiled it: debian; bpfgate, from a pinned tarball (source) or from a tree (tree)'),
  machine: machine.nullable(),
  kept: z
    .array(revisionName)
    .default([])
    .describe('Revisions that are as an earlier run counted them, in an equal guest with equal inputs'),
  timed: z
    .object({
      machine,
      boots: z.int().positive(),
      seed: z.int().nonnegative().describe('Of the first boot; each further one adds 1'),
    })
    .nullable()
    .default(null)
    .describe('The time lane: the machine of its first boot, and how the order of runs was drawn'),
  fingerprint: z
    .record(z.string(), z.string())
    .nullable()
    .describe('Parts that must be equal for two results to be compared: name to value'),
  error: z
    .object({
      kind: z.enum(kernelErrorKinds),
      message: z.string(),
      hint: z.string().nullable(),
      consoleTail: z.array(z.string()).describe("The last lines of the guest's console, oldest first"),
    })
    .nullable()
    .describe('Set when the kernel could not be measured'),
  warnings,
});

const refusal = z
  .object({
    errno: z.string().nullable(),
    message: z.string(),
    log: z.array(z.string()).describe("The end of the verifier's log, oldest line first"),
  })
  .nullable()
  .default(null)
  .describe('Why the kernel refused the program, where the measure is loads');

const samples = z
  .array(z.object({ count: z.number(), total: z.number() }))
  .describe('Every raw reading in the order taken: the total over count runs or iterations');

const readings = z
  .array(z.number())
  .optional()
  .describe('The value of each reading, where one reading holds many samples');

const measurement = z.object({
  kernel: z.string(),
  revision: revisionName,
  lane: z.enum(lanes),
  benchmark,
  ownName: z
    .string()
    .optional()
    .describe('What its revision alone would have it called, where that is not benchmark, which both revisions share'),
  renamedFrom: renamedFrom.describe('The same as of its comparison, on the side of base'),
  measure: z.string(),
  unit: z.string(),
  better,
  kind,
  value: z.number().describe('The value compared'),
  gross: z.number().nullable().describe('With the cost of an empty program, when value is net of it'),
  empty: z.number().nullable().describe('The cost of an empty program of the same type'),
  exact: z.boolean().describe('The same input always gives the same digits'),
  resolution: z
    .number()
    .nonnegative()
    .describe('Growth that cannot be distinguished from error, as a fraction; 0 when exact'),
  samples,
  readings,
  confirmations: z
    .array(
      z.object({
        value: z.number(),
        empty: z.number().nullable(),
        exact: z.boolean(),
        samples,
        readings,
        runCount: z.number().nullable(),
      }),
    )
    .max(2)
    .default([])
    .describe('The same in further boots, of what is not exact and seemed to have changed'),
  refusal,
  runCount: z.number().nullable(),
  missedRuns: z.number().nullable(),
  warnings,
  source: sourceLocation.nullable(),
});

const needsVersion = z.string().regex(/^\d+\.\d+$/);
const gap = z.object({
  kernel: z.string(),
  lane: z.enum(lanes).default('instructions'),
  revision: revisionName,
  benchmark: z.string().describe('Named as its measurements are where it runs'),
  needs: needsVersion
    .nullable()
    .describe('The first minor version that will do, such as 5.18, newer than the kernel; null for another reason'),
  reason: z.string().optional().describe('Why it could not be tried, where needs is null'),
});

const profile = z.object({
  kernel: z.string(),
  bench: z.string(),
  kind: z.enum(profileKinds).describe('Of which revision; difference shows head, coloured by what differs from base'),
  file: z
    .string()
    .regex(/^profiles(?:\/[\w+@=-][\w.+@=-]*)+$/)
    .describe('Path below the folder of this file'),
});

const comparison = z.object({
  kernel: z.string(),
  lane: z.enum(lanes),
  benchmark,
  renamedFrom,
  measure: z.string(),
  unit: z.string(),
  better,
  kind,
  base: z.number().nullable().describe('Null for an added benchmark, and where base needs a newer kernel'),
  head: z.number().nullable().describe('Null for a removed benchmark, and where head needs a newer kernel'),
  needs: z
    .object({ side: revisionName, kernel: needsVersion })
    .nullable()
    .default(null)
    .describe('The side that was left out, and the first minor version that will do'),
  delta: z.number().nullable().describe('head - base'),
  deltaRatio: z.number().nullable().describe('delta / |base|; null when base is 0'),
  interval: z
    .union([z.literal('exact'), z.tuple([z.number(), z.number()])])
    .nullable()
    .describe('Where the true delta lies, in unit'),
  pValue: z.number().nullable().describe('Of times, and of counts that vary, corrected for everything compared'),
  roundsNeeded: z
    .int()
    .nullable()
    .default(null)
    .describe('That would decide an inconclusive comparison of the time lane'),
  limit: z.union([z.number().nonnegative(), z.literal('off')]).describe('Largest allowed growth, as a fraction'),
  refusal,
  verdict: z.enum(comparisonVerdicts),
  source: sourceLocation.nullable(),
  lines: z
    .array(z.object({ source: sourceLocation, base: z.int().nonnegative(), head: z.int().nonnegative() }))
    .max(100)
    .nullable()
    .default(null)
    .describe(
      "The lines of a program's regression that became more machine instructions, those that grew most first; null where that is not known",
    ),
  warnings,
});

const shard = z
  .object({ index: z.int().positive(), count: z.int().min(2).max(maxShards) })
  .refine(({ index, count }) => index <= count, { error: 'index is more than count' })
  .nullable()
  .default(null)
  .describe("The part of the project's benches that was measured, the first being 1; null for all of them");

/** The most benches and settings of a bpfgate.toml of 1 MiB. */
const maxConfigChanges = 100_000;

/** The schema of results.json. Unknown keys are dropped, so that a file from a later 1.x version can be read. */
export const resultsSchema = z
  .object({
    schema: z.literal(resultsSchemaName),
    bpfgate: z.string().describe('Version of bpfgate that wrote the file'),
    verdict: z.enum(gateVerdicts),
    project: z.object({
      name: z.string(),
      configFile: z.string().describe("Relative to the repository's root"),
      projectPath: z.string().describe("The project's folder relative to the repository's root; empty at the root"),
      configChanges: z
        .array(z.string())
        .max(maxConfigChanges)
        .default([])
        .describe("What head's configuration has otherwise than base's; both are measured by head's"),
    }),
    revisions: z.object({ base: revision('base'), head: revision('head') }),
    shard,
    kernels: z.array(kernelResult),
    measurements: z.array(measurement),
    gaps: z.array(gap).default([]).describe('What could not be had of one revision on one kernel'),
    comparisons: z.array(comparison),
    profiles: z.array(profile).default([]),
  })
  .describe('What one run of bpfgate measured, and how head compares with base');

/** The JSON Schema of results.json, as text that ends in a newline. */
export function formatResultsJsonSchema(): string {
  const schema = z.toJSONSchema(resultsSchema, { io: 'input', target: 'draft-2020-12' });
  return `${JSON.stringify({ title: resultsSchemaName, ...schema }, null, 2)}\n`;
}

/** Text of results.json. Anything outside the schema, such as a local path, is left out. */
export function serializeResults(results: Results): string {
  return `${toPlainJson(resultsSchema.parse(results), 2)}\n`;
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
  const parsed = checkDocument(json as Readonly<Record<string, unknown>>, file);
  if (!parsed.success) {
    const shown = parsed.error.issues
      .slice(0, 3)
      .map(({ path, message }) => clipMiddle(toPlainLine(`\`${formatPath(path)}\`: ${message}`), 300));
    const more = parsed.error.issues.length - shown.length;
    throw new InputError(
      `\`${file}\` is not a valid result file: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
      { cause: parsed.error, hint: 'regenerate the file with bpfgate' },
    );
  }
  requireShortTexts(parsed.data, file, []);
  requireKnownKernels(parsed.data, file);
  requireDistinctNames(parsed.data, file);
  requireShowable(parsed.data, file);
  const misjudged = findMisjudged(parsed.data);
  if (misjudged !== undefined) {
    throw new InputError(clipMiddle(toPlainLine(`\`${file}\` ${misjudged}`), 600), {
      hint: 'regenerate the file with the version of bpfgate that wrote it',
    });
  }
  return parsed.data;
}

/** Longest text, in UTF-16 units: the texts of a report are processed many times. */
export const maxText = 256 * 1024;

/** @throws InputError naming a text that is longer than any that bpfgate writes */
function requireShortTexts(value: unknown, file: string, path: readonly string[]): void {
  if (typeof value === 'string' && value.length > maxText) {
    const place = clipMiddle(toPlainLine(formatPath(path)), 300);
    throw new InputError(
      `\`${file}\` is not a valid result file: \`${place}\` has ${value.length} characters, more than ${maxText}`,
      { hint: 'regenerate the file with bpfgate' },
    );
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

const lists = {
  kernels: kernelResult,
  measurements: measurement,
  gaps: gap,
  comparisons: comparison,
  profiles: profile,
};
const mostOf = (key: string) => (key === 'kernels' ? maxKernels : maxItems);

/**
 * Checks a document whose `schema` is right. The lists are read item by item, up to a few wrong ones: a check of the
 * whole would report every fault, of which 64 MiB can hold millions.
 *
 * @throws InputError when there is more of anything than a run can leave
 */
function checkDocument(json: Readonly<Record<string, unknown>>, file: string) {
  const refuse = (what: string): never => {
    throw new InputError(`\`${file}\` is not a valid result file: ${what}`, { hint: tooMuch });
  };
  const read: Record<string, unknown[]> = {};
  const isList = (key: string) => Array.isArray(json[key]);
  const rest = {
    ...json,
    ...Object.fromEntries(
      Object.keys(lists)
        .filter(isList)
        .map((key) => [key, []]),
    ),
  };
  for (const [key, schema] of Object.entries(lists)) {
    const items = json[key];
    if (!Array.isArray(items)) continue;
    if (items.length > mostOf(key)) refuse(`it has ${items.length} ${key}, more than ${mostOf(key)}`);
    const good: unknown[] = [];
    let wrong = 0;
    for (const [index, item] of items.entries()) {
      if (sizeOf(item) > maxParts) refuse(`one of its ${key} has more than ${maxParts} parts`);
      const parsed = schema.safeParse(item);
      if (parsed.success) good.push(parsed.data);
      else wrong += 1;
      if (wrong < maxWrong && (wrong === 0 || index < items.length - 1)) continue;
      if (wrong > 0) return resultsSchema.safeParse({ ...rest, [key]: items.slice(0, index + 1) });
    }
    read[key] = good;
  }
  if (sizeOf(json.revisions) > maxParts) refuse(`its revisions have more than ${maxParts} parts`);
  const parsed = resultsSchema.safeParse(rest);
  return parsed.success ? { ...parsed, data: { ...parsed.data, ...read } as Results } : parsed;
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
 * @throws InputError when its table would have more than 100,000 cells
 */
export function requireShowable({ kernels, comparisons, gaps }: Results, file: string): void {
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
  const hint = 'regenerate the file with bpfgate';
  const known = new Set(kernels.map(({ id }) => id));
  if (known.size < kernels.length) {
    throw new InputError(`\`${file}\` is not a valid result file: a kernel is there twice`, { hint });
  }
  const stray = [...measurements, ...gaps, ...comparisons, ...profiles].find(({ kernel }) => !known.has(kernel));
  if (stray !== undefined) {
    const kernel = clipMiddle(toPlainLine(stray.kernel), 120);
    throw new InputError(`\`${file}\` is not a valid result file: kernel \`${kernel}\` is not among its kernels`, {
      hint,
    });
  }
}

/** @throws InputError when something is measured or compared twice, so that a reader could take either */
function requireDistinctNames({ measurements, comparisons }: Results, file: string): void {
  const refuse = (benchmark: string, what: string) => {
    const message = `\`${file}\` is not a valid result file: \`${clipMiddle(toPlainLine(benchmark), 120)}\` ${what}`;
    throw new InputError(clipMiddle(toPlainLine(message), 600), { hint: 'regenerate the file with bpfgate' });
  };
  const measured = findRepeated(measurements, (each) => [nameOf(each), each.revision]);
  if (measured !== undefined) {
    const { benchmark, measure, revision, kernel } = measured;
    refuse(benchmark, `has two values of ${measure} in ${revision} on ${kernel}`);
  }
  const compared = findRepeated(comparisons, nameOf);
  if (compared !== undefined) {
    const { benchmark, measure, kernel } = compared;
    refuse(benchmark, `is compared twice by ${measure} on ${kernel}`);
  }
}

function nameOf({
  kernel,
  lane,
  benchmark,
  measure,
}: Results['comparisons'][number] | Results['measurements'][number]) {
  return [kernel, lane, benchmark, measure];
}

function findRepeated<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item | undefined {
  const seen = new Set<string>();
  return items.find((item) => {
    const key = JSON.stringify(keyOf(item));
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  });
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}${text === '' ? '' : '.'}${String(part)}`),
    '',
  );
}

// Report: the shape of the product's result file, results.json: its schema, and the types that it gives.

import { z } from 'zod';
import type { Measurement, OwnWarning } from '../bench/measurement.ts';
import { type Comparison, comparisonVerdicts, findingVerdicts, gateVerdicts } from '../compare/comparison.ts';
import { maxDiffLines } from '../compare/near-diff.ts';
import { maxShards } from '../inputs/shard.ts';
import { type RevisionName, revisionNames } from '../model/build.ts';
import { lanes, runners } from '../model/inputs.ts';
import type { Warning } from '../model/warning.ts';
import { profileKinds } from '../profile/profile.ts';

export const resultsSchemaName = 'bpfgate.results/1';

/** Who can fix a failed kernel, by the error classes of errors.ts; `internal` is bpfgate's own fault. */
export const kernelErrorKinds = ['kernel', 'machine', 'vm', 'build', 'bench', 'internal'] as const;
export type KernelErrorKind = (typeof kernelErrorKinds)[number];

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
    '`<bench>/<benchmark or program>`, with its tag or ` #2` where a bench loads several of one name; `<object>/<program>/<input>` of a run on a packet or context; of the verifier lane `<object>/<program>`',
  );
const renamedFrom = z
  .string()
  .optional()
  .describe('What base calls it, of a program that head has under another name or in another object');
// Defaults below are for files of versions without the key.
const better = z.enum(['lower', 'higher']).default('lower').describe('Whether a lower or a higher value is better');
const revisionName = z.enum(revisionNames);
const reason = z.string().describe('Why, without the names of what it is about');
const detail = z.string().optional().describe('What only these have: a number, an input, a line of output');
/** Warnings about a kernel. Those of versions that wrote a text are about all of it. */
const warnings = z.array(
  z.union([
    z.object({
      about: z.array(z.string()).describe('Names of benches, objects, programs or files; none: the whole kernel'),
      revision: revisionName.optional().describe('The only one that it is about'),
      reason,
      detail,
    }),
    z.string().transform((text): Warning => ({ about: [], reason: text })),
  ]),
);
/** Warnings about a measurement. */
const ownWarnings = z.array(
  z.union([z.object({ reason, detail }), z.string().transform((text): OwnWarning => ({ reason: text }))]),
);

const machine = z.object({
  accelerator: z.enum(['kvm', 'tcg', 'tcg-icount']),
  runner: z.enum(runners).describe('What started QEMU'),
  acceleratorReason: z.string().nullable().describe('Why not KVM'),
  qemuVersion: z.string(),
  cpuModel: z.string().describe("QEMU's -cpu argument"),
  commandLine: z.string().describe('Kernel command line'),
  startedFrom: z
    .enum(['boot', 'snapshot'])
    .describe('Whether the kernel was booted for this run, or a machine saved after an earlier boot went on'),
  memoryMiB: z.int().positive(),
  agent: z.string().describe("SHA-256 of the guest agent: of its sources and compiler, or of a ready-made one's file"),
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
  id: z
    .string()
    .describe(
      'Minor version, such as 6.1, with the origin where it is not the default: 6.1:source; the name or release of an own kernel',
    ),
  release: z
    .string()
    .describe('Upstream release, such as 6.1.176; of an own kernel what `uname -r` prints, or unknown'),
  uname: z.string().nullable().describe('What `uname -r` printed'),
  sha256: z
    .string()
    .describe(
      "Of the package, or of its packages' sums; of an own image or tree; of the image where bpfgate compiled it (of what it is made from where that failed)",
    ),
  origin: z
    .string()
    .describe(
      'Who compiled it: debian; bpfgate, from a pinned tarball (source) or from a tree (tree); someone else (own)',
    ),
  machine: machine.nullable(),
  kept: z
    .array(revisionName)
    .default([])
    .describe('Revisions that are as an earlier run counted them, in an equal guest with equal inputs'),
  fingerprint: z
    .record(z.string(), z.string())
    .nullable()
    .describe('Parts that must be equal for two results to be compared: name to value'),
  objects: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      "BPF objects of the verifier lane: name to the file's path in the tree; head's where both revisions have it",
    ),
  error: z
    .object({
      kind: z.enum(kernelErrorKinds),
      message: z.string(),
      hint: z.string().nullable(),
      consoleTail: z.array(z.string()).describe("The last lines of the guest's console, oldest first"),
      benches: z
        .array(z.object({ name: z.string(), revision: z.enum(revisionNames).nullable() }))
        .default([])
        .describe('The first bench that failed, and the only revision on which it did; one of each shard'),
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

const verifierNumber = z.int().nonnegative().nullable();
const verification = z
  .object({
    instructions: z.int().nonnegative().describe('That the verifier walked'),
    totalStates: verifierNumber.describe('That were remembered in all'),
    peakStates: verifierNumber.describe('The most that were remembered at one time'),
    maxStatesPerInstruction: verifierNumber.describe('The most that were remembered at one instruction'),
    markRead: verifierNumber.describe('The longest walk through parent states to mark a register as read'),
    timeUs: verifierNumber.describe("Duration by the guest's clock, which differs on each load"),
  })
  .nullable()
  .default(null)
  .describe(
    "The verifier's statistics, of a program that loads and of one that does not, where the measure is loads; reported and not compared. A number is null where the kernel did not print it",
  );

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
        exact: z.boolean(),
        samples,
        readings,
      }),
    )
    .max(2)
    .default([])
    .describe('The same in further boots, of a printed value that is not exact and seemed to have changed'),
  refusal,
  verification,
  runCount: z.number().nullable(),
  missedRuns: z.number().nullable(),
  behavior: z
    .object({
      returned: z.string().describe("The return value by the kernel's name, such as XDP_PASS, or as a number"),
      left: z.string().nullable().describe('SHA-256 of the packet that it left; null of a context'),
    })
    .nullable()
    .default(null)
    .describe('What a program did in the first run on an input; null of everything else'),
  warnings: ownWarnings,
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

const acceptText = z.string().describe('SUBJECT MEASURE +N REASON, as its author wrote it behind `bpfgate-accept:`');
const acceptBy = z.string().describe('Where it is written, such as `commit 1a2b3c4d5e`');

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
  pValue: z.number().nullable().describe('Of printed values that vary, corrected for everything compared'),
  limit: z.union([z.number().nonnegative(), z.literal('off')]).describe('Largest allowed growth, as a fraction'),
  refusal,
  verdict: z.enum(comparisonVerdicts),
  accepted: z
    .object({ reason: z.string(), by: acceptBy, text: acceptText })
    .optional()
    .describe(
      'The line that accepts this regression, so that it does not fail the gate; made of `accepts` again when the file is read',
    ),
  source: sourceLocation.nullable(),
  lines: z
    .array(z.object({ source: sourceLocation, base: z.number().nonnegative(), head: z.number().nonnegative() }))
    .max(100)
    .nullable()
    .default(null)
    .describe(
      "The lines of a program's regression that became more machine instructions, in the code or, if there are `calls`, in a run; those that grew most first; null where that is not known",
    ),
  calls: z
    .array(z.object({ name: z.string(), base: z.number().nonnegative(), head: z.number().nonnegative() }))
    .max(100)
    .nullable()
    .default(null)
    .describe(
      "The functions that a program's regression calls and that cost more instructions in a run, with all that they call; null where it was not seen inside",
    ),
  warnings: z.array(z.string()).describe('About the comparison; its measurements have their own'),
});

const diff = z.object({
  source: sourceLocation.describe('The line of head, which a comparison names'),
  removed: z.array(z.string()).max(maxDiffLines),
  added: z.array(z.string()).max(maxDiffLines),
});

/** Schemas of what the lists of a file hold. */
export const itemSchemas = {
  kernels: kernelResult,
  measurements: measurement,
  gaps: gap,
  comparisons: comparison,
  profiles: profile,
  diffs: diff,
};

const shard = z
  .object({ index: z.int().positive(), count: z.int().min(2).max(maxShards) })
  .refine(({ index, count }) => index <= count, { error: 'index is more than count' })
  .nullable()
  .default(null)
  .describe("The part of the project's benches that was measured, the first being 1; null for all of them");

const finding = z.object({
  id: z.string().describe('Of the cause: its file and name, and no value, line or kernel'),
  verdict: z.enum(findingVerdicts).describe('The worst of its comparisons'),
  accepted: z.boolean().default(false).describe('Whether each of its regressions is accepted, and there is one'),
  subject: z.string().describe('The program or benchmark'),
  source: sourceLocation.nullable(),
  comparisons: z
    .array(z.object({ kernel: z.string(), lane: z.enum(lanes), benchmark: z.string(), measure: z.string() }))
    .min(1)
    .describe('Those that changed'),
});

/** The most lines that accept costs. */
export const maxAccepts = 100;
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
        .describe(
          "What head's configuration has otherwise than base's, by its effect; each revision is built and measured by its own",
        ),
    }),
    revisions: z.object({ base: revision('base'), head: revision('head') }),
    shard,
    kernels: z.array(kernelResult),
    measurements: z.array(measurement),
    gaps: z.array(gap).default([]).describe('What could not be had of one revision on one kernel'),
    comparisons: z.array(comparison),
    accepts: z
      .array(z.object({ text: acceptText, by: acceptBy, ignored: z.string().optional().describe('Why, if it is') }))
      .max(maxAccepts)
      .default([])
      .describe('Lines by which the author accepts costs'),
    findings: z
      .array(finding)
      .default([])
      .describe('Comparisons that changed, by cause, worst first; made of `comparisons` again when the file is read'),
    profiles: z.array(profile).default([]),
    diffs: z
      .array(diff)
      .default([])
      .describe('What head changes at or near lines that comparisons name: up to three lines of the nearest hunk'),
  })
  .describe('What one run of bpfgate measured, and how head compares with base');

export type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

/** A file's findings are made when it is written: `findFindings` makes them of the comparisons. */
export type Results = Omit<Frozen<z.infer<typeof resultsSchema>>, 'findings'>;
export type MeasurementRecord = Results['measurements'][number];
export type ComparisonRecord = Results['comparisons'][number];
/** One kernel of the run. `error` is set when it, or one of its lanes or shards, could not be measured. */
export type KernelResult = Results['kernels'][number];

/** Makes the record of a measurement: null for what its kind does not have. */
export function recordMeasurement(measurement: Measurement): MeasurementRecord {
  return {
    gross: null,
    empty: null,
    refusal: null,
    verification: null,
    runCount: null,
    missedRuns: null,
    ...measurement,
    behavior: ('behavior' in measurement ? measurement.behavior : undefined) ?? null,
    confirmations: 'confirmations' in measurement ? measurement.confirmations : [],
  };
}

/** Reads records as measurements. A field that a kind does not have is null in its record, and no code reads it. */
export function readMeasurements(records: readonly MeasurementRecord[]): readonly Measurement[] {
  return records as readonly Measurement[];
}

/** Makes the record of a comparison: null for what its kind does not have. */
export function recordComparison(comparison: Comparison): ComparisonRecord {
  return {
    needs: null,
    delta: null,
    deltaRatio: null,
    interval: null,
    pValue: null,
    lines: null,
    calls: null,
    ...comparison,
    refusal: comparison.refusal ?? null,
  };
}

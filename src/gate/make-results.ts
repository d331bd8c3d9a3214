// Gate: compares the outcomes of all kernels, and describes the run: the results that a report is made from.

import { basename, join } from 'node:path';
import type { Tree } from '../adapters/git.ts';
import { locateSources } from '../bench/locate-source.ts';
import type { Gap, Measurement } from '../bench/measurement.ts';
import { readBenchSources } from '../build/read-criterion.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { type GateError, InterruptedError, VmError } from '../common/errors.ts';
import { version } from '../common/version.ts';
import { compareMeasurements } from '../compare/compare.ts';
import { describeLimitChanges, findUnusedOverrides } from '../compare/limits.ts';
import { identityOf } from '../kernels/cached.ts';
import type { BpfObject, Build, Builds, BuiltRevision, RevisionName } from '../model/build.ts';
import type { GuestRun } from '../model/guest-run.ts';
import type { Config, Inputs } from '../model/inputs.ts';
import type { Plan } from '../plan/plan.ts';
import { type Accept, acceptCosts } from '../report/accept.ts';
import { kindOf } from '../report/failure.ts';
import type { GateRun } from '../report/gate-run.ts';
import { decideVerdict } from '../report/gate-verdict.ts';
import {
  type KernelErrorKind,
  type KernelResult,
  recordComparison,
  recordMeasurement,
  resultsSchemaName,
} from '../report/results.ts';
import { maxText } from '../report/results-schema.ts';
import type { GuestContext } from '../vm/guest.ts';
import { addGrownLines, type Grown } from './add-grown-lines.ts';
import { findDiffs } from './find-diffs.ts';
import { findSources } from './find-sources.ts';
import type { Counted, KernelOutcome } from './kernel-outcome.ts';

/** The two revisions, found. */
export type Trees = Readonly<Record<RevisionName, Pick<Tree, 'id' | 'ref' | 'commit'>>>;

/** What was measured. */
export interface Measured {
  readonly trees: Trees;
  /** The plan, with what base runs by its own configuration. */
  readonly plan: Plan;
  readonly baseConfig: Config;
  /** What head changes in the configuration, except limits. */
  readonly configChanges: readonly string[];
  /** Path of the project below its repository's root; empty at the root. */
  readonly projectPath: string;
}

/** Compares head with base on every kernel, and describes the run. */
export async function makeResults(
  outcomes: readonly KernelOutcome[],
  { plan, trees, baseConfig, configChanges, projectPath }: Measured,
  inputs: Inputs,
  accepts: readonly Accept[],
  { log, signal }: GuestContext,
): Promise<GateRun> {
  const configFile = join(projectPath, inputs.config.file);
  const { gate } = inputs.config;
  const builds = outcomes.find((outcome) => outcome.builds !== undefined)?.builds;
  const counted = outcomes.flatMap((outcome) => outcome.counted ?? []);
  // In the order of kernels.
  const gaps = counted.flatMap((each) => each.gaps);
  const compared = builds && (await compareBuilds(counted, gaps, builds, configFile, inputs, signal));
  const recorded = compared?.comparisons.map(recordComparison) ?? [];
  const changes = [...describeLimitChanges(baseConfig.gate, gate, recorded), ...configChanges];
  const project = { name: basename(inputs.project), configFile, projectPath, configChanges: changes };
  const comparisons = acceptCosts({ comparisons: recorded, project, accepts });
  const isWhole = outcomes.every(({ error }) => error === undefined);
  // An override may be for a bench of another shard, or one that was not asked for.
  if (plan.shard === null && inputs.benches === undefined && isWhole) {
    for (const benchmark of findUnusedOverrides([...comparisons, ...gaps], gate)) {
      log.warn(`${configFile}: no benchmark is called \`${benchmark}\`, so that [[gate.override]] sets no limit`);
    }
  }
  const kernels = outcomes.map(describeKernel);
  const profiles = counted.flatMap((each) => each.profiles);
  const describeRevision = (revision: RevisionName): BuiltRevision => {
    const { ref, commit, id } = trees[revision];
    return builds === undefined ? { revision, ref, commit, tree: id, tools: {} } : withoutFolder(builds[revision]);
  };
  return {
    results: {
      schema: resultsSchemaName,
      bpfgate: version,
      verdict: decideVerdict(comparisons, gaps, kernels),
      project,
      revisions: { base: describeRevision('base'), head: describeRevision('head') },
      shard: plan.shard,
      kernels,
      measurements: compared?.measurements.map(recordMeasurement) ?? [],
      gaps,
      comparisons,
      accepts,
      profiles: profiles.map(({ profile }) => profile),
      diffs: builds === undefined ? [] : await findDiffs(comparisons, builds, compared?.moved, signal),
    },
    profiles,
    inside: counted.flatMap((each) => each.inside),
    stages: {
      plan,
      builds: [...new Set(outcomes.flatMap((outcome) => outcome.builds ?? []))],
      guestRuns: counted.flatMap(({ run, furtherRuns }) => [run, ...furtherRuns]),
    },
    logs: Object.assign({}, ...outcomes.map(({ error }) => error?.logs)),
  };
}

async function compareBuilds(
  counted: readonly Counted[],
  gaps: readonly Gap[],
  builds: Builds,
  configFile: string,
  { config: { gate, benches } }: Inputs,
  signal: AbortSignal | undefined,
): Promise<Grown & { readonly measurements: readonly Measurement[] }> {
  const tree = {
    ...(await findSources(builds, 'head')),
    configFile,
    benches: await readBenchSources(builds.head.dir, builds.projectPath),
  };
  const measured = counted.flatMap((each) => each.measurements);
  const measurements = locateSources(measured, benches, tree);
  const [codes, inside] = [counted.flatMap((each) => each.codes), counted.flatMap((each) => each.inside)];
  const comparisons = compareMeasurements(measurements, gaps, gate, inside);
  const trees = { base: { ...tree, ...(await findSources(builds, 'base')) }, head: tree };
  return {
    measurements,
    ...(await addGrownLines(comparisons, codes, inside, trees, builds, signal)),
  };
}

function describeKernel({ pin, kernel, builds, counted, error, warnings }: KernelOutcome): KernelResult {
  const sha256 = kernel === undefined ? pin.sha256 : identityOf(kernel);
  const { run } = counted ?? {};
  return {
    id: pin.id,
    release: pin.release,
    uname: run?.guest.release ?? null,
    sha256,
    origin: pin.origin,
    machine: run?.machine ?? null,
    kept: run?.kept ?? [],
    objects: Object.fromEntries(objectsOf(builds).map(({ name, path }) => [name, path])),
    fingerprint: run === undefined || builds === undefined ? null : fingerprint(sha256, run, builds),
    error:
      error === undefined
        ? null
        : {
            kind: errorKind(error),
            message: clipMiddle(error.message, maxText),
            hint: error.hint ?? null,
            consoleTail: error instanceof VmError ? error.consoleTail : [],
            benches: error.bench === undefined ? [] : [error.bench],
          },
    warnings,
  };
}

/** Objects of both revisions, head's last. */
function objectsOf(builds: Builds | undefined): readonly BpfObject[] {
  return builds?.objects.toSorted((a, b) => (a.revision < b.revision ? -1 : 1)) ?? [];
}

/** Everything that shapes a count except the programs' own bytes. */
function fingerprint(kernel: string, run: GuestRun, builds: Builds): Record<string, string> {
  const { machine } = run;
  return {
    kernel,
    accelerator: machine.accelerator,
    qemu: machine.qemuVersion,
    cpu: machine.cpuModel,
    memory: `${machine.memoryMiB} MiB`,
    commandLine: machine.commandLine,
    initramfs: machine.initramfs,
    agent: machine.agent,
    ...builds.head.tools,
  };
}

function errorKind(error: GateError): KernelErrorKind {
  if (error instanceof InterruptedError) return 'machine';
  const kind = kindOf(error);
  return kind === 'input' ? 'internal' : kind;
}

function withoutFolder({ dir: _, seal: __, starts: ___, ...build }: Build): BuiltRevision {
  return build;
}

// Gate: compares the outcomes of all kernels, and describes the run: the results that a report is made from.

import { basename, join } from 'node:path';
import type { Tree } from '../adapters/git.ts';
import { maxConfig } from '../adapters/read-inputs.ts';
import { readFileBelow } from '../adapters/regular-file.ts';
import { type Locatable, locateSources } from '../bench/locate-source.ts';
import type { Gap } from '../bench/measurement.ts';
import { readBenchSources } from '../build/read-criterion.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { type GateError, InputError, InterruptedError, VmError } from '../common/errors.ts';
import { leadsOut } from '../common/paths.ts';
import { version } from '../common/version.ts';
import { compareMeasurements } from '../compare/compare.ts';
import { type Compared, compareTimes } from '../compare/compare-times.ts';
import { findUnusedOverrides } from '../compare/limits.ts';
import { parseConfig } from '../inputs/config.ts';
import { describeConfigChanges } from '../inputs/config-changes.ts';
import { identityOf } from '../kernels/cached.ts';
import type { BpfObject, Build, Builds, BuiltRevision, RevisionName } from '../model/build.ts';
import type { GuestRun } from '../model/guest-run.ts';
import type { Inputs } from '../model/inputs.ts';
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
import type { Counted, KernelOutcome, Timed } from './kernel-outcome.ts';

/** The two revisions, found. */
export type Trees = Readonly<Record<RevisionName, Pick<Tree, 'id' | 'ref' | 'commit'>>>;

/** Compares head with base on every kernel, and describes the run. */
export async function makeResults(
  outcomes: readonly KernelOutcome[],
  plan: Plan,
  trees: Trees,
  inputs: Inputs,
  projectPath: string,
  accepts: readonly Accept[],
  { log, signal }: GuestContext,
): Promise<GateRun> {
  const configFile = join(projectPath, inputs.config.file);
  const { gate } = inputs.config;
  const builds = outcomes.find((outcome) => outcome.builds !== undefined)?.builds;
  const counted = outcomes.flatMap((outcome) => outcome.counted ?? []);
  const timed = outcomes.flatMap((outcome) => outcome.timed ?? []);
  // In the order of kernels.
  const gaps = outcomes.flatMap((outcome) => [...(outcome.counted?.gaps ?? []), ...(outcome.timed?.times.gaps ?? [])]);
  const compared = builds && (await compareBuilds(counted, timed, gaps, builds, configFile, inputs, signal));
  const configChanges = builds === undefined ? [] : await compareConfigs(builds.base, configFile, inputs);
  const project = { name: basename(inputs.project), configFile, projectPath, configChanges };
  const recorded = compared?.comparisons.map(recordComparison) ?? [];
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
      timedBoots: timed.flatMap(({ boots }) => boots),
    },
    logs: Object.assign({}, ...outcomes.map(({ error }) => error?.logs)),
  };
}

/** Lists what head changes in the configuration; empty if base has none. */
async function compareConfigs(
  base: Build,
  configFile: string,
  { config, manifest }: Pick<Inputs, 'config' | 'manifest'>,
): Promise<string[]> {
  // The file is the user's own, and the same for both.
  if (leadsOut(configFile)) return [];
  try {
    const text = await readFileBelow(base.dir, configFile, maxConfig);
    return text === undefined ? [] : describeConfigChanges(parseConfig(text, config.file, manifest), config);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return [`what base has cannot be read: ${clipMiddle(error.message, maxText)}`];
  }
}

async function compareBuilds(
  counted: readonly Counted[],
  timed: readonly Timed[],
  gaps: readonly Gap[],
  builds: Builds,
  configFile: string,
  { config: { gate, benches } }: Inputs,
  signal: AbortSignal | undefined,
): Promise<Compared & Grown> {
  const tree = {
    ...findSources(builds, 'head'),
    configFile,
    benches: await readBenchSources(builds.head.dir, builds.projectPath),
  };
  const located = <Item extends Locatable>(items: readonly Item[]) => locateSources(items, benches, tree);
  const counts = located(counted.flatMap((each) => each.measurements));
  const times = compareTimes(
    timed.map(({ times: own }) => ({ ...own, benchmarks: located(own.benchmarks) })),
    gate,
  );
  const comparisons = [...compareMeasurements(counts, gaps, gate), ...times.comparisons];
  const [lines, inside] = [counted.flatMap((each) => each.lines), counted.flatMap((each) => each.inside)];
  return {
    measurements: [...counts, ...times.measurements],
    ...(await addGrownLines(comparisons, lines, inside, builds, tree, signal)),
  };
}

function describeKernel({ pin, kernel, builds, counted, timed, error, warnings }: KernelOutcome): KernelResult {
  const sha256 = kernel === undefined ? pin.sha256 : identityOf(kernel);
  const { run } = counted ?? {};
  const { boots } = timed ?? {};
  return {
    id: pin.id,
    release: pin.release,
    uname: run?.guest.release ?? null,
    sha256,
    origin: pin.origin,
    machine: run?.machine ?? null,
    kept: run?.kept ?? [],
    timed: boots?.[0] === undefined ? null : { machine: boots[0].machine, boots: boots.length, seed: boots[0].seed },
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
    // Both runners give the same counts, but each has devices of its own, which nothing else here names.
    runner: machine.runner,
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

// Gate: the only place that knows the order of the stages: inputs, plan, build, kernels, vm, bench, compare, report.
// The command line and the action are two thin entry points to it.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { GitSession, openRepository, type Repository, type Tree } from './adapters/git.ts';
import { maxConfig } from './adapters/read-inputs.ts';
import { readFileBelow } from './adapters/regular-file.ts';
import { part } from './adapters/schedule.ts';
import { type Locatable, locateLines, locateSources, type SourceTree } from './bench/locate-source.ts';
import type { Gap, Measurement, ProgramLines } from './bench/measurement.ts';
import { type BuildPlace, inSandbox } from './build/build-place.ts';
import { type BuildRequest, buildRevisions } from './build/build-revisions.ts';
import { readBoth } from './build/read-both.ts';
import { readBenchSources, readCriterionUse } from './build/read-criterion.ts';
import type { Release } from './cache/lock.ts';
import { clipMiddle } from './common/clip-middle.ts';
import {
  BenchError,
  BuildError,
  type GateError,
  InputError,
  InterruptedError,
  KernelError,
  MachineError,
  VmError,
} from './common/errors.ts';
import { registryVariables } from './common/host-environment.ts';
import { version } from './common/version.ts';
import { compareMeasurements } from './compare/compare.ts';
import { compareTimes } from './compare/compare-times.ts';
import type { Comparison } from './compare/comparison.ts';
import { findGrownLines, type LineMap, linesOf, mapLines, pairFiles, sameLines } from './compare/grown-lines.ts';
import { findUnusedOverrides } from './compare/limits.ts';
import { parseConfig } from './inputs/config.ts';
import { describeConfigChanges } from './inputs/config-changes.ts';
import { chooseKernels, identityOf } from './kernels/cached.ts';
import { type Builder, isMeasured, type KernelOutcome, measureKernels, timeKernels } from './measure-kernels.ts';
import { type Build, type Builds, type BuiltRevision, type RevisionName, revisionNames } from './model/build.ts';
import type { GuestRun } from './model/guest-run.ts';
import type { Inputs, SandboxPolicy } from './model/inputs.ts';
import type { CachedKernel } from './model/kernel.ts';
import { makePlan } from './plan/make-plan.ts';
import type { Plan } from './plan/plan.ts';
import type { ToolEnvironment } from './prerequisites/prerequisites.ts';
import type { GateRun } from './report/gate-run.ts';
import { decideVerdict } from './report/gate-verdict.ts';
import { type KernelErrorKind, type KernelResult, resultsSchemaName } from './report/results.ts';
import { maxText } from './report/results-schema.ts';
import { chooseSandbox } from './sandbox/choose-sandbox.ts';
import { findReadable } from './sandbox/readable-files.ts';
import { obtainAgent } from './vm/agent.ts';
import { buildInGuest } from './vm/build-in-guest.ts';
import type { GuestContext } from './vm/guest.ts';

export interface GateOptions {
  /** Time limit of one kernel, boot included. Default 30 min. */
  readonly kernelTimeoutMs?: number;
  /** Tools to start guests with, once installed. Default: those that the project is built with. */
  readonly guestTools?: Promise<ToolEnvironment>;
}

const registriesWarning =
  "dependencies are downloaded by the project's own settings (allow-project-registries): the project chooses which servers get the logins of this machine, and its programs can run on the host outside of the build's sandbox. Use this only for projects whose authors you trust";
const defaultKernelTimeoutMs = 30 * 60_000;
/** A compiler under emulation is more than ten times as slow as on the host. */
const guestBuildTimeoutMs = 3 * 3_600_000;

/** The two revisions, found. */
type Trees = Readonly<Record<RevisionName, Tree>>;

/**
 * Runs the whole gate. A kernel that fails does not stop the others: it is an error in the result. So is a kernel that
 * had not finished when the run was interrupted, if another had.
 *
 * @throws GateError when the inputs are bad, the project does not build, the only kernel could not be measured, or the
 * run was interrupted before any kernel was
 */
export async function runGate(inputs: Inputs, context: GuestContext, options: GateOptions = {}): Promise<GateRun> {
  const { log } = context;
  const kernels = chooseKernels(inputs.kernels, context.cache);
  const plan = makePlan(inputs, kernels, await readCriterionUse(inputs.project));
  for (const warning of plan.warnings) log.warn(warning);
  for (const note of plan.notes) log.progress(note);
  if (inputs.allowProjectRegistries) log.warn(registriesWarning);

  const repository = await openRepository(inputs.project);
  const uses: Release[] = [];
  const onUse = (release: Release) => uses.push(release);
  try {
    const { trees, outcomes } = await measureTrees(plan, inputs, repository, { ...context, onUse }, options);
    if (!outcomes.some(isMeasured)) context.signal?.throwIfAborted();
    const error = findRunsError(outcomes);
    if (error !== undefined) throw error;
    return await part('compare', () => compareOutcomes(outcomes, plan, trees, inputs, repository, context));
  } finally {
    await Promise.all(uses.map((release) => release()));
  }
}

async function measureTrees(
  plan: Plan,
  inputs: Inputs,
  repository: Repository,
  context: GuestContext & Pick<BuildRequest, 'onUse'>,
  { kernelTimeoutMs = defaultKernelTimeoutMs, guestTools }: GateOptions,
): Promise<{ trees: Trees; outcomes: KernelOutcome[] }> {
  const git = await GitSession.open(repository);
  try {
    const head = inputs.head === undefined ? await git.workingTree(inputs.out) : await git.commitTree(inputs.head);
    const base =
      inputs.base === undefined ? await git.defaultBase(head, inputs.baseBranch) : await git.commitTree(inputs.base);
    // Not from the tools' environment, which is a copy: a step's secrets do not enumerate.
    const registries = inputs.allowProjectRegistries ? registryVariables(process.env) : undefined;
    const { cargoCommands } = plan;
    const request = { git, base, head, config: inputs.config, cargoCommands, registries, ...context };
    const build = await makeBuilder(request, inputs.sandbox, guestTools);
    const environment = (await guestTools)?.env ?? context.environment;
    // Tools that come later are being installed, so others may be installed too.
    const guests = { ...context, environment, runner: inputs.runner, install: guestTools !== undefined };
    const counted = await measureKernels(plan, build, inputs.config.gate, guests, kernelTimeoutMs);
    return { trees: { base, head }, outcomes: await timeKernels(counted, plan, guests, kernelTimeoutMs) };
  } finally {
    await git.close();
  }
}

/** The error that fails the whole run, if any: an input's, or the only kernel's. */
function findRunsError(outcomes: readonly KernelOutcome[]): GateError | undefined {
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  if (outcomes.some(isMeasured) || errors.length < outcomes.length) return undefined;
  return outcomes.length === 1 ? errors[0] : errors.find((error) => error instanceof InputError);
}

async function compareOutcomes(
  outcomes: readonly KernelOutcome[],
  plan: Plan,
  trees: Trees,
  inputs: Inputs,
  repository: Repository,
  { log, signal }: GuestContext,
): Promise<GateRun> {
  const { projectPath } = repository;
  const configFile = join(projectPath, inputs.config.file);
  const { gate } = inputs.config;
  const builds = outcomes.find((outcome) => outcome.builds !== undefined)?.builds;
  const gaps = outcomes.flatMap((outcome) => [...outcome.gaps, ...(outcome.times?.gaps ?? [])]);
  const { measurements, comparisons } =
    builds === undefined ? nothingCompared : await compareBuilds(outcomes, gaps, builds, configFile, inputs, signal);
  const isWhole = outcomes.every(({ error }) => error === undefined);
  // An override may be for a bench of another shard.
  if (plan.shard === null && isWhole) {
    for (const benchmark of findUnusedOverrides([...comparisons, ...gaps], gate)) {
      log.warn(`${configFile}: no benchmark is called \`${benchmark}\`, so that [[gate.override]] sets no limit`);
    }
  }
  const kernels = outcomes.map(describeKernel);
  const profiles = outcomes.flatMap((outcome) => outcome.profiles);
  const configChanges = builds === undefined ? [] : await compareConfigs(builds.base, configFile, inputs);
  const describeRevision = (revision: RevisionName): BuiltRevision => {
    const { ref, commit, id } = trees[revision];
    return builds === undefined ? { revision, ref, commit, tree: id, tools: {} } : withoutFolder(builds[revision]);
  };
  return {
    results: {
      schema: resultsSchemaName,
      bpfgate: version,
      verdict: decideVerdict(comparisons, gaps, kernels),
      project: { name: basename(inputs.project), configFile, projectPath, configChanges },
      revisions: { base: describeRevision('base'), head: describeRevision('head') },
      shard: plan.shard,
      kernels,
      measurements,
      gaps,
      comparisons,
      profiles: profiles.map(({ profile }) => profile),
    },
    profiles,
    stages: {
      plan,
      builds: [...new Set(outcomes.flatMap((outcome) => outcome.builds ?? []))],
      guestRuns: outcomes.flatMap(({ run, furtherRuns }) => (run === undefined ? [] : [run, ...furtherRuns])),
      timedBoots: outcomes.flatMap(({ boots }) => boots),
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
  if (configFile.startsWith('..')) return [];
  try {
    const text = await readFileBelow(base.dir, configFile, maxConfig);
    return text === undefined ? [] : describeConfigChanges(parseConfig(text, config.file, manifest), config);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return [`what base has cannot be read: ${clipMiddle(error.message, maxText)}`];
  }
}

interface Compared {
  readonly measurements: readonly Measurement[];
  readonly comparisons: readonly Comparison[];
}

const nothingCompared: Compared = { measurements: [], comparisons: [] };

async function compareBuilds(
  outcomes: readonly KernelOutcome[],
  gaps: readonly Gap[],
  builds: Builds,
  configFile: string,
  { config: { gate, benches } }: Inputs,
  signal: AbortSignal | undefined,
): Promise<Compared> {
  const tree = {
    workDir: builds.workDir,
    projectPath: builds.projectPath,
    configFile,
    benches: await readBenchSources(builds.head.dir, builds.projectPath),
    hasFile: (path: string) => existsSync(join(builds.head.dir, path)),
  };
  const located = <Item extends Locatable>(items: readonly Item[]) => locateSources(items, benches, tree);
  const counts = located(outcomes.flatMap((outcome) => outcome.measurements));
  const times = compareTimes(
    outcomes.flatMap(({ times }) => (times === undefined ? [] : { ...times, benchmarks: located(times.benchmarks) })),
    gate,
  );
  const lines = outcomes.flatMap((outcome) => outcome.lines);
  const compared = [...compareMeasurements(counts, gaps, gate), ...times.comparisons];
  return {
    measurements: [...counts, ...times.measurements],
    comparisons: await addGrownLines(compared, lines, builds, tree, signal),
  };
}

/** Adds, to each program that runs or compiles to more instructions, the lines that grew; not once `signal` aborts. */
async function addGrownLines(
  comparisons: readonly Comparison[],
  lines: readonly ProgramLines[],
  builds: Builds,
  tree: SourceTree,
  signal: AbortSignal | undefined,
): Promise<Comparison[]> {
  const baseTree = { ...tree, hasFile: (path: string) => existsSync(join(builds.base.dir, path)) };
  const maps = new Map<string, LineMap>();
  const added: Comparison[] = [];
  for (const comparison of comparisons) {
    const [base, head] = revisionNames.map((revision) => linesOf(comparison, revision, lines));
    if (base === undefined || head === undefined || signal?.aborted) {
      added.push(comparison);
      continue;
    }
    const [before, after] = [locateLines(base, baseTree), locateLines(head, tree)];
    const pairs = pairFiles(before.files, after.files);
    for (const [from, to] of pairs) {
      const key = JSON.stringify([from, to]);
      if (maps.has(key)) continue;
      const texts = await readBoth(builds, from, to);
      maps.set(key, texts === null ? sameLines : mapLines(...texts));
    }
    const grown = findGrownLines(before.files, after.files, pairs, (...pair) => maps.get(JSON.stringify(pair)));
    // If not every line is known, it is not known either whether one grew.
    const isWhole = before.isWhole && after.isWhole;
    added.push({ ...comparison, lines: grown.length === 0 && !isWhole ? null : grown });
  }
  return added;
}

/** Makes a builder: on the host both revisions at once, and once; in guests one kernel after another, on demand. */
async function makeBuilder(
  request: Omit<BuildRequest, 'place'>,
  policy: SandboxPolicy,
  guestTools: Promise<ToolEnvironment> | undefined,
): Promise<Builder> {
  if (request.config.build.where === 'host') {
    const builds = await buildRevisions({ ...request, place: await onThisHost(request, policy, guestTools) });
    return async () => builds;
  }
  const limit = pLimit(1);
  return (kernel, context) =>
    limit(() => buildRevisions({ ...request, signal: context.signal, place: inGuest(kernel, context) }));
}

async function onThisHost(
  { cache, environment, log, signal }: Omit<BuildRequest, 'place'>,
  policy: SandboxPolicy,
  guestTools: Promise<ToolEnvironment> | undefined,
): Promise<BuildPlace> {
  // Names are looked up by this link's target, which on some systems is in a folder of running programs.
  const own = ['/etc/resolv.conf'];
  const read = await findReadable({ cache, environment, own });
  const agent = async () => {
    const { env } = (await guestTools) ?? { env: environment };
    return (await obtainAgent(cache, env, log, signal)).file;
  };
  const choice = await chooseSandbox({ policy, environment, read, agent, signal });
  if (choice.sandbox !== undefined && choice.reasons.length > 0) {
    log.progress(`builds run in a sandbox by ${choice.sandbox.name}: ${choice.reasons.join('; ')}`);
  }
  return inSandbox(choice, read);
}

function inGuest(kernel: CachedKernel, context: GuestContext): BuildPlace {
  return {
    label: ` in a guest of kernel ${kernel.pin.id}`,
    key: ['guest', identityOf(kernel)],
    downloads: 'needed',
    hint: 'there is no network in a guest: what a build downloads, other than crates and Go modules, has to be on the host',
    warnings: [],
    timeoutMs: guestBuildTimeoutMs,
    build: (build) => buildInGuest(kernel, build, context),
  };
}

function describeKernel({ pin, sha256, builds, run, boots, error, warnings }: KernelOutcome): KernelResult {
  const consoleTail = error instanceof VmError ? error.consoleTail : [];
  return {
    id: pin.id,
    release: pin.release,
    uname: run?.guest.release ?? null,
    sha256,
    origin: pin.origin,
    machine: run?.machine ?? null,
    kept: run?.kept ?? [],
    timed: boots[0] === undefined ? null : { machine: boots[0].machine, boots: boots.length, seed: boots[0].seed },
    fingerprint: run === undefined || builds === undefined ? null : fingerprint(sha256, run, builds),
    error:
      error === undefined
        ? null
        : {
            kind: errorKind(error),
            message: clipMiddle(error.message, maxText),
            hint: error.hint ?? null,
            consoleTail,
          },
    warnings,
  };
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
  if (error instanceof KernelError) return 'kernel';
  if (error instanceof MachineError || error instanceof InterruptedError) return 'machine';
  if (error instanceof VmError) return 'vm';
  if (error instanceof BuildError) return 'build';
  if (error instanceof BenchError) return 'bench';
  return 'internal';
}

function withoutFolder({ dir: _, seal: __, starts: ___, ...build }: Build): BuiltRevision {
  return build;
}

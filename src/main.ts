// The only place that knows the order of the stages: inputs, plan, build, kernels, vm, bench, compare, report. The
// command line and the action are two thin fronts of it.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { GitSession, openRepository } from './adapters/git.ts';
import { type Locatable, locateLines, locateSources, type SourceTree } from './bench/locate-source.ts';
import type { ProgramLines } from './bench/measurement.ts';
import { type Build, type Builds, revisionNames } from './build/build.ts';
import { type BuildPlace, onHost } from './build/build-place.ts';
import { type BuildRequest, buildRevisions } from './build/build-revisions.ts';
import { readBenchSources } from './build/read-bench-sources.ts';
import { readBoth } from './build/read-both.ts';
import { compareMeasurements } from './compare/compare.ts';
import { compareTimes } from './compare/compare-times.ts';
import type { Comparison } from './compare/comparison.ts';
import { decideVerdict } from './compare/gate-verdict.ts';
import { findGrownLines, type LineMap, linesOf, mapLines, pairFiles, sameLines } from './compare/grown-lines.ts';
import { findUnusedOverrides } from './compare/limits.ts';
import { BenchError, BuildError, type GateError, KernelError, MachineError, VmError } from './errors.ts';
import type { Inputs } from './inputs/inputs.ts';
import { chooseKernels, identityOf } from './kernels/cached.ts';
import type { CachedKernel } from './kernels/kernel.ts';
import { type Builder, type KernelOutcome, measureKernels, timeKernels } from './measure-kernels.ts';
import { makePlan } from './plan/make-plan.ts';
import type { GateRun } from './report/gate-run.ts';
import { type KernelErrorKind, type KernelResult, resultsSchemaName } from './report/results.ts';
import { version } from './version.ts';
import { buildInGuest } from './vm/build-in-guest.ts';
import type { GuestContext } from './vm/guest.ts';
import type { GuestRun } from './vm/guest-run.ts';

export interface GateOptions {
  /** For one kernel, boot included. Default 30 min. */
  readonly kernelTimeoutMs?: number;
}

const defaultKernelTimeoutMs = 30 * 60_000;
/** Under emulation a compiler is more than ten times as slow as on the host. */
const guestBuildTimeoutMs = 3 * 3_600_000;

/**
 * Runs the whole gate. A kernel that fails does not stop the others: it is an error in the result.
 *
 * @throws GateError when the inputs are bad, the project does not build or no kernel at all could be measured; nothing
 * has been written then
 */
export async function runGate(inputs: Inputs, context: GuestContext, options: GateOptions = {}): Promise<GateRun> {
  const { log } = context;
  const guests = { ...context, runner: inputs.runner };
  const plan = makePlan(inputs, chooseKernels(inputs.kernels, context.cache));
  for (const warning of plan.warnings) log.warn(warning);

  const repository = await openRepository(inputs.project);
  const git = await GitSession.open(repository);
  let outcomes: KernelOutcome[];
  try {
    const head = inputs.head === undefined ? await git.workingTree(inputs.out) : await git.commitTree(inputs.head);
    const base =
      inputs.base === undefined
        ? await git.mergeBase(head.commit ?? 'HEAD', inputs.baseBranch)
        : await git.commitTree(inputs.base);
    const build = await makeBuilder({ git, base, head, config: inputs.config, ...context });
    const timeoutMs = options.kernelTimeoutMs ?? defaultKernelTimeoutMs;
    const counted = await measureKernels(plan, build, guests, timeoutMs);
    outcomes = await timeKernels(counted, plan, guests, timeoutMs);
  } finally {
    await git.close();
  }
  const builds = outcomes.find((outcome) => outcome.builds !== undefined)?.builds;
  const [first] = outcomes;
  if (first?.error !== undefined && outcomes.every(({ error, run }) => error !== undefined && run === undefined)) {
    throw first.error;
  }
  if (builds === undefined) throw new Error('a kernel was measured without a build');

  const configFile = join(repository.projectPath, inputs.config.file);
  const { gate } = inputs.config;
  const tree = {
    workDir: builds.workDir,
    projectPath: builds.projectPath,
    configFile,
    benches: await readBenchSources(builds.head.dir, builds.projectPath),
    hasFile: (path: string) => existsSync(join(builds.head.dir, path)),
  };
  const located = <Item extends Locatable>(items: readonly Item[]) => locateSources(items, inputs.config.benches, tree);
  const gaps = outcomes.flatMap((outcome) => [...outcome.gaps, ...(outcome.times?.gaps ?? [])]);
  const counts = located(outcomes.flatMap((outcome) => outcome.measurements));
  const times = compareTimes(
    outcomes.flatMap(({ times }) => (times === undefined ? [] : { ...times, benchmarks: located(times.benchmarks) })),
    gate,
  );
  const measurements = [...counts, ...times.measurements];
  const lines = outcomes.flatMap((outcome) => outcome.lines);
  const compared = [...compareMeasurements(counts, gaps, gate), ...times.comparisons];
  const comparisons = await addGrownLines(compared, lines, builds, tree, context.signal);
  if (outcomes.every(({ error }) => error === undefined)) {
    for (const benchmark of findUnusedOverrides([...comparisons, ...gaps], gate)) {
      log.warn(`${configFile}: no benchmark is called \`${benchmark}\`, so that [[gate.override]] sets no limit`);
    }
  }
  const kernels = outcomes.map(describeKernel);
  const profiles = outcomes.flatMap((outcome) => outcome.profiles);
  return {
    results: {
      schema: resultsSchemaName,
      bpfgate: version,
      verdict: decideVerdict(comparisons, gaps, kernels),
      project: { name: basename(inputs.project), configFile, projectPath: builds.projectPath },
      revisions: { base: withoutFolder(builds.base), head: withoutFolder(builds.head) },
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
      guestRuns: outcomes.flatMap(({ run }) => (run === undefined ? [] : [run])),
      timedBoots: outcomes.flatMap(({ boots }) => boots),
    },
  };
}

/** To each program that runs or compiles to more instructions, the lines that these stand at. */
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
    signal?.throwIfAborted();
    const [base, head] = revisionNames.map((revision) => linesOf(comparison, revision, lines));
    if (base === undefined || head === undefined) {
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
    // Where not every line is known, that none grew is not known either.
    const isWhole = before.isWhole && after.isWhole;
    added.push({ ...comparison, lines: grown.length === 0 && !isWhole ? null : grown });
  }
  return added;
}

/** On the host both revisions are built at once, and once; in guests one kernel after the other, when they are wanted. */
async function makeBuilder(request: Omit<BuildRequest, 'place'>): Promise<Builder> {
  if (request.config.build.where === 'host') {
    const builds = await buildRevisions({ ...request, place: onHost });
    return async () => builds;
  }
  const limit = pLimit(1);
  return (kernel, context) =>
    limit(() => buildRevisions({ ...request, signal: context.signal, place: inGuest(kernel, context) }));
}

function inGuest(kernel: CachedKernel, context: GuestContext): BuildPlace {
  return {
    label: ` in a guest of kernel ${kernel.pin.id}`,
    key: ['guest', identityOf(kernel)],
    offline: true,
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
    keptBase: run?.keptBase ?? false,
    timed: boots[0] === undefined ? null : { machine: boots[0].machine, boots: boots.length, seed: boots[0].seed },
    fingerprint: run === undefined || builds === undefined ? null : fingerprint(sha256, run, builds),
    error:
      error === undefined
        ? null
        : { kind: errorKind(error), message: error.message, hint: error.hint ?? null, consoleTail },
    warnings,
  };
}

/** Everything that shapes a count except the programs' own bytes. */
function fingerprint(kernel: string, run: GuestRun, builds: Builds): Record<string, string> {
  const { machine } = run;
  return {
    kernel,
    accelerator: machine.accelerator,
    // Both give the same counts, but each has devices of its own, which nothing else here names.
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
  if (error instanceof MachineError) return 'machine';
  if (error instanceof VmError) return 'vm';
  if (error instanceof BuildError) return 'build';
  if (error instanceof BenchError) return 'bench';
  return 'internal';
}

function withoutFolder({ dir: _, ...build }: Build): Omit<Build, 'dir'> {
  return build;
}

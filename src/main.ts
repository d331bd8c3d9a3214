// The only place that knows the order of the stages: inputs, plan, build, kernels, vm, bench, compare, report. The
// command line and the action are two thin fronts of it.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { GitSession, openRepository } from './adapters/git.ts';
import { locateSources } from './bench/locate-source.ts';
import { measure } from './bench/measure.ts';
import type { Gap, Measurement } from './bench/measurement.ts';
import type { Build, Builds } from './build/build.ts';
import { type BuildPlace, onHost } from './build/build-place.ts';
import { type BuildRequest, buildRevisions } from './build/build-revisions.ts';
import { compareMeasurements } from './compare/compare.ts';
import { decideVerdict } from './compare/gate-verdict.ts';
import { BenchError, BuildError, GateError, InterruptedError, KernelError, MachineError, VmError } from './errors.ts';
import type { Inputs } from './inputs/inputs.ts';
import { chooseKernels, identityOf } from './kernels/cached.ts';
import { fetchKernel } from './kernels/fetch.ts';
import type { CachedKernel, KernelPin } from './kernels/kernel.ts';
import { makePlan } from './plan/make-plan.ts';
import type { Plan } from './plan/plan.ts';
import { drawProfiles } from './profile/draw.ts';
import type { ProfileFile } from './profile/profile.ts';
import type { GateRun } from './report/gate-run.ts';
import { type KernelErrorKind, type KernelResult, resultsSchemaName } from './report/results.ts';
import { version } from './version.ts';
import { buildInGuest } from './vm/build-in-guest.ts';
import type { GuestContext } from './vm/guest.ts';
import type { GuestRun } from './vm/guest-run.ts';
import { measureInGuest } from './vm/measure-in-guest.ts';

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
    outcomes = await measureKernels(plan, build, guests, options.kernelTimeoutMs ?? defaultKernelTimeoutMs);
  } finally {
    await git.close();
  }
  const builds = outcomes.find((outcome) => outcome.builds !== undefined)?.builds;
  const [first] = outcomes;
  if (first?.error !== undefined && outcomes.every(({ error }) => error !== undefined)) throw first.error;
  if (builds === undefined) throw new Error('a kernel was measured without a build');

  const configFile = join(repository.projectPath, inputs.config.file);
  const measurements = locateSources(
    outcomes.flatMap((outcome) => outcome.measurements),
    plan.benches,
    {
      workDir: builds.workDir,
      projectPath: builds.projectPath,
      configFile,
      hasFile: (path) => existsSync(join(builds.head.dir, path)),
    },
  );
  const gaps = outcomes.flatMap((outcome) => outcome.gaps);
  const comparisons = compareMeasurements(measurements, gaps, inputs.config.gate);
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
    },
  };
}

/** Gives what is measured on a kernel. */
type Builder = (kernel: CachedKernel, context: GuestContext) => Promise<Builds>;

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

/**
 * Under icount a guest's counts do not depend on what else the host does, so kernels run side by side. What stops one for
 * another reason than its own failure ends the others.
 */
async function measureKernels(
  plan: Plan,
  build: Builder,
  context: GuestContext,
  timeoutMs: number,
): Promise<KernelOutcome[]> {
  const limit = pLimit(availableParallelism());
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(context.signal === undefined ? [] : [context.signal])]);
  let failure: { readonly error: unknown } | undefined;
  const measureOne = async (pin: KernelPin) => {
    try {
      return await measureKernel(pin, plan, build, { ...context, signal }, timeoutMs);
    } catch (error) {
      failure ??= { error };
      stop.abort(error);
      return undefined;
    }
  };
  const outcomes = await Promise.all(plan.kernels.map((pin) => limit(() => measureOne(pin))));
  if (failure !== undefined) throw failure.error;
  return outcomes.filter((outcome) => outcome !== undefined);
}

interface KernelOutcome {
  readonly pin: KernelPin;
  /** What identifies the kernel that ran, SHA-256; of what it is made from where it could not be had. */
  readonly sha256: string;
  /** What was measured on it; undefined where it could not be built. */
  readonly builds: Builds | undefined;
  readonly run: GuestRun | undefined;
  readonly measurements: readonly Measurement[];
  readonly gaps: readonly Gap[];
  readonly profiles: readonly ProfileFile[];
  readonly warnings: readonly string[];
  readonly error: GateError | undefined;
}

async function measureKernel(
  pin: KernelPin,
  plan: Plan,
  build: Builder,
  context: GuestContext,
  timeoutMs: number,
): Promise<KernelOutcome> {
  let sha256 = pin.sha256;
  let builds: Builds | undefined;
  try {
    const kernel = await fetchKernel(pin, context);
    sha256 = identityOf(kernel);
    builds = await build(kernel, context);
    const objectWarnings = checkObjects(plan, builds);
    const { run, profiles, agent } = await measureInGuest({ kernel, plan, builds, timeoutMs }, context);
    const { measurements, gaps, warnings } = measure(run, plan);
    const drawn = await drawProfiles(profiles, { kernel: pin.id, agent: agent.file, signal: context.signal });
    context.log.progress(`${pin.id}: measured`);
    return {
      pin,
      sha256,
      builds,
      run,
      measurements,
      gaps,
      profiles: drawn.files,
      warnings: [...objectWarnings, ...run.warnings, ...warnings, ...drawn.warnings],
      error: undefined,
    };
  } catch (error) {
    if (!(error instanceof GateError) || error instanceof InterruptedError) throw error;
    // The only kernel's error is the run's own and is told by whoever called.
    if (plan.kernels.length > 1) context.log.warn(`${pin.id}: ${error.message}`);
    return { pin, sha256, builds, run: undefined, measurements: [], gaps: [], profiles: [], warnings: [], error };
  }
}

/**
 * What to say where the verifier lane has nothing to do.
 *
 * @throws BuildError when nothing else was to be done
 */
function checkObjects({ lanes, benches }: Plan, { objects }: Builds): string[] {
  if (!lanes.includes('verifier') || objects.length > 0) return [];
  const message = 'no BPF object is in the built project, so the verifier lane has no program to load';
  if (benches.length > 0) return [message];
  throw new BuildError(message, {
    hint: 'let build.command leave object files, and name them in bpfgate.toml if they are found by other names: [build] objects = ["src/*.bpf.o"]',
  });
}

function describeKernel({ pin, sha256, builds, run, error, warnings }: KernelOutcome): KernelResult {
  const consoleTail = error instanceof VmError ? error.consoleTail : [];
  return {
    id: pin.id,
    release: pin.release,
    uname: run?.guest.release ?? null,
    sha256,
    origin: pin.origin,
    machine: run?.machine ?? null,
    keptBase: run?.keptBase ?? false,
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

// The gate, from inputs to results: the only file that knows the order of the stages. Commands and the action read
// inputs, call `runGate` and publish what it returns; the steps between two stages are in src/gate/.

import { part } from './adapters/schedule.ts';
import type { BuildRequest } from './build/build-revisions.ts';
import { readCriterionUse } from './build/read-criterion.ts';
import type { Cache } from './cache/cache.ts';
import type { Release } from './cache/lock.ts';
import { type GateError, InputError } from './common/errors.ts';
import { addPresets, readByAgent } from './gate/add-presets.ts';
import type { Builder } from './gate/builder.ts';
import { compareKernels } from './gate/compare-kernels.ts';
import { isMeasured, type KernelOutcome } from './gate/kernel-outcome.ts';
import { makeResults } from './gate/make-results.ts';
import { measureKernels } from './gate/measure-kernels.ts';
import { openObjects, openProject, type Subject } from './gate/open-subject.ts';
import { readHeadInputs } from './gate/own-inputs.ts';
import { chooseKernels } from './kernels/cached.ts';
import { findOwnKernels } from './kernels/own/find.ts';
import type { RevisionName } from './model/build.ts';
import type { Config, Inputs } from './model/inputs.ts';
import type { KernelPin, OwnKernel } from './model/kernel.ts';
import { makePlan } from './plan/make-plan.ts';
import { isVerified, type Plan } from './plan/plan.ts';
import type { ToolEnvironment } from './prerequisites/prerequisites.ts';
import { type Accept, limitAccepts } from './report/accept.ts';
import type { GateRun } from './report/gate-run.ts';
import type { GuestContext } from './vm/guest.ts';
import { obtainProgram } from './vm/programs.ts';

export interface GateOptions {
  /** Time limit of one kernel, boot included. Default 30 min. */
  readonly kernelTimeoutMs?: number | undefined;
  /** The tools that start guests, which may still be being installed. Default: the tools that build the project. */
  readonly guestTools?: Promise<ToolEnvironment>;
  /** Chooses what accepts regressions, given the `bpfgate-accept` lines of commits. Default: the given lines. */
  readonly acceptsOf?: (ofCommits: readonly Accept[]) => readonly Accept[];
  /** How many built trees of the repository stay in the cache, the last used ones. Default 6. */
  readonly keptBuilds?: number;
  /** Whether both revisions are measured by the working tree's configuration. Default: each by its own. */
  readonly isConfigShared?: boolean;
}

const defaultKernelTimeoutMs = 30 * 60_000;

const registriesWarning =
  "dependencies are downloaded by the project's own settings (allow-project-registries): the project chooses which servers get the credentials of this machine, and its programs can run on the host outside of the build's sandbox. Use this only for projects whose authors you trust";

/**
 * Runs the whole gate. A kernel that fails does not stop the others: it is an error in the result. If the run is
 * interrupted, each unfinished kernel is an error in the result of those that finished.
 *
 * @throws GateError when the inputs are bad, the project does not build, the only kernel could not be measured, or the
 * run was interrupted before any kernel was measured
 */
export async function runGate(given: Inputs, context: GuestContext, options: GateOptions = {}): Promise<GateRun> {
  const { cache, log, signal } = context;
  const { inputs, criterion } = options.isConfigShared
    ? { inputs: given, criterion: await readCriterionUse(given.project) }
    : await readHeadInputs(given, context);
  // Plan: which benches and lanes, on which kernels.
  const own = await findOwnKernels(inputs.kernels, inputs.config.namedKernels);
  const plan = makePlan(inputs, chooseKernels(inputs.kernels, cache, own), criterion);
  const reference = inputs.against === undefined ? undefined : chooseReference(inputs.against, plan, cache, own);
  for (const warning of plan.warnings) log.warn(warning);
  for (const note of plan.notes) log.progress(note);
  if (inputs.allowProjectRegistries) log.warn(registriesWarning);

  // The cache keeps what this run uses until its end.
  const uses: Release[] = [];
  const onUse = (release: Release) => uses.push(release);
  try {
    const measured = await measureTrees(plan, inputs, { ...context, onUse }, options);
    const accepts = limitAccepts((options.acceptsOf ?? ((all) => all))(measured.accepts));
    const outcomes =
      reference === undefined ? measured.outcomes : compareKernels(measured.outcomes, reference, measured.plan);
    if (!outcomes.some(isMeasured)) signal?.throwIfAborted();
    const error = errorOfRun(outcomes);
    if (error !== undefined) throw error;
    // Compare: pairs, limits, verdicts. The caller renders the report from these results.
    return await part('compare', () => makeResults(outcomes, measured, inputs, accepts, context));
  } finally {
    await Promise.all(uses.map((release) => release()));
  }
}

/** @throws InputError when `against` selects several kernels, or no other kernel is selected to compare */
function chooseReference(
  against: string,
  { kernels }: Plan,
  cache: Cache,
  own: ReadonlyMap<string, OwnKernel>,
): KernelPin {
  const [pin, ...others] = chooseKernels([against], cache, own);
  if (pin === undefined || others.length > 0) {
    throw new InputError(`${against} selects ${others.length + 1} kernels; the others are compared with exactly one`, {
      hint: 'give --against (input against) the id of one kernel; `bpfgate kernels list` shows them',
    });
  }
  if (kernels.length === 1) {
    throw new InputError(`no other kernel than ${pin.id} is selected to be compared with it`, {
      hint: 'select others by --kernels (input kernels)',
    });
  }
  return pin;
}

/** Builds base and head, or takes objects as they are; boots every kernel, and measures both revisions on it. */
async function measureTrees(
  planned: Plan,
  inputs: Inputs,
  context: GuestContext & Pick<BuildRequest, 'onUse'>,
  { kernelTimeoutMs = defaultKernelTimeoutMs, guestTools, keptBuilds, isConfigShared = false }: GateOptions,
): Promise<Omit<Subject, 'build' | 'close'> & { outcomes: KernelOutcome[] }> {
  const {
    build: buildTrees,
    close,
    ...subject
  } = inputs.objects === undefined
    ? await openProject(planned, inputs, { ...context, keptBuilds }, isConfigShared)
    : await openObjects(planned, inputs.objects, inputs.config, context);
  const { plan, baseConfig } = subject;
  try {
    const guests = {
      ...context,
      runner: inputs.runner,
      environment: (await guestTools)?.env ?? context.environment,
      // Tools that come later are being installed, so others may be installed too.
      install: guestTools !== undefined,
    };
    const presetsIn = (revision: RevisionName, config: Config) =>
      isVerified(plan, revision) ? config : { ...config, presets: [], sections: {} };
    const agent = async () => (await obtainProgram('bpfgate-agent', guests)).file;
    // Build: base and head at one path, or objects as they are.
    const build: Builder = async (...given) => {
      const builds = await buildTrees(...given);
      const read = readByAgent(agent, guests);
      return await addPresets(builds, read, presetsIn('head', inputs.config), presetsIn('base', baseConfig));
    };
    // Kernels, vm, bench: each kernel is fetched, booted, and its records become measurements.
    return { ...subject, outcomes: await measureKernels(plan, build, inputs.config.gate, guests, kernelTimeoutMs) };
  } finally {
    await close();
  }
}

/** The error that fails the whole run, if any: the only kernel's, or an InputError if no kernel was measured. */
function errorOfRun(outcomes: readonly KernelOutcome[]): GateError | undefined {
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  if (outcomes.some(isMeasured) || errors.length < outcomes.length) return undefined;
  return outcomes.length === 1 ? errors[0] : errors.find((error) => error instanceof InputError);
}

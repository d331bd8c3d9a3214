// The gate, from inputs to results: the only file that knows the order of the stages. The command line and the action
// read inputs, call `runGate` and publish what it returns; src/gate/ has what one stage hands to the next.

import { GitSession, openRepository } from './adapters/git.ts';
import { part } from './adapters/schedule.ts';
import type { BuildRequest } from './build/build-revisions.ts';
import { readCriterionUse } from './build/read-criterion.ts';
import { takeObjects } from './build/take-objects.ts';
import type { Release } from './cache/lock.ts';
import { type GateError, InputError } from './common/errors.ts';
import { registryVariables } from './common/host-environment.ts';
import { type Builder, makeBuilder } from './gate/builder.ts';
import { isMeasured, type KernelOutcome } from './gate/kernel-outcome.ts';
import { makeResults, type Trees } from './gate/make-results.ts';
import { measureKernels } from './gate/measure-kernels.ts';
import { timeKernels } from './gate/time-kernels.ts';
import { chooseKernels } from './kernels/cached.ts';
import type { Build } from './model/build.ts';
import type { GivenObjects, Inputs } from './model/inputs.ts';
import { makePlan } from './plan/make-plan.ts';
import type { Plan } from './plan/plan.ts';
import type { ToolEnvironment } from './prerequisites/prerequisites.ts';
import type { GateRun } from './report/gate-run.ts';
import type { GuestContext } from './vm/guest.ts';

export interface GateOptions {
  /** Time limit of one kernel, boot included. Default 30 min. */
  readonly kernelTimeoutMs?: number;
  /** Tools to start guests with, once installed. Default: those that the project is built with. */
  readonly guestTools?: Promise<ToolEnvironment>;
}

const defaultKernelTimeoutMs = 30 * 60_000;

const registriesWarning =
  "dependencies are downloaded by the project's own settings (allow-project-registries): the project chooses which servers get the logins of this machine, and its programs can run on the host outside of the build's sandbox. Use this only for projects whose authors you trust";

/**
 * Runs the whole gate. A kernel that fails does not stop the others: it is an error in the result. So is a kernel that
 * had not finished when the run was interrupted, if another had.
 *
 * @throws GateError when the inputs are bad, the project does not build, the only kernel could not be measured, or the
 * run was interrupted before any kernel was
 */
export async function runGate(inputs: Inputs, context: GuestContext, options: GateOptions = {}): Promise<GateRun> {
  const { cache, log, signal } = context;
  // Plan: which benches and lanes, on which kernels.
  const plan = makePlan(inputs, chooseKernels(inputs.kernels, cache), await readCriterionUse(inputs.project));
  for (const warning of plan.warnings) log.warn(warning);
  for (const note of plan.notes) log.progress(note);
  if (inputs.allowProjectRegistries) log.warn(registriesWarning);

  // The cache keeps what this run uses until its end.
  const uses: Release[] = [];
  const onUse = (release: Release) => uses.push(release);
  try {
    const { trees, projectPath, outcomes } = await measureTrees(plan, inputs, { ...context, onUse }, options);
    if (!outcomes.some(isMeasured)) signal?.throwIfAborted();
    const error = errorOfRun(outcomes);
    if (error !== undefined) throw error;
    // Compare: pairs, limits, verdicts. What shows them makes a report of them.
    return await part('compare', () => makeResults(outcomes, plan, trees, inputs, projectPath, context));
  } finally {
    await Promise.all(uses.map((release) => release()));
  }
}

/** Builds base and head, or takes objects as they are; boots every kernel, and measures both revisions on it. */
async function measureTrees(
  plan: Plan,
  inputs: Inputs,
  context: GuestContext & Pick<BuildRequest, 'onUse'>,
  { kernelTimeoutMs = defaultKernelTimeoutMs, guestTools }: GateOptions,
): Promise<{ trees: Trees; projectPath: string; outcomes: KernelOutcome[] }> {
  const { trees, projectPath, build, close } =
    inputs.objects === undefined
      ? await openProject(plan, inputs, context, guestTools)
      : await openObjects(inputs.objects, context);
  try {
    const guests = {
      ...context,
      runner: inputs.runner,
      environment: (await guestTools)?.env ?? context.environment,
      // Tools that come later are being installed, so others may be installed too.
      install: guestTools !== undefined,
    };
    // Kernels, vm, bench: each kernel is fetched, booted, and its records become measurements; then times, alone.
    const counted = await measureKernels(plan, build, inputs.config.gate, guests, kernelTimeoutMs);
    return { trees, projectPath, outcomes: await timeKernels(counted, plan, guests, kernelTimeoutMs) };
  } finally {
    await close();
  }
}

/** What is measured: two revisions of a project, or objects. */
interface Subject {
  readonly trees: Trees;
  /** Path of the project below its repository's root; empty at the root. */
  readonly projectPath: string;
  readonly build: Builder;
  readonly close: () => Promise<void>;
}

/** Builds both revisions here on the host; in guests the returned builder does, with a kernel. */
async function openProject(
  plan: Plan,
  inputs: Inputs,
  context: GuestContext & Pick<BuildRequest, 'onUse'>,
  guestTools: GateOptions['guestTools'],
): Promise<Subject> {
  const repository = await openRepository(inputs.project);
  const git = await GitSession.open(repository);
  try {
    const trees = await findTrees(git, inputs);
    const build = await makeBuilder(
      {
        ...context,
        ...trees,
        git,
        config: inputs.config,
        cargoCommands: plan.cargoCommands,
        // Not from the tools' environment, which is a copy: a step's secrets do not enumerate.
        registries: inputs.allowProjectRegistries ? registryVariables(process.env) : undefined,
      },
      inputs.sandbox,
      guestTools,
    );
    return { trees, projectPath: repository.projectPath, build, close: () => git.close() };
  } catch (error) {
    await git.close();
    throw error;
  }
}

async function openObjects(
  objects: GivenObjects,
  context: GuestContext & Pick<BuildRequest, 'onUse'>,
): Promise<Subject> {
  const builds = await takeObjects({ ...context, objects });
  const trees = { base: treeOf(builds.base), head: treeOf(builds.head) };
  return { trees, projectPath: '', build: async () => builds, close: async () => {} };
}

function treeOf({ tree, ref, commit }: Build): Trees['base'] {
  return { id: tree, ref, commit };
}

async function findTrees(git: GitSession, inputs: Inputs) {
  const head = inputs.head === undefined ? await git.workingTree(inputs.out) : await git.commitTree(inputs.head);
  const base =
    inputs.base === undefined ? await git.defaultBase(head, inputs.baseBranch) : await git.commitTree(inputs.base);
  return { base, head };
}

/** The error that fails the whole run, if any: an input's, or the only kernel's. */
function errorOfRun(outcomes: readonly KernelOutcome[]): GateError | undefined {
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  if (outcomes.some(isMeasured) || errors.length < outcomes.length) return undefined;
  return outcomes.length === 1 ? errors[0] : errors.find((error) => error instanceof InputError);
}

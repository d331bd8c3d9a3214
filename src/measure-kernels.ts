// Gate: brings every kernel into the cache, boots it and measures on it, in both ways of measuring.

import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { part } from './adapters/schedule.ts';
import { locateFile } from './bench/locate-source.ts';
import { measure } from './bench/measure.ts';
import { measureTimes } from './bench/measure-times.ts';
import type { BootMeasured, Gap, Measurement, ProgramLines } from './bench/measurement.ts';
import type { Rename } from './bench/program-names.ts';
import { readBoth } from './build/read-both.ts';
import { checkSeals } from './build/seal.ts';
import { BenchError, BuildError, GateError, InterruptedError, machineFailure, VmError } from './common/errors.ts';
import { addConfirmations, compareMeasurements, findVaryingChanges } from './compare/compare.ts';
import type { KernelTimes } from './compare/compare-times.ts';
import { findRenames } from './compare/find-renames.ts';
import { identityOf } from './kernels/cached.ts';
import { fetchKernel } from './kernels/fetch.ts';
import type { Builds } from './model/build.ts';
import type { GuestRun, TimedBoot } from './model/guest-run.ts';
import type { Config } from './model/inputs.ts';
import type { CachedKernel, KernelPin } from './model/kernel.ts';
import type { Plan } from './plan/plan.ts';
import type { ProfileFile } from './profile/profile.ts';
import { drawProfiles } from './vm/draw-profiles.ts';
import type { GuestContext } from './vm/guest.ts';
import { type Audit, type MeasureRequest, measureInGuest } from './vm/measure-in-guest.ts';
import { timeInGuest } from './vm/time-in-guest.ts';

/** Provides the builds that are measured on a kernel. */
export type Builder = (kernel: CachedKernel, context: GuestContext) => Promise<Builds>;

/**
 * Measures kernels in parallel: under icount a guest's counts do not depend on what else the host does. A kernel that
 * stops for another reason than its own failure ends the others. An interruption is an error of each kernel that had
 * not finished.
 */
export async function measureKernels(
  plan: Plan,
  build: Builder,
  gate: Config['gate'],
  context: GuestContext,
  timeoutMs: number,
): Promise<KernelOutcome[]> {
  const processors = availableParallelism();
  const limit = pLimit(processors);
  // Each kernel has a limit of its own, so that one that hangs does not hold up another.
  const guestsOfEach = Math.max(1, Math.floor(processors / plan.kernels.length));
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(context.signal === undefined ? [] : [context.signal])]);
  setMaxListeners(0, signal);
  let failure: { readonly error: unknown } | undefined;
  const measureOne = async (pin: KernelPin) => {
    try {
      const guests = { ...context, signal, guests: pLimit(guestsOfEach) };
      return await measureKernel(pin, plan, build, gate, guests, timeoutMs);
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

export interface KernelOutcome {
  readonly pin: KernelPin;
  /** SHA-256 of the kernel that ran, or of its inputs if it could not be obtained. */
  readonly sha256: string;
  /** The builds that were measured; undefined if building failed. */
  readonly builds: Builds | undefined;
  readonly kernel: CachedKernel | undefined;
  readonly run: GuestRun | undefined;
  /** Programs that base has under another name, or in another object. */
  readonly renames: readonly Rename[];
  /** Results of benches that were measured again. */
  readonly furtherRuns: readonly GuestRun[];
  /** Boots of the time lane. */
  readonly boots: readonly TimedBoot[];
  readonly times: KernelTimes | undefined;
  readonly measurements: readonly Measurement[];
  readonly gaps: readonly Gap[];
  readonly lines: readonly ProgramLines[];
  readonly profiles: readonly ProfileFile[];
  readonly warnings: readonly string[];
  readonly error: GateError | undefined;
}

/** Whether there is something to report of a kernel, in at least one way of measuring. */
export function isMeasured({ run, times }: KernelOutcome): boolean {
  return run !== undefined || times !== undefined;
}

async function measureKernel(
  pin: KernelPin,
  plan: Plan,
  build: Builder,
  gate: Config['gate'],
  context: GuestContext,
  timeoutMs: number,
): Promise<KernelOutcome> {
  const outcome: KernelOutcome = { ...nothingMeasured, pin, sha256: pin.sha256 };
  let known = outcome;
  try {
    context.signal?.throwIfAborted();
    const kernel = await fetchKernel(pin, context);
    known = { ...known, kernel, sha256: identityOf(kernel) };
    const builds = await build(kernel, context);
    const objectWarnings = checkObjects(plan, builds);
    known = { ...known, builds, warnings: [...builds.warnings, ...objectWarnings] };
    const isVerified = plan.lanes.includes('verifier') && builds.objects.length > 0;
    if (plan.benches.length === 0 && !isVerified) return known;
    await checkSeals([builds.base, builds.head]);
    const request = { kernel, plan, builds, timeoutMs };
    const deadline = performance.now() + timeoutMs;
    const { run, profiles, agent, audits } = await measureInGuest(request, context);
    await checkAudits(audits, plan, gate);
    const renames = await findRenamesOf(run, builds);
    const { measurements, gaps, lines, warnings, error, furtherRuns } = await confirmChanges(
      measure(run, plan, renames),
      request,
      renames,
      gate,
      context,
      deadline,
    );
    const drawn = await part(`profiles ${pin.id}`, () =>
      drawProfiles(profiles, { kernel: pin.id, agent: agent.file, signal: context.signal }),
    );
    context.log.progress(`${pin.id}: measured`);
    if (error !== undefined) context.log.warn(`${pin.id}: ${error.message}`);
    return {
      ...known,
      run,
      renames,
      furtherRuns,
      error,
      measurements,
      gaps,
      lines,
      profiles: drawn.files,
      warnings: [...known.warnings, ...run.warnings, ...warnings, ...drawn.warnings],
    };
  } catch (error) {
    return failWith(error, known, plan, context);
  }
}

/** Finds programs that head has under another name. In equal trees, names only differ if a running bench makes them. */
async function findRenamesOf(run: GuestRun, builds: Builds): Promise<Rename[]> {
  if (builds.base.tree === builds.head.tree) return [];
  const { workDir, projectPath } = builds;
  return await findRenames(run, {
    locate: (revision, compiled) => {
      const hasFile = (path: string) => existsSync(join(builds[revision].dir, path));
      return locateFile(compiled, { workDir, projectPath, hasFile });
    },
    read: (base, head) => readBoth(builds, base, head),
  });
}

/**
 * Compares cached counts with those of a new boot, by the rules and limits of any comparison.
 *
 * @throws VmError when they differ; the cached ones are then removed
 */
async function checkAudits(audits: readonly Audit[], plan: Plan, gate: Config['gate']): Promise<void> {
  const failures: string[] = [];
  const keys: string[] = [];
  for (const { revision, kind, at, by, both, key, drop } of audits) {
    const difference = findDifference(both, kind === 'benches' ? plan : { ...plan, benches: [] }, gate);
    if (difference === undefined) continue;
    await drop();
    keys.push(`counts/${key}`);
    failures.push(
      `kernel ${both.kernel} counted ${revision} otherwise than ${by} of ${at.toISOString()} did, when it was counted again as an audit: ${difference}`,
    );
  }
  if (failures.length === 0) return;
  throw new VmError(failures.join('; '), {
    hint: `equal programs have to give equal counts: report this with the results of both runs. They are removed from this cache; delete them from the workflows' cache if they are there: ${keys.join(', ')}`,
  });
}

/** Describes how head, which is base again, differs from base. */
function findDifference(both: GuestRun, plan: Plan, gate: Config['gate']): string | undefined {
  let measured: BootMeasured;
  try {
    measured = measure(both, plan);
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    return error.message;
  }
  const { measurements, gaps, error } = measured;
  if (error !== undefined) return error.message;
  const [first, ...others] = compareMeasurements(measurements, gaps, gate).filter(
    // Whether a program can be tried does not depend on chance.
    ({ verdict, lane }) => verdict !== 'unchanged' && (verdict !== 'inconclusive' || lane === 'verifier'),
  );
  if (first === undefined) return undefined;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return `${first.benchmark} ${first.measure} was ${first.base ?? 'not there'} then and is ${first.head ?? 'not there'} now${more}`;
}

/** Boots of each revision after the first one, in which a change in varying readings must be seen. */
const furtherBoots = 2;

interface Confirmed extends Omit<BootMeasured, 'error'>, Pick<KernelOutcome, 'error' | 'furtherRuns'> {}

/**
 * Measures benches again if something inexact seems to have changed. Base and head have boots of their own each time:
 * readings of one boot can share what another boot of the same code does not. If such a boot fails, its changes are not
 * confirmed and the kernel has its error.
 *
 * @param deadline end of the kernel's time, by `performance.now()`
 */
async function confirmChanges(
  first: BootMeasured,
  { plan, ...request }: MeasureRequest,
  renames: readonly Rename[],
  gate: Config['gate'],
  context: GuestContext,
  deadline: number,
): Promise<Confirmed> {
  let confirmed: Confirmed = { ...first, furtherRuns: [] };
  for (let boot = 1; boot <= furtherBoots; boot++) {
    const { measurements, gaps, furtherRuns } = confirmed;
    const changes = findVaryingChanges(measurements, gaps, gate);
    const benches = plan.benches.filter(({ name }) =>
      changes.some(({ benchmark }) => benchmark.startsWith(`${name}/`)),
    );
    if (benches.length === 0) break;
    const { id } = request.kernel.pin;
    const names = benches.map(({ name }) => `\`${name}\``).join(', ');
    context.log.progress(
      `${id}: measuring ${names} again (${boot} of ${furtherBoots}): what is not exact seems to have changed`,
    );
    try {
      await checkSeals([request.builds.base, request.builds.head]);
      const timeoutMs = deadline - performance.now();
      if (timeoutMs <= 0) {
        throw new VmError(`no time is left to measure ${names} again on kernel ${id}`, { hint: 'raise --timeout' });
      }
      const again: Plan = {
        ...plan,
        lanes: ['instructions'],
        benches: benches.map((bench) => ({ ...bench, profileCommand: null })),
      };
      const wanted = { ...request, plan: again, timeoutMs, further: boot };
      const { run } = await measureInGuest(wanted, { ...context, auditShare: 0 });
      const further = measure(run, again, renames);
      confirmed = {
        ...confirmed,
        measurements: addConfirmations(measurements, changes, further.measurements),
        error: confirmed.error ?? further.error,
        furtherRuns: [...furtherRuns, run],
      };
    } catch (thrown) {
      const error = machineFailure(thrown) ?? thrown;
      if (!(error instanceof GateError) || context.signal?.aborted === true) throw thrown;
      return {
        ...confirmed,
        measurements: addConfirmations(measurements, changes, []),
        error: confirmed.error ?? error,
      };
    }
  }
  return confirmed;
}

const nothingMeasured = {
  ...{
    kernel: undefined,
    builds: undefined,
    run: undefined,
    renames: [],
    furtherRuns: [],
    boots: [],
    times: undefined,
  },
  error: undefined,
  ...{ measurements: [], gaps: [], lines: [], profiles: [], warnings: [] },
};

function failWith(thrown: unknown, outcome: KernelOutcome, plan: Plan, { log, signal }: GuestContext): KernelOutcome {
  // Once the run is aborted, every failure is due to that. A disk that is full for one kernel does not take the others'
  // results away.
  const error = signal?.aborted === true ? signal.reason : (machineFailure(thrown) ?? thrown);
  if (!(error instanceof GateError)) throw error;
  const failed = { ...nothingMeasured, pin: outcome.pin, sha256: outcome.sha256, builds: outcome.builds };
  if (error instanceof InterruptedError)
    return { ...failed, error: new InterruptedError('interrupted', interruptedHint) };
  // The only kernel's error is the run's own, and the caller reports it.
  if (plan.kernels.length > 1) log.warn(`${outcome.pin.id}: ${error.message}`);
  return { ...failed, error };
}

const interruptedHint = { hint: 'run it again: results of finished kernels are reused' };

/**
 * Runs the time lane, one kernel after the other, while nothing else of the gate runs: times depend on what else the
 * host does. Each kernel has its share of the remaining budget.
 */
export async function timeKernels(
  outcomes: readonly KernelOutcome[],
  plan: Plan,
  context: GuestContext,
  timeoutMs: number,
): Promise<KernelOutcome[]> {
  if (plan.timed.length === 0) return [...outcomes];
  const startedAt = performance.now();
  const seed = Math.floor(Math.random() * 2 ** 32);
  const timed: KernelOutcome[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const { kernel, builds } = outcome;
    if (kernel === undefined || builds === undefined || outcome.error !== undefined) {
      timed.push(outcome);
      continue;
    }
    const leftMs = plan.timeBudgetMs - (performance.now() - startedAt);
    const budgetMs = Math.max(0, leftMs) / (outcomes.length - index);
    try {
      context.signal?.throwIfAborted();
      await checkSeals([builds.base, builds.head]);
      const request = { kernel, plan, builds, budgetMs, timeoutMs, seed };
      const boots = await part(`times ${outcome.pin.id}`, () => timeInGuest(request, context));
      const isReal = boots.every(({ machine }) => machine.accelerator === 'kvm');
      const times = { ...measureTimes(boots, plan, outcome.renames), kernel: outcome.pin.id, isReal };
      const warnings = [...new Set([...outcome.warnings, ...boots.flatMap((boot) => boot.warnings)])];
      timed.push({ ...outcome, boots, times, warnings });
    } catch (error) {
      // Earlier counts stay, but an incomplete gate cannot pass.
      timed.push({ ...outcome, error: failWith(error, outcome, plan, context).error });
    }
  }
  return timed;
}

/**
 * Returns the warning if the verifier lane has nothing to do.
 *
 * @throws BuildError when there is nothing else to do
 */
function checkObjects({ lanes, benches, timed }: Plan, { objects }: Builds): string[] {
  if (!lanes.includes('verifier') || objects.length > 0) return [];
  const message = 'no BPF object is in the built project, so the verifier lane has no program to load';
  if (benches.length > 0 || timed.length > 0) return [message];
  throw new BuildError(message, {
    hint: 'let build.command leave object files, and name them in bpfgate.toml if they are found by other names: [build] objects = ["src/*.bpf.o"]',
  });
}

// Gate: brings every kernel into the cache, boots it and counts on it.

import { availableParallelism } from 'node:os';
import pLimit, { type LimitFunction } from 'p-limit';
import { runTogether } from '../adapters/run-together.ts';
import { part } from '../adapters/schedule.ts';
import { describeInside } from '../bench/inside.ts';
import { locateFile } from '../bench/locate-source.ts';
import { measure } from '../bench/measure.ts';
import type { Rename } from '../bench/program-names.ts';
import { readBoth } from '../build/read-both.ts';
import { BuildError } from '../common/errors.ts';
import { findRenames } from '../compare/find-renames.ts';
import { fetchKernel } from '../kernels/fetch.ts';
import { type Builds, revisionNames } from '../model/build.ts';
import type { GuestRun } from '../model/guest-run.ts';
import type { Config } from '../model/inputs.ts';
import type { KernelPin } from '../model/kernel.ts';
import type { Warning } from '../model/warning.ts';
import { benchNames, isVerified, type Plan, planOn } from '../plan/plan.ts';
import { drawProfiles } from '../vm/draw-profiles.ts';
import type { GuestContext } from '../vm/guest.ts';
import { measureInGuest } from '../vm/measure-in-guest.ts';
import { obtainPlugin } from '../vm/plugin.ts';
import { seeInside } from '../vm/see-inside.ts';
import type { Builder } from './builder.ts';
import { checkAudits } from './check-audits.ts';
import { confirmChanges } from './confirm-changes.ts';
import { findSources } from './find-sources.ts';
import { toKernelError } from './kernel-error.ts';
import type { KernelOutcome } from './kernel-outcome.ts';
import { seeChanges } from './see-changes.ts';

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
  const limits = new Set<LimitFunction>();
  let waiting = plan.kernels.length;
  const shareProcessors = () => {
    const guestsOfEach = Math.max(1, Math.floor(processors / (limits.size + waiting)));
    for (const guests of limits) guests.concurrency = guestsOfEach;
  };
  const measureOne = async (pin: KernelPin, signal: AbortSignal) => {
    const guests = pLimit(1);
    limits.add(guests);
    waiting -= 1;
    shareProcessors();
    // Processors become free while the last of more kernels than processors is measured.
    const isLast = waiting === 0 && plan.kernels.length > processors;
    const shares = isLast ? processors : guests.concurrency;
    try {
      return await measureKernel(pin, plan, build, gate, { ...context, signal, guests, shares }, timeoutMs);
    } finally {
      limits.delete(guests);
      shareProcessors();
    }
  };
  return await runTogether(plan.kernels, context.signal, (pin, signal) => limit(() => measureOne(pin, signal)));
}

async function measureKernel(
  pin: KernelPin,
  whole: Plan,
  build: Builder,
  gate: Config['gate'],
  context: GuestContext,
  timeoutMs: number,
): Promise<KernelOutcome> {
  const plan = planOn(whole, pin.id);
  let known: KernelOutcome = { ...nothingMeasured, pin };
  try {
    context.signal?.throwIfAborted();
    const kernel = await fetchKernel(pin, context);
    known = { ...known, pin: kernel.pin, kernel };
    const builds = await build(kernel, context);
    const warnings = [...builds.warnings, ...checkObjects(plan, builds)];
    known = { ...known, builds };
    const hasObjects = builds.objects.some(({ revision }) => isVerified(plan, revision));
    if (benchNames(plan).length === 0 && !hasObjects) return { ...known, warnings };
    const request = { kernel, plan, builds, timeoutMs };
    const deadline = performance.now() + timeoutMs;
    // Before anything is booted, as it may not build.
    const plugin = context.inside === true ? await obtainPlugin(context) : undefined;
    const { run, profiles, agent, audits } = await measureInGuest(request, context);
    await checkAudits(audits, plan, gate);
    const renames = await findRenamesOf(run, builds);
    const first = measure(run, plan, renames);
    const { error, ...confirmed } = await confirmChanges(first, request, renames, gate, context, deadline);
    const drawn = await part(`profiles ${pin.id}`, () =>
      drawProfiles(profiles, { kernel: pin.id, agent: agent.file, signal: context.signal }),
    );
    if (error !== undefined) context.log.warn(`${pin.id}: ${error.message}`);
    const counted = { ...confirmed, run, renames, profiles: drawn.files, inside: [] };
    known = {
      ...known,
      counted,
      error,
      warnings: [
        ...warnings,
        ...describeIdlePresets(run, builds),
        ...run.warnings,
        ...confirmed.warnings,
        ...drawn.warnings,
      ],
    };
    const seen =
      plugin === undefined
        ? await seeChanges(counted, renames, request, gate, context, deadline)
        : {
            inside: describeInside(pin.id, [await seeInside(request, 'head', plugin, context)], renames),
            warnings: [],
          };
    known = {
      ...known,
      counted: { ...counted, inside: seen.inside },
      warnings: [...known.warnings, ...seen.warnings],
    };
    context.log.progress(`${pin.id}: measured`);
    return known;
  } catch (error) {
    return { ...known, error: toKernelError(error, pin, plan, context) };
  }
}

const nothingMeasured = {
  kernel: undefined,
  builds: undefined,
  counted: undefined,
  warnings: [],
  error: undefined,
};

/** Finds programs that head has under another name. In equal trees, names only differ if a running bench makes them. */
async function findRenamesOf(run: GuestRun, builds: Builds): Promise<Rename[]> {
  if (builds.base.tree === builds.head.tree) return [];
  const trees = { base: await findSources(builds, 'base'), head: await findSources(builds, 'head') };
  return await findRenames(run, {
    locate: (revision, compiled) => locateFile(compiled, trees[revision]),
    read: (base, head) => readBoth(builds, base, head),
  });
}

/** Describes presets that set what objects have, but nothing that a program refers to, if every program could be tried. */
function describeIdlePresets({ objects, loads }: GuestRun, builds: Builds): Warning[] {
  if (objects.length === 0 || objects.some(({ error }) => error !== null)) return [];
  if (loads.some(({ outcome }) => outcome === 'unsupported')) return [];
  const used = new Set(loads.map(({ program }) => program.split('@').at(-1)));
  const given = new Set(builds.objects.flatMap(({ presets = [] }) => presets.map(({ name }) => name)));
  return [...given]
    .filter((name) => !used.has(name))
    .map((name) => ({
      about: [`preset.${name}`],
      reason: 'no program refers to what it sets, so none is loaded under it',
    }));
}

/**
 * Returns the warning if the verifier lane has nothing to do.
 *
 * @throws BuildError when there is nothing else to do
 */
function checkObjects(plan: Plan, { objects }: Builds): Warning[] {
  if (!revisionNames.some((revision) => isVerified(plan, revision)) || objects.length > 0) return [];
  const message = 'no BPF object is in the built project, so the verifier lane has no program to load';
  if (benchNames(plan).length > 0) return [{ about: [], reason: message }];
  throw new BuildError(message, {
    hint: 'let build.command leave object files, and name them in bpfgate.toml if they are found by other names: [build] objects = ["src/*.bpf.o"]',
  });
}

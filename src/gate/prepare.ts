// Gate: what it needs of this machine. While that is installed, other work that can begin without it goes on: kernels
// are fetched, and the guest's programs are compiled.

import { relative } from 'node:path';
import pLimit from 'p-limit';
import type { GuestProgram } from '../adapters/program-source.ts';
import type { Cache } from '../cache/cache.ts';
import { GateError } from '../common/errors.ts';
import { listNames } from '../common/list-names.ts';
import { cachedKernel, chooseKernels } from '../kernels/cached.ts';
import { fetchKernel } from '../kernels/fetch.ts';
import { findOwnKernels, isInRpm } from '../kernels/own/find.ts';
import type { Inputs } from '../model/inputs.ts';
import { compileMinutes, type KernelPin } from '../model/kernel.ts';
import { findingEnvironment, installCommand } from '../prerequisites/check.ts';
import { findExecutable } from '../prerequisites/executables.ts';
import { gateDemands } from '../prerequisites/gate-needs.ts';
import type { Demand } from '../prerequisites/prerequisite.ts';
import {
  type Companion,
  type Installing,
  packageLists,
  requirePrerequisites,
  startInstalling,
  type ToolEnvironment,
} from '../prerequisites/prerequisites.ts';
import { takeReadyMade } from '../prerequisites/ready-made.ts';
import type { GuestContext } from '../vm/guest.ts';
import { listMissing, obtainProgram } from '../vm/programs.ts';

/** Programs of guests that count. */
const programs: readonly GuestProgram[] = ['bpfgate-agent', 'bpfgate-plugin'];

type GateInputs = Pick<Inputs, 'project' | 'config' | 'objects' | 'kernels' | 'runner' | 'sandbox'>;
type Context = Pick<GuestContext, 'cache' | 'log' | 'signal' | 'environment'>;

/**
 * Returns the environment of a machine that has everything this gate needs.
 *
 * @throws MachineError listing what is missing, and what needs it
 */
export async function requireGate(inputs: GateInputs, context: Context): Promise<ToolEnvironment> {
  const { cache, environment } = context;
  // Otherwise doctor would take the folder it runs in for the project.
  const folder = relative('.', inputs.project);
  const install = `${installCommand}${folder === '' ? '' : ` --project ${folder}`}`;
  // What build files name may not be used. If it is, the failed build names it.
  const demands = (await demandsForGate(inputs, context)).filter(({ group }) => group !== 'project');
  return await requirePrerequisites(demands, { cache, environment, install });
}

/**
 * Installs what this gate needs and the machine does not have; meanwhile fetches kernels and compiles the guest's
 * programs. Installing what only guests need continues after the project can be built.
 *
 * @throws MachineError naming the command to type when something cannot be installed
 */
export async function installForGate(inputs: GateInputs, context: Context): Promise<Installing> {
  const find = async () => [...(await demandsForGate(inputs, context)), ...(await sandboxDemands(inputs, context))];
  return await installDemands(find, context, await kernelsOf(inputs, context));
}

/** Demands that are installed if possible, but not required. */
export async function sandboxDemands(
  { config, objects, sandbox }: GateInputs,
  { environment }: Context,
): Promise<Demand[]> {
  const isWanted = objects === undefined && config.build.where === 'host' && sandbox !== 'off';
  if (!isWanted || (await findExecutable('apt-get', findingEnvironment(environment))) === undefined) return [];
  const network: Demand = { group: 'sandbox-network', by: 'bpfgate.toml asks for a network in builds, which' };
  return [{ group: 'sandbox', by: '' }, ...(config.build.network ? [network] : [])];
}

/**
 * Installs what is demanded, by a function that finds it, while other work goes on.
 *
 * @param find called when a release's ready-made parts are in the cache, because then less is demanded
 */
export async function installDemands(
  find: () => Promise<readonly Demand[]>,
  context: Context,
  others: readonly Companion[] = [],
): Promise<Installing> {
  await takeReadyMade(context);
  const demands = await find();
  const isCompiled = demands.some(({ group }) => group === 'agent');
  const companions = [...others, ...(isCompiled ? programs.map((program) => compilerOf(program, context)) : [])];
  return await startInstalling(demands, { ...context, companions });
}

/** Lists what a gate needs, and which part of the gate needs each. */
export async function demandsForGate(inputs: GateInputs, { cache, environment, log }: Context): Promise<Demand[]> {
  const kernels = await kernelsIn(inputs, cache);
  const missing = (wanted: (pin: KernelPin) => boolean) =>
    kernels.filter((pin) => wanted(pin) && cachedKernel(pin, cache) === undefined).map(({ id }) => id);
  const kernelsToBuild = missing(isToBuild);
  if (kernelsToBuild.length > 0) {
    const named = `${kernelsToBuild.length} of ${kernels.length} kernels: ${listNames(kernelsToBuild)}`;
    log.progress(`compiling takes about ${compileMinutes} minutes a kernel on two cores, the first time, for ${named}`);
  }
  return await gateDemands({
    inputs,
    kernelsToBuild,
    kernelsInRpms: missing(isInRpm),
    programsToBuild: await listMissing(programs, { cache, environment: findingEnvironment(environment) }),
  });
}

async function kernelsIn({ kernels, config }: GateInputs, cache: Cache): Promise<KernelPin[]> {
  return chooseKernels(kernels, cache, await findOwnKernels(kernels, config.namedKernels));
}

/** Whether a kernel has no ready-made image. */
function isToBuild(pin: KernelPin): boolean {
  return pin.origin === 'source' && pin.asset === undefined;
}

/** Kernels fetched at the same time. */
const fetchesAtOnce = 2;

/** Fetches kernels that need no compiler. If a kernel's built image cannot be obtained, a compiler is installed. */
async function kernelsOf(inputs: GateInputs, { cache, log }: Context): Promise<Companion[]> {
  const limit = pLimit(fetchesAtOnce);
  return (await kernelsIn(inputs, cache))
    .filter((pin) => pin.origin !== 'tree' && !isToBuild(pin))
    .map((pin) => ({
      after: [packageLists, 'dpkg-deb', 'xz', 'zstd', 'depmod', 'flock', ...(isInRpm(pin) ? ['bsdtar'] : [])],
      work: (environment, signal) =>
        limit(() => fetchKernel(pin, { cache, log, environment, signal, install: true })).catch((error: unknown) => {
          // The gate requests it again, and knows what a missing kernel means for the others.
          if (!(error instanceof GateError) || signal.aborted) throw error;
        }),
    }));
}

function compilerOf(program: GuestProgram, { cache, log }: Context): Companion {
  return {
    // No guest waits for the plugin before something seems to have changed.
    isOptional: program === 'bpfgate-plugin',
    after: ['rustc', 'cargo', 'cc', 'flock'],
    work: (environment, signal) => obtainProgram(program, { cache, environment, log, signal }),
  };
}

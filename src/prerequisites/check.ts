// Prerequisites: what this machine has, and what is missing.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run } from '../adapters/process.ts';
import type { Cache } from '../cache/cache.ts';
import { describeAptInstall, findMissingPackages, isPackageAvailable, isRoot } from './apt.ts';
import { hasUsableLlvm } from './bpf-linker.ts';
import { findCargoTool } from './cargo-tools.ts';
import { extendPath, findExecutable, isStaticallyLinked } from './executables.ts';
import {
  type CargoToolPrerequisite,
  type Demand,
  demandOf,
  type LibraryPrerequisite,
  type Prerequisite,
  type PrerequisiteGroup,
  type PrerequisiteStatus,
  type ProgramPrerequisite,
  type PythonToolPrerequisite,
  type RustPrerequisite,
  type RustToolchainPrerequisite,
  selectPrerequisites,
} from './prerequisite.ts';
import { findPythonTool } from './python-tools.ts';
import { type RustToolchain, readRust, rustRemedy } from './rust.ts';
import { checkRustSrc } from './rust-src.ts';
import { findVersion, isAtLeast } from './versions.ts';

export const installCommand = 'bpfgate doctor --install';

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cache: Cache;
  readonly rust: RustToolchain | undefined;
  /** Toolchains that compile eBPF programs. */
  readonly bpfToolchains: readonly RustToolchain[];
  readonly hasApt: boolean;
  readonly hasRustup: boolean;
}

export interface CheckOptions {
  /** Holds the tools that were built earlier. */
  readonly cache: Cache;
  /** Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

/** What a check finds; `problem` is null where the prerequisite is present. */
type Found = Omit<PrerequisiteStatus, 'prerequisite' | 'present' | 'neededBy'>;

/** Looks for every prerequisite of the demands; changes nothing. */
export async function checkPrerequisites(
  which: readonly (PrerequisiteGroup | Demand)[],
  options: CheckOptions,
): Promise<PrerequisiteStatus[]> {
  const env = findingEnvironment(options.environment);
  const demands = which.map(demandOf);
  const [rust, apt, rustup] = await Promise.all([
    readRust(env),
    findExecutable('apt-get', env),
    findExecutable('rustup', env),
  ]);
  const surroundings: Surroundings = {
    env,
    cache: options.cache,
    rust,
    bpfToolchains: await findBpfToolchains(demands, rust, env),
    hasApt: apt !== undefined,
    hasRustup: rustup !== undefined,
  };
  return await Promise.all(
    selectPrerequisites(demands).map(async ({ prerequisite: wanted, demands }) => {
      const prerequisite = await withOwnPackages(wanted, env);
      const found = await check(prerequisite, surroundings);
      const neededBy = [...new Set(demands.map(({ by }) => by))].filter((by) => by !== '');
      return { prerequisite, present: found.problem === null, ...found, neededBy };
    }),
  );
}

/** A prerequisite with the packages that this machine's release has it in, as far as apt has read which there are. */
export async function withOwnPackages(prerequisite: Prerequisite, env: NodeJS.ProcessEnv): Promise<Prerequisite> {
  if (prerequisite.kind !== 'program' || prerequisite.olderPackages === undefined) return prerequisite;
  const { packages, olderPackages } = prerequisite;
  const [isHere, isOlder] = await Promise.all(
    [packages, olderPackages].map(([name = '']) => isPackageAvailable(name, env)),
  );
  return !isHere && isOlder ? { ...prerequisite, packages: olderPackages } : prerequisite;
}

/**
 * The environment in which programs are found. PATH has the administrators' folders, and cargo's own, which a shell
 * that is not a login shell may not have there.
 */
export function findingEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...environment, PATH: extendPath(environment.PATH) };
  const folder = join(env.CARGO_HOME || join(env.HOME || homedir(), '.cargo'), 'bin');
  const isThere = ['cargo', 'rustup'].some((name) => existsSync(join(folder, name)));
  return isThere ? { ...env, PATH: extendPath(`${env.PATH}${delimiter}${folder}`) } : env;
}

/**
 * The installed toolchains that the demands name. If there are none, or bpf-linker can be built with the LLVM of none,
 * also the one outside of any project.
 */
export async function findBpfToolchains(
  demands: readonly Demand[],
  rust: RustToolchain | undefined,
  env: NodeJS.ProcessEnv,
): Promise<RustToolchain[]> {
  const names = new Set(demands.flatMap(({ group, toolchain }) => (group === 'rust-bpf' ? [toolchain] : [])));
  const found = await Promise.all([...names].map((name) => (name === undefined ? rust : readRust(env, name))));
  const installed = found.filter((toolchain) => toolchain !== undefined);
  return installed.some(hasUsableLlvm) || rust === undefined ? installed : [...installed, rust];
}

export function findMissing(statuses: readonly PrerequisiteStatus[]): PrerequisiteStatus[] {
  return statuses.filter((status) => !status.present);
}

async function check(prerequisite: Prerequisite, surroundings: Surroundings): Promise<Found> {
  switch (prerequisite.kind) {
    case 'program':
      return await checkProgram(prerequisite, surroundings);
    case 'library':
      return await checkLibrary(prerequisite, surroundings);
    case 'rust':
      return await checkRust(prerequisite, surroundings);
    case 'rust-toolchain':
      return await checkToolchain(prerequisite, surroundings);
    case 'cargo-tool':
      return await checkCargoTool(prerequisite, surroundings);
    case 'python-tool':
      return await checkPythonTool(prerequisite, surroundings);
    case 'rust-src':
      return await checkSource(surroundings);
  }
}

async function checkProgram(prerequisite: ProgramPrerequisite, { env, hasApt }: Surroundings) {
  const path = await findExecutable(prerequisite.name, env);
  const remedy = packageRemedy(prerequisite, hasApt);
  if (path === undefined) return missing(remedy);
  if (prerequisite.mustBeStatic && !(await isStaticallyLinked(path))) {
    return unfit(path, null, 'is not statically linked', remedy);
  }
  const { stdout, stderr } = await run(path, prerequisite.versionArguments, { env, timeoutMs: 30_000 });
  // Ubuntu's script, without the package of the running kernel.
  if (/^WARNING: \S+ not found for kernel /m.test(stderr)) {
    return unfit(path, null, 'is missing for the running kernel', remedy);
  }
  return present(path, findVersion(stdout || stderr) ?? null);
}

function packageRemedy({ name, packages }: ProgramPrerequisite | LibraryPrerequisite, hasApt: boolean): string {
  return hasApt ? describeAptInstall(packages, isRoot()) : `install \`${name}\` (${packages.join(', ')} on Debian)`;
}

/** Folders where compilers look by default. */
const headerFolders = ['/usr/local/include', '/usr/include', '/usr/include/x86_64-linux-gnu'];

async function checkLibrary(prerequisite: LibraryPrerequisite, { env, hasApt }: Surroundings): Promise<Found> {
  const { header, packages } = prerequisite;
  if (header === null) {
    const isThere = (await findMissingPackages(packages, env)).length === 0;
    return isThere ? present(null, null) : missing(packageRemedy(prerequisite, hasApt));
  }
  const path = headerFolders.map((folder) => join(folder, header)).find((file) => existsSync(file));
  if (path === undefined) return missing(packageRemedy(prerequisite, hasApt));
  return present(path, null);
}

async function checkRust(prerequisite: RustPrerequisite, { env, rust, hasRustup }: Surroundings) {
  const path = await findExecutable(prerequisite.name, env);
  const remedy = rustRemedy(hasRustup);
  if (path === undefined) return missing(remedy);
  // The project may choose a toolchain that rustup installs when the project is built.
  if (prerequisite.minimum === null) return present(path, null);
  const options = { env, timeoutMs: 30_000 };
  const version =
    prerequisite.name === 'rustc' ? rust?.version : findVersion((await run(path, ['--version'], options)).stdout);
  // rustup's proxies are on PATH even when no toolchain is installed.
  if (version === undefined) return unfit(path, null, 'does not run', remedy);
  if (isAtLeast(version, prerequisite.minimum)) return present(path, version);
  return unfit(path, version, `${version} is older than ${prerequisite.minimum}`, remedy);
}

async function checkToolchain(prerequisite: RustToolchainPrerequisite, { env }: Surroundings): Promise<Found> {
  const toolchain = await readRust(env, prerequisite.name);
  if (toolchain === undefined) return missing(installCommand);
  const { state, path } = await checkRustSrc(toolchain.sysroot);
  if (state === 'present') {
    return { ...present(toolchain.sysroot, toolchain.version), identity: toolchain.line };
  }
  return unfit(path, toolchain.version, 'holds no source of the standard library', installCommand);
}

async function checkCargoTool(prerequisite: CargoToolPrerequisite, { env, cache, bpfToolchains }: Surroundings) {
  const found = await findCargoTool(prerequisite, bpfToolchains, cache, env);
  if (found === undefined) return missing(installCommand);
  const { path, version = null, problem } = found;
  return problem === null ? present(path, version) : unfit(path, version, problem, installCommand);
}

async function checkPythonTool(prerequisite: PythonToolPrerequisite, { env, cache }: Surroundings) {
  const path = await findPythonTool(prerequisite, cache, env);
  if (path === undefined) return missing(`${installCommand} --runner ${prerequisite.name}`);
  return present(path, prerequisite.version);
}

async function checkSource({ rust }: Surroundings) {
  if (rust === undefined) return missing(installCommand);
  const { state, path, target } = await checkRustSrc(rust.sysroot);
  if (state === 'present') return present(path, rust.version);
  if (state === 'missing') return missing(installCommand);
  return unfit(path, null, `is a link to ${target}, which is gone`, `rm ${path} && ${installCommand}`);
}

function present(path: string | null, version: string | null): Found {
  return { version, path, problem: null, remedy: null };
}

function missing(remedy: string): Found {
  return unfit(null, null, 'is missing', remedy);
}

function unfit(path: string | null, version: string | null, problem: string, remedy: string): Found {
  return { version, path, problem, remedy };
}

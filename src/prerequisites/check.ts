// Prerequisites: what this machine has, and what is missing.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run } from '../adapters/process.ts';
import type { Cache } from '../cache/cache.ts';
import { describeAptInstall, isRoot } from './apt.ts';
import { findCargoTool } from './cargo-tools.ts';
import { extendPath, findExecutable, isStaticallyLinked } from './executables.ts';
import { confinementOf, landlockRemedy } from './landlock.ts';
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
    selectPrerequisites(demands).map(async ({ prerequisite, demands }) => {
      const found = await check(prerequisite, surroundings);
      const neededBy = [...new Set(demands.map(({ by }) => by))].filter((by) => by !== '');
      return { prerequisite, present: found.problem === null, ...found, neededBy };
    }),
  );
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

/** The installed toolchains that the demands name; else the one outside of any project. */
export async function findBpfToolchains(
  demands: readonly Demand[],
  rust: RustToolchain | undefined,
  env: NodeJS.ProcessEnv,
): Promise<RustToolchain[]> {
  const names = new Set(demands.flatMap(({ group, toolchain }) => (group === 'rust-bpf' ? [toolchain] : [])));
  const found = await Promise.all([...names].map((name) => (name === undefined ? rust : readRust(env, name))));
  const installed = found.filter((toolchain) => toolchain !== undefined);
  return installed.length > 0 || rust === undefined ? installed : [rust];
}

export function findMissing(statuses: readonly PrerequisiteStatus[]): PrerequisiteStatus[] {
  return statuses.filter((status) => !status.present);
}

async function check(prerequisite: Prerequisite, surroundings: Surroundings): Promise<Found> {
  switch (prerequisite.kind) {
    case 'program':
      return await checkProgram(prerequisite, surroundings);
    case 'library':
      return checkLibrary(prerequisite, surroundings);
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
    case 'landlock':
      return await checkLandlock(surroundings);
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
  return present(path, findVersion(stdout || stderr) ?? null);
}

function packageRemedy({ name, packages }: ProgramPrerequisite | LibraryPrerequisite, hasApt: boolean): string {
  return hasApt ? describeAptInstall(packages, isRoot()) : `install \`${name}\` (${packages.join(', ')} on Debian)`;
}

/** Folders where compilers look by default. */
const headerFolders = ['/usr/local/include', '/usr/include', '/usr/include/x86_64-linux-gnu'];

function checkLibrary(prerequisite: LibraryPrerequisite, { hasApt }: Surroundings): Found {
  const path = headerFolders.map((folder) => join(folder, prerequisite.header)).find((file) => existsSync(file));
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
  const { path, version = null, problem, identity } = found;
  if (problem !== null) return unfit(path, version, problem, installCommand);
  return { ...present(path, version), ...(identity === undefined ? {} : { identity }) };
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

/** `landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION)`, the same number on every architecture. */
const landlockQuery = 'print syscall(444, 0, 0, 1)';

/** Asks by perl, which Debian and Ubuntu always have. A run asks by the agent, which may not be built yet. */
async function checkLandlock({ env }: Surroundings) {
  const perl = await findExecutable('perl', env);
  if (perl === undefined) return unfit(null, null, 'cannot be checked without perl', 'install `perl`');
  const { stdout } = await run(perl, ['-e', landlockQuery], { env, timeoutMs: 30_000 });
  const version = Number(stdout);
  if (!(version > 0)) return missing(landlockRemedy);
  const { confined, free } = confinementOf(version);
  const not = free.length === 0 ? '' : `; not from ${free.join(', ')}`;
  return present(null, `${version}, keeps QEMU from ${confined.join(', ')}${not}`);
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

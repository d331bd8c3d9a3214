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
  type LandlockPrerequisite,
  type LibraryPrerequisite,
  type Prerequisite,
  type PrerequisiteGroup,
  type PrerequisiteStatus,
  type ProgramPrerequisite,
  type PythonToolPrerequisite,
  type RustPrerequisite,
  type RustSrcPrerequisite,
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

/** A status without `neededBy`. */
type Found = Omit<PrerequisiteStatus, 'neededBy'>;

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
    selectPrerequisites(demands).map(async ({ prerequisite, demands }) => ({
      ...(await check(prerequisite, surroundings)),
      neededBy: [...new Set(demands.map(({ by }) => by))].filter((by) => by !== ''),
    })),
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
      return await checkSource(prerequisite, surroundings);
    case 'landlock':
      return await checkLandlock(prerequisite, surroundings);
  }
}

async function checkProgram(prerequisite: ProgramPrerequisite, { env, hasApt }: Surroundings) {
  const path = await findExecutable(prerequisite.name, env);
  const remedy = packageRemedy(prerequisite, hasApt);
  if (path === undefined) return missing(prerequisite, remedy);
  if (prerequisite.mustBeStatic && !(await isStaticallyLinked(path))) {
    return unfit(prerequisite, path, null, 'is not statically linked', remedy);
  }
  const { stdout, stderr } = await run(path, prerequisite.versionArguments, { env, timeoutMs: 30_000 });
  return present(prerequisite, path, findVersion(stdout || stderr) ?? null);
}

function packageRemedy({ name, packages }: ProgramPrerequisite | LibraryPrerequisite, hasApt: boolean): string {
  return hasApt ? describeAptInstall(packages, isRoot()) : `install \`${name}\` (${packages.join(', ')} on Debian)`;
}

/** Folders where compilers look by default. */
const headerFolders = ['/usr/local/include', '/usr/include', '/usr/include/x86_64-linux-gnu'];

function checkLibrary(prerequisite: LibraryPrerequisite, { hasApt }: Surroundings): Found {
  const path = headerFolders.map((folder) => join(folder, prerequisite.header)).find((file) => existsSync(file));
  if (path === undefined) return missing(prerequisite, packageRemedy(prerequisite, hasApt));
  return present(prerequisite, path, null);
}

async function checkRust(prerequisite: RustPrerequisite, { env, rust, hasRustup }: Surroundings) {
  const path = await findExecutable(prerequisite.name, env);
  const remedy = rustRemedy(hasRustup);
  if (path === undefined) return missing(prerequisite, remedy);
  // The project may choose a toolchain that rustup installs when the project is built.
  if (prerequisite.minimum === null) return present(prerequisite, path, null);
  const options = { env, timeoutMs: 30_000 };
  const version =
    prerequisite.name === 'rustc' ? rust?.version : findVersion((await run(path, ['--version'], options)).stdout);
  // rustup's proxies are on PATH even when no toolchain is installed.
  if (version === undefined) return unfit(prerequisite, path, null, 'does not run', remedy);
  if (isAtLeast(version, prerequisite.minimum)) return present(prerequisite, path, version);
  return unfit(prerequisite, path, version, `${version} is older than ${prerequisite.minimum}`, remedy);
}

async function checkToolchain(prerequisite: RustToolchainPrerequisite, { env }: Surroundings): Promise<Found> {
  const toolchain = await readRust(env, prerequisite.name);
  if (toolchain === undefined) return missing(prerequisite, installCommand);
  const { state, path } = await checkRustSrc(toolchain.sysroot);
  if (state === 'present') {
    return { ...present(prerequisite, toolchain.sysroot, toolchain.version), identity: toolchain.line };
  }
  return unfit(prerequisite, path, toolchain.version, 'holds no source of the standard library', installCommand);
}

async function checkCargoTool(prerequisite: CargoToolPrerequisite, { env, cache, bpfToolchains }: Surroundings) {
  const found = await findCargoTool(prerequisite, bpfToolchains, cache, env);
  if (found === undefined) return missing(prerequisite, installCommand);
  const { path, version = null, problem, identity } = found;
  if (problem !== null) return unfit(prerequisite, path, version, problem, installCommand);
  return { ...present(prerequisite, path, version), ...(identity === undefined ? {} : { identity }) };
}

async function checkPythonTool(prerequisite: PythonToolPrerequisite, { env, cache }: Surroundings) {
  const path = await findPythonTool(prerequisite, cache, env);
  if (path === undefined) return missing(prerequisite, `${installCommand} --runner ${prerequisite.name}`);
  return present(prerequisite, path, prerequisite.version);
}

async function checkSource(prerequisite: RustSrcPrerequisite, { rust }: Surroundings) {
  if (rust === undefined) return missing(prerequisite, installCommand);
  const { state, path, target } = await checkRustSrc(rust.sysroot);
  if (state === 'present') return present(prerequisite, path, rust.version);
  if (state === 'missing') return missing(prerequisite, installCommand);
  return unfit(prerequisite, path, null, `is a link to ${target}, which is gone`, `rm ${path} && ${installCommand}`);
}

/** `landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION)`, the same number on every architecture. */
const landlockQuery = 'print syscall(444, 0, 0, 1)';

/** Asks by perl, which Debian and Ubuntu always have. A run asks by the agent, which may not be built yet. */
async function checkLandlock(prerequisite: LandlockPrerequisite, { env }: Surroundings): Promise<Found> {
  const perl = await findExecutable('perl', env);
  if (perl === undefined) {
    const problem = 'cannot be checked without perl';
    return { prerequisite, present: false, version: null, path: null, problem, remedy: 'install `perl`' };
  }
  const { stdout } = await run(perl, ['-e', landlockQuery], { env, timeoutMs: 30_000 });
  const version = Number(stdout);
  if (!(version > 0)) return missing(prerequisite, landlockRemedy);
  const { confined, free } = confinementOf(version);
  const not = free.length === 0 ? '' : `; not from ${free.join(', ')}`;
  const what = `${version}, keeps QEMU from ${confined.join(', ')}${not}`;
  return { prerequisite, present: true, version: what, path: null, problem: null, remedy: null };
}

function present(prerequisite: Prerequisite, path: string, version: string | null): Found {
  return { prerequisite, present: true, version, path, problem: null, remedy: null };
}

function missing(prerequisite: Prerequisite, remedy: string): Found {
  return { prerequisite, present: false, version: null, path: null, problem: 'is missing', remedy };
}

function unfit(
  prerequisite: Prerequisite,
  path: string,
  version: string | null,
  problem: string,
  remedy: string,
): Found {
  return { prerequisite, present: false, version, path, problem, remedy };
}

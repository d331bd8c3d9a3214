// Prerequisites: what this machine has and lacks.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../adapters/process.ts';
import type { Cache } from '../cache/cache.ts';
import { describeAptInstall, isRoot } from './apt.ts';
import { findCargoTool } from './cargo-tools.ts';
import { extendPath, findExecutable, isStaticallyLinked } from './executables.ts';
import { confinementOf, landlockRemedy } from './landlock.ts';
import {
  type CargoToolPrerequisite,
  type LandlockPrerequisite,
  type LibraryPrerequisite,
  type Prerequisite,
  type PrerequisiteGroup,
  type PrerequisiteStatus,
  type ProgramPrerequisite,
  type PythonToolPrerequisite,
  type RustPrerequisite,
  type RustSrcPrerequisite,
  selectPrerequisites,
} from './prerequisite.ts';
import { findPythonTool } from './python-tools.ts';
import { type RustToolchain, readRust, rustRemedy } from './rust.ts';
import { checkRustSrc } from './rust-src.ts';
import { findVersion, isAdequate, isAtLeast } from './versions.ts';

const installCommand = 'bpfgate doctor --install';

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cache: Cache;
  readonly rust: RustToolchain | undefined;
  readonly hasApt: boolean;
  readonly hasRustup: boolean;
}

export interface CheckOptions {
  /** Holds the tools that were built earlier. */
  readonly cache: Cache;
  /** Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** Looks for every prerequisite of the groups; changes nothing. */
export async function checkPrerequisites(
  which: readonly PrerequisiteGroup[],
  options: CheckOptions,
): Promise<PrerequisiteStatus[]> {
  const environment = options.environment ?? process.env;
  const env = { ...environment, PATH: extendPath(environment.PATH) };
  const [rust, apt, rustup] = await Promise.all([
    readRust(env),
    findExecutable('apt-get', env),
    findExecutable('rustup', env),
  ]);
  const surroundings: Surroundings = {
    env,
    cache: options.cache,
    rust,
    hasApt: apt !== undefined,
    hasRustup: rustup !== undefined,
  };
  return await Promise.all(selectPrerequisites(which).map((prerequisite) => check(prerequisite, surroundings)));
}

export function lacking(statuses: readonly PrerequisiteStatus[]): PrerequisiteStatus[] {
  return statuses.filter((status) => !status.present);
}

async function check(prerequisite: Prerequisite, surroundings: Surroundings): Promise<PrerequisiteStatus> {
  switch (prerequisite.kind) {
    case 'program':
      return await checkProgram(prerequisite, surroundings);
    case 'library':
      return checkLibrary(prerequisite, surroundings);
    case 'rust':
      return await checkRust(prerequisite, surroundings);
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

/** Where compilers look without being told. */
const headerFolders = ['/usr/local/include', '/usr/include', '/usr/include/x86_64-linux-gnu'];

function checkLibrary(prerequisite: LibraryPrerequisite, { hasApt }: Surroundings): PrerequisiteStatus {
  const path = headerFolders.map((folder) => join(folder, prerequisite.header)).find((file) => existsSync(file));
  if (path === undefined) return missing(prerequisite, packageRemedy(prerequisite, hasApt));
  return present(prerequisite, path, null);
}

async function checkRust(prerequisite: RustPrerequisite, { env, rust, hasRustup }: Surroundings) {
  const path = await findExecutable(prerequisite.name, env);
  const remedy = rustRemedy(hasRustup);
  if (path === undefined) return missing(prerequisite, remedy);
  const version =
    prerequisite.name === 'rustc'
      ? rust?.version
      : findVersion((await run(path, ['--version'], { env, timeoutMs: 30_000 })).stdout);
  // rustup leaves its stand-ins on PATH even when no toolchain is installed.
  if (version === undefined) return unfit(prerequisite, path, null, 'does not run', remedy);
  if (isAtLeast(version, prerequisite.minimum)) return present(prerequisite, path, version);
  return unfit(prerequisite, path, version, `is older than ${prerequisite.minimum}`, remedy);
}

async function checkCargoTool(prerequisite: CargoToolPrerequisite, { env, cache, rust }: Surroundings) {
  const found = await findCargoTool(prerequisite, rust, cache, env);
  if (found === undefined) return missing(prerequisite, installCommand);
  const { path, version } = found;
  if (version === undefined) return unfit(prerequisite, path, null, 'does not run', installCommand);
  if (isAdequate(version, prerequisite.version)) return present(prerequisite, path, version);
  return unfit(prerequisite, path, version, `is not ${prerequisite.version}`, installCommand);
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

/** `landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION)`, of one number on every architecture. */
const askLandlock = 'print syscall(444, 0, 0, 1)';

/** By perl, which Debian and Ubuntu always have: the agent, which a run asks, may not be built yet. */
async function checkLandlock(prerequisite: LandlockPrerequisite, { env }: Surroundings): Promise<PrerequisiteStatus> {
  const perl = await findExecutable('perl', env);
  if (perl === undefined) {
    const problem = 'is there or not, which needs perl to be told';
    return { prerequisite, present: false, version: null, path: null, problem, remedy: 'install `perl`' };
  }
  const { stdout } = await run(perl, ['-e', askLandlock], { env, timeoutMs: 30_000 });
  const version = Number(stdout);
  if (!(version > 0)) return missing(prerequisite, landlockRemedy);
  const { confined, free } = confinementOf(version);
  const not = free.length === 0 ? '' : `; not from ${free.join(', ')}`;
  const what = `${version}, keeps QEMU from ${confined.join(', ')}${not}`;
  return { prerequisite, present: true, version: what, path: null, problem: null, remedy: null };
}

function present(prerequisite: Prerequisite, path: string, version: string | null): PrerequisiteStatus {
  return { prerequisite, present: true, version, path, problem: null, remedy: null };
}

function missing(prerequisite: Prerequisite, remedy: string): PrerequisiteStatus {
  return { prerequisite, present: false, version: null, path: null, problem: 'is missing', remedy };
}

function unfit(
  prerequisite: Prerequisite,
  path: string,
  version: string | null,
  problem: string,
  remedy: string,
): PrerequisiteStatus {
  return { prerequisite, present: false, version, path, problem, remedy };
}

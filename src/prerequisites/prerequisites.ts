// Prerequisites: installs what is missing, and gives the environment in which everything is found.

import { dirname } from 'node:path';
import type { Log } from '../adapters/log.ts';
import type { Cache } from '../cache/cache.ts';
import { MachineError } from '../errors.ts';
import { describeAptInstall, ensurePackageLists, installPackages, isRoot } from './apt.ts';
import { installCargoTool } from './cargo-tools.ts';
import { type CheckOptions, checkPrerequisites, lacking } from './check.ts';
import { extendPath, findExecutable } from './executables.ts';
import { chooseLlvm, type Llvm } from './llvm.ts';
import {
  type CargoToolPrerequisite,
  optionalGroups,
  type Prerequisite,
  type PrerequisiteGroup,
  type PrerequisiteStatus,
} from './prerequisite.ts';
import { canMakeVenv, installPythonTool } from './python-tools.ts';
import { type RustToolchain, readRust, rustMissing, rustRemedy } from './rust.ts';
import { installRustSrc } from './rust-src.ts';

export { checkPrerequisites, lacking };

/** What builds, vmtest and benchmarks are run with. */
export interface ToolEnvironment {
  /** The whole environment; PATH leads to every tool. */
  readonly env: NodeJS.ProcessEnv;
  /** By prerequisite's name; only those that tell one. */
  readonly versions: Readonly<Record<string, string>>;
}

export interface InstallOptions {
  readonly log: Log;
  readonly cache: Cache;
  readonly signal?: AbortSignal | undefined;
  /** Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * Installs what the machine lacks of the groups; on a machine that lacks nothing, installs nothing and says so.
 *
 * @throws MachineError naming the command to type when something cannot be installed
 */
export async function installMissing(
  which: readonly PrerequisiteGroup[],
  options: InstallOptions,
): Promise<ToolEnvironment> {
  const { log, cache, signal } = options;
  const env = findingEnvironment(options.environment);
  const before = await checkPrerequisites(which, { cache, environment: env });
  const missing = lacking(before).map((status) => status.prerequisite);
  if (missing.length === 0) {
    log.progress('nothing to install');
    return toolEnvironment(before, env);
  }
  log.progress(`to install: ${missing.map((prerequisite) => prerequisite.name).join(', ')}`);

  const needsRust = missing.some(({ kind }) => kind === 'rust' || kind === 'cargo-tool' || kind === 'rust-src');
  const rust = needsRust ? await requireRust(env, cache) : undefined;
  const tools = missing.filter((prerequisite) => prerequisite.kind === 'cargo-tool');
  let llvm: Llvm | undefined;
  if (rust !== undefined && tools.some(usesLlvm)) {
    await ensurePackageLists({ cache, log, env, signal });
    llvm = await chooseLlvm(rust, env);
  }
  const needsLinker = tools.length > 0 && (await findExecutable('cc', env)) === undefined;
  const hasVenv = await canMakeVenv(env);
  const packages = neededPackages(
    missing.filter(({ kind }) => kind !== 'python-tool' || !hasVenv),
    llvm,
    needsLinker,
  );
  if (packages.length > 0) await installPackages(packages, { cache, log, env, signal });
  for (const tool of tools) {
    await installCargoTool(tool, usesLlvm(tool) ? llvm : undefined, { cache, log, env, signal });
  }
  for (const tool of missing) {
    if (tool.kind === 'python-tool') await installPythonTool(tool, { cache, log, env, signal });
  }
  if (rust !== undefined && missing.some((prerequisite) => prerequisite.kind === 'rust-src')) {
    const way = await installRustSrc(rust, { cache, log, env, signal });
    log.progress(way === 'rustup' ? 'rust-src: added by rustup' : "rust-src: linked from Debian's package");
  }

  const after = await checkPrerequisites(which, { cache, environment: env });
  requirePresent(after);
  return toolEnvironment(after, env);
}

/**
 * The environment of a machine that has everything of the groups already.
 *
 * @throws MachineError listing what is missing
 */
export async function requirePrerequisites(
  which: readonly PrerequisiteGroup[],
  options: CheckOptions & {
    /** Groups of which whatever is there comes along, and nothing is required. */
    readonly optional?: readonly PrerequisiteGroup[];
  },
): Promise<ToolEnvironment> {
  const env = findingEnvironment(options.environment);
  const groups = [...which, ...(options.optional ?? [])];
  const statuses = await checkPrerequisites(groups, { cache: options.cache, environment: env });
  requirePresent(statuses.filter((status) => which.includes(status.prerequisite.group)));
  return toolEnvironment(statuses, env);
}

/** Every package to install, each once, in the order of need. */
export function neededPackages(
  missing: readonly Prerequisite[],
  llvm: Llvm | undefined,
  needsLinker: boolean,
): string[] {
  const programs = missing.flatMap((prerequisite) => ('packages' in prerequisite ? prerequisite.packages : []));
  return [...new Set([...programs, ...(needsLinker ? ['gcc', 'libc6-dev'] : []), ...(llvm?.missingPackages ?? [])])];
}

function findingEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { ...environment, PATH: extendPath(environment.PATH) };
}

function usesLlvm(tool: CargoToolPrerequisite): boolean {
  return tool.name === 'bpf-linker';
}

async function requireRust(env: NodeJS.ProcessEnv, cache: Cache): Promise<RustToolchain> {
  const lacks = lacking(await checkPrerequisites(['agent'], { cache, environment: env }));
  const lack = lacks.find((status) => status.prerequisite.kind === 'rust');
  const rust = await readRust(env);
  if (rust !== undefined && lack === undefined) return rust;
  const hasRustup = (await findExecutable('rustup', env)) !== undefined;
  throw rustMissing(
    lack === undefined ? 'rustc does not run' : `${lack.prerequisite.name} ${lack.problem}`,
    lack?.remedy ?? rustRemedy(hasRustup),
  );
}

function requirePresent(statuses: readonly PrerequisiteStatus[]): void {
  const left = lacking(statuses);
  if (left.length === 0) return;
  const lines = left.map(({ prerequisite, problem, remedy }) => `  ${prerequisite.name} ${problem}: ${remedy}`);
  // What only some kernels need is not installed by doctor.
  const required = left.some(({ prerequisite }) => !optionalGroups.includes(prerequisite.group));
  const needsRunner = left.some(({ prerequisite }) => prerequisite.group === 'virtme-ng');
  const packages = neededPackages(
    left.map(({ prerequisite }) => prerequisite),
    undefined,
    false,
  );
  throw new MachineError(`this machine lacks:\n${lines.join('\n')}`, {
    hint: needsRunner
      ? 'bpfgate doctor --install --runner virtme-ng'
      : required
        ? 'bpfgate doctor --install'
        : describeAptInstall(packages, isRoot()),
  });
}

function toolEnvironment(statuses: readonly PrerequisiteStatus[], env: NodeJS.ProcessEnv): ToolEnvironment {
  const folders = statuses.flatMap(({ prerequisite, present, path }) =>
    (prerequisite.kind === 'cargo-tool' || prerequisite.kind === 'python-tool') && present && path !== null
      ? [dirname(path)]
      : [],
  );
  const versions = statuses.flatMap(({ prerequisite, present, version }) =>
    !present || version === null ? [] : [[prerequisite.name, version] as const],
  );
  return { env: { ...env, PATH: extendPath(env.PATH, folders) }, versions: Object.fromEntries(versions) };
}

// Prerequisites: programs from crates.io, built once into the cache.

import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { type RunResult, run, runIfPossible, runOrThrow } from '../adapters/process.ts';
import { type Cache, commonKinds, entryPath, obtainEntry, publishEntry } from '../cache/cache.ts';
import { cachedReadyMade, findReadyMade } from '../cache/ready-made.ts';
import { MachineError } from '../common/errors.ts';
import { findLlvm, type Llvm, linkLibrary, makePrefix, newestLlvm, tryReading } from './bpf-linker.ts';
import { findExecutable } from './executables.ts';
import { installFailure } from './install-failure.ts';
import type { CargoTool } from './prerequisite.ts';
import { type InstallContext, isCargoStep, withProgress } from './progress.ts';
import { environmentOf, type RustToolchain } from './rust.ts';
import { findVersion, isAdequate } from './versions.ts';

const kind = commonKinds.tools;
/** Limits how many tools are compiled at once: each takes as many cores as its crates let it. */
const limit = pLimit(availableParallelism());

export interface FoundTool {
  readonly path: string;
  /** Undefined when it does not run. */
  readonly version: string | undefined;
  /** Why it is unusable, as a clause after its name: `is not 0.18.0`; null when it is usable. */
  readonly problem: string | null;
}

/**
 * Looks on PATH, then in the cache. Returns the first usable program, else the first one found.
 *
 * @param toolchains those whose output bpf-linker has to read; empty where there is no Rust
 */
export async function findCargoTool(
  tool: CargoTool,
  toolchains: readonly RustToolchain[],
  cache: Cache,
  env: NodeJS.ProcessEnv,
): Promise<FoundTool | undefined> {
  let first: FoundTool | undefined;
  for (const find of [() => findExecutable(tool.name, env), ...cachedPrograms(tool, toolchains, cache)]) {
    const path = await find();
    if (path === undefined) continue;
    const found = await judge(tool, path, toolchains, env);
    if (found.problem === null) return found;
    first ??= found;
  }
  return first;
}

/** Lookups for a build of the tool in the cache; for bpf-linker, with the newest LLVM of the toolchains. */
function cachedPrograms(
  tool: CargoTool,
  toolchains: readonly RustToolchain[],
  cache: Cache,
): (() => Promise<string | undefined>)[] {
  const find = async (llvm?: Llvm) => {
    const entry = await obtainEntry(cache, kind, await toolKey(tool, llvm?.name));
    if (entry === undefined) return undefined;
    // In a cache that cannot be written the link stays as it is. If that is wrong, the program does not run.
    if (llvm !== undefined) await linkLibrary(entry, llvm).catch(() => {});
    return join(entry, 'bin', tool.name);
  };
  if (!readsBitcode(tool)) return [() => cachedReadyMadeTool(tool, cache), () => find()];
  const rust = newestLlvm(toolchains);
  return [
    async () => {
      const llvm = rust && (await findLlvm(rust));
      return llvm && (await find(llvm));
    },
  ];
}

/** The program that a release of bpfgate compiled from the same crate, if it is in the cache. */
async function cachedReadyMadeTool({ name, sha256 }: CargoTool, cache: Cache): Promise<string | undefined> {
  const program = name === 'vmtest' ? findReadyMade(name, sha256) : undefined;
  return program && (await cachedReadyMade(program, cache))?.path;
}

async function judge(
  tool: CargoTool,
  path: string,
  toolchains: readonly RustToolchain[],
  env: NodeJS.ProcessEnv,
): Promise<FoundTool> {
  const version = await readToolVersion(path, env);
  if (version === undefined) return { path, version, problem: 'does not run' };
  if (!readsBitcode(tool)) {
    return { path, version, problem: isAdequate(version, tool.version) ? null : `is not ${tool.version}` };
  }
  return { path, version, problem: await tryReading(path, toolchains, env) };
}

/** Whether any version is usable that reads what rustc writes. */
function readsBitcode({ name }: CargoTool): boolean {
  return name === 'bpf-linker';
}

/**
 * Builds a tool into the cache, from the pinned crate and with the dependencies of the lock file in it.
 *
 * @param llvm the LLVM to build bpf-linker with
 * @param rust the toolchain that compiles it. Default: the cargo on PATH
 * @returns absolute path of the program
 * @throws MachineError when the crate cannot be fetched, is not the pinned one, or does not build
 */
export async function installCargoTool(
  tool: CargoTool,
  llvm: Llvm | undefined,
  options: InstallContext,
  rust?: RustToolchain,
): Promise<string> {
  const { cache, log, signal } = options;
  const base = rust === undefined ? options.env : environmentOf(rust, options.env);
  const key = await toolKey(tool, llvm?.name);
  const entry = entryPath(cache, kind, key);
  const program = join(entry, 'bin', tool.name);
  if ((await obtainEntry(cache, kind, key)) !== undefined) {
    if (llvm !== undefined) await linkLibrary(entry, llvm);
    // It may run now: a library it needs may have been installed since.
    if ((await readToolVersion(program, base)) !== undefined) return program;
    await rm(entry, { recursive: true, force: true });
  }
  await limit(() =>
    publishEntry(cache, kind, key, async (dir) => {
      const target = join(dir, 'target');
      const source = await unpackCrate(tool, dir, { log, env: base, signal });
      const variables = { CARGO_TARGET_DIR: target, ...(await llvmVariables(llvm, dir)) };
      const args = cargoArguments(source, dir, llvm);
      const options = { cwd: dir, env: base, variables, signal, timeoutMs: 1_800_000 };
      const title = `building ${tool.name} ${tool.version}`;
      const build = (onLine: (line: string) => void) =>
        run('cargo', args, { ...options, onLine: (line) => isCargoStep(line) && onLine(line) });
      const result = await withProgress(log, title, build, ', which takes one to three minutes');
      if (result.exitCode !== 0) {
        const hint = `fix what cargo says, or install ${tool.name} ${tool.version} yourself and put it on PATH`;
        throw await cargoFailure(title, result, dir, base, hint);
      }
      for (const folder of [target, source, join(dir, 'llvm')]) await rm(folder, { recursive: true, force: true });
      if (llvm !== undefined) await linkLibrary(dir, llvm);
      if ((await readToolVersion(join(dir, 'bin', tool.name), base)) === undefined) {
        throw new MachineError(`${tool.name} ${tool.version} was built and does not run`);
      }
    }),
  );
  return program;
}

/**
 * Makes the error for a failed cargo.
 *
 * @param what such as `building vmtest 0.18.0`
 * @param folder folder of the cache that it wrote to
 * @param env environment of that cargo
 */
export async function cargoFailure(
  what: string,
  result: Pick<RunResult, 'stdout' | 'stderr' | 'timedOut'>,
  folder: string,
  env: NodeJS.ProcessEnv,
  hint: string,
): Promise<MachineError> {
  return await installFailure(what, result, [folder, cargoHome(env), env.TMPDIR || tmpdir()], hint);
}

function cargoHome(env: NodeJS.ProcessEnv): string {
  return env.CARGO_HOME || join(env.HOME || homedir(), '.cargo');
}

/**
 * Arguments of cargo, without the program's name.
 *
 * @param source folder of the unpacked crate
 */
export function cargoArguments(source: string, root: string, llvm: Llvm | undefined): string[] {
  const features = llvm === undefined ? [] : ['--no-default-features', '--features', `llvm-${llvm.major}`];
  return ['install', '--locked', '--path', source, '--root', root, ...features];
}

/**
 * Makes cargo download a crate, by whatever mirror it is configured with, and unpacks it where its SHA-256 is the
 * pinned one. `cargo install NAME` would compare it only with the index of the same mirror.
 *
 * @returns the folder of its Cargo.toml, below `dir`
 */
export async function unpackCrate(
  { name, version, sha256 }: CargoTool,
  dir: string,
  { log, env, signal }: Omit<InstallContext, 'cache'>,
): Promise<string> {
  const args = ['info', '--quiet', `${name}@${version}`];
  const result = await withProgress(log, `fetching ${name} ${version}`, (onLine) =>
    run('cargo', args, { cwd: dir, env, signal, timeoutMs: 300_000, onLine }),
  );
  if (result.exitCode !== 0) {
    const hint = `see that cargo reaches its registry, or put ${name} ${version} on PATH yourself`;
    throw await cargoFailure(`\`cargo ${args.join(' ')}\``, result, dir, env, hint);
  }
  const file = join(dir, 'source.crate');
  // Unpacks exactly what was compared, whatever happens to cargo's own file.
  await writeFile(file, await readCrate({ name, version, sha256 }, env));
  await runOrThrow('tar', ['--extract', '--gzip', '--file', file, '--directory', dir, '--no-same-owner'], { signal });
  await rm(file);
  const source = join(dir, `${name}-${version}`);
  if (!existsSync(join(source, 'Cargo.lock'))) {
    throw new MachineError(`the crate of ${name} ${version} holds no Cargo.lock: its dependencies would not be pinned`);
  }
  // The crate's own settings are for its developers: bpf-linker's name clang as the linker.
  await rm(join(source, '.cargo'), { recursive: true, force: true });
  // Otherwise cargo takes a workspace in a folder above the cache for the crate's own.
  await appendFile(join(source, 'Cargo.toml'), '\n[workspace]\n');
  return source;
}

/** Reads the pinned file from what cargo has downloaded, from whichever registry. */
async function readCrate({ name, version, sha256 }: CargoTool, env: NodeJS.ProcessEnv): Promise<Buffer> {
  const downloads = join(cargoHome(env), 'registry', 'cache');
  const others: string[] = [];
  for (const registry of await readdir(downloads).catch(() => [])) {
    const file = join(downloads, registry, `${name}-${version}.crate`);
    if (!existsSync(file)) continue;
    const content = await readFile(file);
    const sum = hash('sha256', content);
    if (sum === sha256) return content;
    others.push(`  received: ${sum}\n  from:     ${file}`);
  }
  if (others.length === 0) {
    throw new MachineError(`cargo has left no ${name}-${version}.crate below \`${downloads}\``, {
      hint: `put ${name} ${version} on PATH yourself`,
    });
  }
  throw new MachineError(
    `wrong SHA-256 of the crate of ${name} ${version}:\n  pinned:   ${sha256}\n${others.join('\n')}`,
    { hint: 'do not retry blindly: find out whether the registry changed the file or something rewrites downloads' },
  );
}

/**
 * Name of a tool's cache entry. A build is valid only for the distribution it was made on, because it is linked with
 * its libraries; a build of bpf-linker is valid only for its LLVM.
 *
 * @param llvm name of that LLVM
 */
export async function toolKey(tool: CargoTool, llvm: string | undefined): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const distribution = /^ID=.*$/m.exec(release)?.[0] ?? '';
  const distributionVersion = /^VERSION_ID=.*$/m.exec(release)?.[0] ?? '';
  const made = [process.arch, distribution, distributionVersion, llvm ?? ''].join('\n');
  return `${tool.name}-${tool.version}-${hash('sha256', made).slice(0, 12)}`;
}

/**
 * Variables by which bpf-linker's build finds LLVM. Its build script makes the program look for the library in the
 * folder it was linked with, which is gone after the build. So the first place to look is next to the program.
 */
async function llvmVariables(llvm: Llvm | undefined, dir: string): Promise<Record<string, string>> {
  if (llvm === undefined) return {};
  return {
    LLVM_PREFIX: await makePrefix(llvm, join(dir, 'llvm')),
    RUSTFLAGS: '-C link-arg=-Wl,-rpath,$ORIGIN/../lib',
    // Debug information is twenty times the size of the program, and only a debugger needs it.
    CARGO_PROFILE_RELEASE_DEBUG: '0',
    CARGO_PROFILE_RELEASE_STRIP: 'symbols',
  };
}

async function readToolVersion(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const result = await runIfPossible(path, ['--version'], { env, timeoutMs: 30_000 });
  return result?.exitCode === 0 ? findVersion(result.stdout) : undefined;
}

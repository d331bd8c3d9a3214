// Prerequisites: programs from crates.io, built once into the cache.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import { type Cache, entryPath, findEntry, obtainEntry, publishEntry } from '../cache/cache.ts';
import { MachineError } from '../errors.ts';
import { findExecutable } from './executables.ts';
import type { Llvm } from './llvm.ts';
import { usableMajors } from './llvm.ts';
import type { CargoTool } from './prerequisite.ts';
import { withProgress } from './progress.ts';
import type { RustToolchain } from './rust.ts';
import { findVersion, isAdequate } from './versions.ts';

const kind = 'tools';

export interface FoundTool {
  readonly path: string;
  /** Undefined when it does not run. */
  readonly version: string | undefined;
}

/** Looks on PATH, then in the cache; prefers the first that will do, else tells the first there is. */
export async function findCargoTool(
  tool: CargoTool,
  rust: RustToolchain | undefined,
  cache: Cache,
  env: NodeJS.ProcessEnv,
): Promise<FoundTool | undefined> {
  const candidates = [await findExecutable(tool.name, env)];
  for (const llvmMajor of possibleLlvms(tool, rust)) {
    const entry = await obtainEntry(cache, kind, await toolKey(tool, llvmMajor));
    if (entry !== undefined) candidates.push(join(entry, 'bin', tool.name));
  }
  let first: FoundTool | undefined;
  for (const path of candidates) {
    if (path === undefined) continue;
    const found = { path, version: await readToolVersion(path, env) };
    if (found.version !== undefined && isAdequate(found.version, tool.version)) return found;
    first ??= found;
  }
  return first;
}

/**
 * Builds a tool into the cache, from the pinned crate and with the dependencies of the lock file in it.
 *
 * @param llvm for bpf-linker, which is built with one
 * @returns absolute path of the program
 * @throws MachineError when the crate cannot be had, is not the pinned one, or does not build
 */
export async function installCargoTool(
  tool: CargoTool,
  llvm: Llvm | undefined,
  options: {
    readonly cache: Cache;
    readonly log: Log;
    readonly env: NodeJS.ProcessEnv;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<string> {
  const { cache, log, signal } = options;
  const key = await toolKey(tool, llvm?.major);
  const program = join(entryPath(cache, kind, key), 'bin', tool.name);
  if (findEntry(cache, kind, key) !== undefined) {
    // It may have lacked a library that has been installed since.
    if ((await readToolVersion(program, options.env)) !== undefined) return program;
    await rm(entryPath(cache, kind, key), { recursive: true, force: true });
  }
  await publishEntry(cache, kind, key, async (dir) => {
    const target = join(dir, 'target');
    const env = { ...withoutProjectSettings(options.env), CARGO_TARGET_DIR: target, ...llvmVariables(llvm) };
    const source = await unpackCrate(tool, dir, { log, env, signal });
    const args = cargoArguments(source, dir, llvm);
    const result = await withProgress(log, `building ${tool.name} ${tool.version}`, (onLine) =>
      // In a folder of its own, where no rust-toolchain.toml chooses another compiler.
      run('cargo', args, { cwd: dir, env, signal, timeoutMs: 1_800_000, onLine }),
    );
    if (result.exitCode !== 0) {
      const lines = result.stderr.trim().split('\n').slice(-15).join('\n');
      const how = result.timedOut ? 'ran out of time' : 'failed';
      throw new MachineError(`\`cargo ${args.join(' ')}\` ${how}:\n${lines}`, {
        hint: `install ${tool.name} ${tool.version} yourself and put it on PATH, or mend what cargo says`,
      });
    }
    await rm(target, { recursive: true, force: true });
    await rm(source, { recursive: true, force: true });
    if ((await readToolVersion(join(dir, 'bin', tool.name), env)) === undefined) {
      throw new MachineError(`${tool.name} ${tool.version} was built and does not run`);
    }
  });
  return program;
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
 * Has cargo download a crate, by whatever mirror it is configured with, and unpacks it where its SHA-256 is the pinned
 * one. `cargo install NAME` would compare it only with what the same mirror's index says.
 *
 * @returns the folder of its Cargo.toml, below `dir`
 */
async function unpackCrate(
  { name, version, sha256 }: CargoTool,
  dir: string,
  {
    log,
    env,
    signal,
  }: { readonly log: Log; readonly env: NodeJS.ProcessEnv; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  const args = ['info', '--quiet', `${name}@${version}`];
  const result = await withProgress(log, `fetching ${name} ${version}`, (onLine) =>
    run('cargo', args, { cwd: dir, env, signal, timeoutMs: 300_000, onLine }),
  );
  if (result.exitCode !== 0) {
    const how = result.timedOut ? 'ran out of time' : 'failed';
    throw new MachineError(`\`cargo ${args.join(' ')}\` ${how}:\n${result.stderr.trim()}`, {
      hint: `see that cargo reaches its registry, or put ${name} ${version} on PATH yourself`,
    });
  }
  const file = join(dir, 'source.crate');
  // What was compared is what is unpacked, whatever becomes of cargo's own file.
  await writeFile(file, await readCrate({ name, version, sha256 }, env));
  await runOrThrow('tar', ['--extract', '--gzip', '--file', file, '--directory', dir, '--no-same-owner'], { signal });
  await rm(file);
  const source = join(dir, `${name}-${version}`);
  if (!existsSync(join(source, 'Cargo.lock'))) {
    throw new MachineError(`the crate of ${name} ${version} holds no Cargo.lock: its dependencies would not be pinned`);
  }
  // Else cargo takes a workspace in a folder above the cache for its own.
  await appendFile(join(source, 'Cargo.toml'), '\n[workspace]\n');
  return source;
}

/** Among what cargo has downloaded, from whichever registries, the file that is pinned. */
async function readCrate({ name, version, sha256 }: CargoTool, env: NodeJS.ProcessEnv): Promise<Buffer> {
  const downloads = join(env.CARGO_HOME || join(env.HOME || homedir(), '.cargo'), 'registry', 'cache');
  const others: string[] = [];
  for (const registry of await readdir(downloads).catch(() => [])) {
    const file = join(downloads, registry, `${name}-${version}.crate`);
    if (!existsSync(file)) continue;
    const content = await readFile(file);
    const sum = createHash('sha256').update(content).digest('hex');
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
 * Name of a tool's cache entry. A build is only good for the distribution it was made on, whose libraries it is
 * linked with, and bpf-linker for its LLVM.
 */
export async function toolKey(tool: CargoTool, llvmMajor: number | undefined): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const distribution = /^ID=.*$/m.exec(release)?.[0] ?? '';
  const distributionVersion = /^VERSION_ID=.*$/m.exec(release)?.[0] ?? '';
  const made = [process.arch, distribution, distributionVersion, llvmMajor ?? ''].join('\n');
  return `${tool.name}-${tool.version}-${createHash('sha256').update(made).digest('hex').slice(0, 12)}`;
}

function possibleLlvms(tool: CargoTool, rust: RustToolchain | undefined): (number | undefined)[] {
  if (tool.name !== 'bpf-linker') return [undefined];
  return rust === undefined ? [] : usableMajors(rust.llvmMajor);
}

function llvmVariables(llvm: Llvm | undefined): NodeJS.ProcessEnv {
  return llvm === undefined ? {} : { LLVM_PREFIX: llvm.prefix };
}

/** Variables a project's build may be steered by, and a tool's must not. */
function withoutProjectSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const steering = ['RUSTFLAGS', 'CARGO_ENCODED_RUSTFLAGS', 'CARGO_BUILD_TARGET', 'CARGO_BUILD_RUSTFLAGS'];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !steering.includes(name)));
}

async function readToolVersion(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { exitCode, stdout } = await run(path, ['--version'], { env, timeoutMs: 30_000 });
    return exitCode === 0 ? findVersion(stdout) : undefined;
  } catch (error) {
    if (error instanceof MachineError) return undefined; // Not a program this machine can start.
    throw error;
  }
}

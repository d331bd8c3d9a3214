// Prerequisites: the Rust toolchains that are installed.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../adapters/process.ts';
import { MachineError } from '../common/errors.ts';
import { extendPath, findExecutable } from './executables.ts';
import { findVersion } from './versions.ts';

export interface RustToolchain {
  /** `1.95.0`. */
  readonly version: string;
  /** What `rustc -vV` prints. */
  readonly about: string;
  /** The first line of that: `rustc 1.95.0 (59807616e 2026-04-14)`. */
  readonly line: string;
  /** Version of the LLVM it was built with: `22.1.2`. */
  readonly llvmVersion: string;
  /** `x86_64-unknown-linux-gnu`. */
  readonly host: string;
  readonly sysroot: string;
}

/**
 * An environment with a toolchain's own programs first on PATH. rustup's proxies of the same names would look for a
 * toolchain file in the folders above the one they run in.
 */
export function environmentOf({ sysroot }: RustToolchain, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PATH: extendPath(env.PATH, [join(sysroot, 'bin')]) };
}

/** Parses the output of `rustc -vV`; undefined when it is something else. */
export function parseRustc(output: string): Omit<RustToolchain, 'sysroot'> | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(output)?.[1];
  const version = findVersion(field('release') ?? '');
  const llvmVersion = findVersion(field('LLVM version') ?? '');
  const host = field('host');
  if (version === undefined || host === undefined || llvmVersion === undefined) return undefined;
  return { version, about: output, line: output.split('\n')[0] ?? '', llvmVersion, host };
}

/**
 * Reads an installed toolchain.
 *
 * @param name rustup's name. Default: the one behind `rustc` outside of any project
 * @returns undefined when there is none that runs
 */
export async function readRust(env: NodeJS.ProcessEnv, name?: string): Promise<RustToolchain | undefined> {
  const program = await findExecutable(name === undefined ? 'rustc' : 'rustup', env);
  if (program === undefined) return undefined;
  const before = name === undefined ? [] : ['run', name, 'rustc'];
  const options = { env, timeoutMs: 30_000 };
  const about = await run(program, [...before, '-vV'], options);
  if (about.exitCode !== 0) return undefined;
  const sysroot = await run(program, [...before, '--print', 'sysroot'], options);
  const parsed = parseRustc(about.stdout);
  if (sysroot.exitCode !== 0 || parsed === undefined) return undefined;
  return { ...parsed, sysroot: sysroot.stdout.trim() };
}

/**
 * Finds the file of the LLVM in a toolchain's folder `lib`, `libLLVM.so.22.1-rust-1.95.0-stable`. Undefined where there
 * is none: a distribution's rustc uses the distribution's LLVM, and some toolchains have it inside rustc.
 */
export async function findLlvmLibrary({ sysroot }: RustToolchain): Promise<string | undefined> {
  // The other file of a similar name, libLLVM-22-rust-1.95.0-stable.so, is a linker script.
  return (await readdir(join(sysroot, 'lib')).catch(() => [])).find((name) => /^libLLVM\.so\.\d[\w.-]*$/.test(name));
}

/** The command that gets a new enough toolchain. */
export function rustRemedy(hasRustup: boolean): string {
  return hasRustup
    ? 'rustup update stable && rustup default stable'
    : "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh";
}

/** @param problem what is wrong, to be read as a sentence: `rustc is older than 1.91` */
export function rustMissing(problem: string, remedy: string): MachineError {
  return new MachineError(`${problem}; bpfgate does not install Rust`, { hint: remedy });
}

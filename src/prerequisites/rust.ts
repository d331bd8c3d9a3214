// Prerequisites: the Rust toolchain that is installed.

import { run } from '../adapters/process.ts';
import { MachineError } from '../errors.ts';
import { findExecutable } from './executables.ts';
import { findVersion } from './versions.ts';

export interface RustToolchain {
  /** `1.95.0`. */
  readonly version: string;
  /** Major version of the LLVM it was built with. */
  readonly llvmMajor: number;
  /** `x86_64-unknown-linux-gnu`. */
  readonly host: string;
  readonly sysroot: string;
}

/** Reads what `rustc -vV` prints; undefined when it is not that. */
export function parseRustc(output: string): Omit<RustToolchain, 'sysroot'> | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(output)?.[1];
  const version = findVersion(field('release') ?? '');
  const llvmMajor = Number.parseInt(field('LLVM version') ?? '', 10);
  const host = field('host');
  if (version === undefined || host === undefined || Number.isNaN(llvmMajor)) return undefined;
  return { version, llvmMajor, host };
}

/** The toolchain behind `rustc`; undefined when there is none that runs. */
export async function readRust(env: NodeJS.ProcessEnv): Promise<RustToolchain | undefined> {
  const rustc = await findExecutable('rustc', env);
  if (rustc === undefined) return undefined;
  const about = await run(rustc, ['-vV'], { env, timeoutMs: 30_000 });
  const sysroot = await run(rustc, ['--print', 'sysroot'], { env, timeoutMs: 30_000 });
  const parsed = parseRustc(about.stdout);
  if (about.exitCode !== 0 || sysroot.exitCode !== 0 || parsed === undefined) return undefined;
  return { ...parsed, sysroot: sysroot.stdout.trim() };
}

/** How a person gets a new enough toolchain. */
export function rustRemedy(hasRustup: boolean): string {
  return hasRustup
    ? 'rustup update stable && rustup default stable'
    : "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh";
}

/** @param lack what is wrong, to be read as a sentence: `rustc is older than 1.87` */
export function rustMissing(lack: string, remedy: string): MachineError {
  return new MachineError(`${lack}; bpfgate does not install Rust`, { hint: remedy });
}

// Prerequisites: the LLVM that bpf-linker is built with.

import { join } from 'node:path';
import { run } from '../adapters/process.ts';
import { MachineError } from '../errors.ts';
import { findMissingPackages, isPackageAvailable } from './apt.ts';
import { findExecutable } from './executables.ts';
import type { RustToolchain } from './rust.ts';

/** Those bpf-linker 0.13.0 has a feature for, `llvm-NN`. */
const supportedMajors = [21, 22, 23];

export interface Llvm {
  readonly major: number;
  /** Value of LLVM_PREFIX. */
  readonly prefix: string;
  /** Packages to install before it can be built with. */
  readonly missingPackages: readonly string[];
}

/** LLVM versions that bpf-linker can be built with and that read what rustc writes: not older than rustc's own. */
export function usableMajors(rustcMajor: number): number[] {
  return supportedMajors.filter((major) => major >= rustcMajor);
}

export function llvmPackages(major: number): string[] {
  return [`llvm-${major}-dev`, `libpolly-${major}-dev`, 'zlib1g-dev', 'libzstd-dev', 'libxml2-dev'];
}

/**
 * The LLVM to build bpf-linker with: LLVM_PREFIX, else one below /usr/lib, else one that apt can install.
 *
 * @throws MachineError naming what is needed when there is none
 */
export async function chooseLlvm(rust: RustToolchain, env: NodeJS.ProcessEnv): Promise<Llvm> {
  const majors = usableMajors(rust.llvmMajor);
  const own = env.LLVM_PREFIX;
  if (own) {
    const major = await readMajor(own, env);
    if (major !== undefined && majors.includes(major)) return { major, prefix: own, missingPackages: [] };
  }
  const debianPrefix = (major: number) => `/usr/lib/llvm-${major}`;
  const hasDpkg = (await findExecutable('dpkg-query', env)) !== undefined;
  for (const major of majors) {
    const prefix = debianPrefix(major);
    if ((await readMajor(prefix, env)) !== major) continue;
    const missingPackages = hasDpkg ? await findMissingPackages(llvmPackages(major), env) : [];
    return { major, prefix, missingPackages };
  }
  for (const major of majors) {
    if (!(await isPackageAvailable(`llvm-${major}-dev`, env))) continue;
    return { major, prefix: debianPrefix(major), missingPackages: await findMissingPackages(llvmPackages(major), env) };
  }
  throw llvmMissing(rust);
}

export function llvmMissing(rust: RustToolchain): MachineError {
  const majors = usableMajors(rust.llvmMajor);
  const newest = supportedMajors.at(-1);
  const [first] = majors;
  if (first === undefined) {
    return new MachineError(
      `rustc ${rust.version} writes LLVM ${rust.llvmMajor} code; bpf-linker reads LLVM ${newest} and older`,
      { hint: 'use an older Rust toolchain, such as with `rustup default 1.95.0`' },
    );
  }
  return new MachineError(
    `bpf-linker needs LLVM ${majors.join(' or ')}, since rustc ${rust.version} writes LLVM ${rust.llvmMajor} code; ` +
      `found neither /usr/lib/llvm-${first} nor a package llvm-${first}-dev`,
    {
      hint: `install ${llvmPackages(first).join(' ')} (apt.llvm.org has them), set LLVM_PREFIX to an LLVM ${first}, or put bpf-linker 0.13 on PATH`,
    },
  );
}

async function readMajor(prefix: string, env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const config = await findExecutable('llvm-config', { PATH: join(prefix, 'bin') });
  if (config === undefined || !config.startsWith(prefix)) return undefined;
  const { stdout } = await run(config, ['--version'], { env, timeoutMs: 30_000 });
  const major = Number.parseInt(stdout, 10);
  return Number.isNaN(major) ? undefined : major;
}

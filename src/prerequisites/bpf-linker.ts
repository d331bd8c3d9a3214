// Prerequisites: bpf-linker, which has to read what rustc writes. Chooses the LLVM to build it with, and tests whether
// an installed one reads that.

import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../adapters/process.ts';
import { withTemporaryFolder } from '../adapters/temporary-folder.ts';
import { MachineError } from '../common/errors.ts';
import { findMissingPackages, isPackageAvailable } from './apt.ts';
import { readProducer } from './bitcode.ts';
import { findExecutable } from './executables.ts';
import { placeLink } from './place-link.ts';
import { environmentOf, findLlvmLibrary, type RustToolchain } from './rust.ts';
import { isAtLeast } from './versions.ts';

/** LLVM versions that bpf-linker 0.13.0 has a feature for, `llvm-NN`. */
const supportedMajors = [21, 22, 23];

export interface Llvm {
  readonly major: number;
  /**
   * Identifies what a build with it is valid for; part of its cache key. The name of a toolchain's library, which names
   * its release of Rust, `libLLVM.so.22.1-rust-1.95.0-stable`; or `llvm-22` for the distribution's.
   */
  readonly name: string;
  /** Absolute path of a toolchain's library; null for the distribution's. */
  readonly library: string | null;
  /** Value of LLVM_PREFIX; null where a folder with links to `library` has to be made. */
  readonly prefix: string | null;
  /** Packages to install before bpf-linker can be built with it. */
  readonly missingPackages: readonly string[];
}

/** The toolchain with the newest LLVM, which reads what all of them write. */
export function newestLlvm(toolchains: readonly RustToolchain[]): RustToolchain | undefined {
  return toolchains.reduce<RustToolchain | undefined>(
    (newest, each) => (newest === undefined || !isAtLeast(newest.llvmVersion, each.llvmVersion) ? each : newest),
    undefined,
  );
}

function majorOf({ llvmVersion }: RustToolchain): number {
  return Number.parseInt(llvmVersion, 10);
}

/** LLVM versions that bpf-linker can be built with and that read what rustc writes: not older than rustc's own. */
export function usableMajors(rustcMajor: number): number[] {
  return supportedMajors.filter((major) => major >= rustcMajor);
}

/** The LLVMs with which a bpf-linker in the cache may have been built for this toolchain. */
export async function usableLlvms(rust: RustToolchain): Promise<Pick<Llvm, 'name' | 'library'>[]> {
  const own = await toolchainLlvm(rust);
  if (own !== undefined) return [own];
  return usableMajors(majorOf(rust)).map((major) => ({ name: nameOf(major), library: null }));
}

async function toolchainLlvm(rust: RustToolchain): Promise<(Llvm & { readonly library: string }) | undefined> {
  const major = majorOf(rust);
  const name = supportedMajors.includes(major) ? await findLlvmLibrary(rust) : undefined;
  if (name === undefined) return undefined;
  return { major, name, library: join(rust.sysroot, 'lib', name), prefix: null, missingPackages: [] };
}

function nameOf(major: number): string {
  return `llvm-${major}`;
}

/**
 * Chooses the LLVM to build bpf-linker with: the toolchain's own, else LLVM_PREFIX, else one below /usr/lib, else one
 * that apt can install.
 *
 * @param aptReady resolves when apt knows what there is to install
 * @param distribution folder of the distribution's LLVMs
 * @throws MachineError naming what is needed when there is none
 */
export async function chooseLlvm(
  rust: RustToolchain,
  env: NodeJS.ProcessEnv,
  aptReady: () => Promise<unknown> | undefined = () => undefined,
  distribution = '/usr/lib',
): Promise<Llvm> {
  const inToolchain = await toolchainLlvm(rust);
  if (inToolchain !== undefined) return inToolchain;
  const majors = usableMajors(majorOf(rust));
  const make = (major: number, prefix: string, missingPackages: readonly string[] = []): Llvm => ({
    major,
    prefix,
    missingPackages,
    name: nameOf(major),
    library: null,
  });
  const own = env.LLVM_PREFIX;
  if (own) {
    const major = await readMajor(own, env);
    if (major !== undefined && majors.includes(major)) return make(major, own);
  }
  const debianPrefix = (major: number) => join(distribution, `llvm-${major}`);
  const hasDpkg = (await findExecutable('dpkg-query', env)) !== undefined;
  for (const major of majors) {
    const prefix = debianPrefix(major);
    if ((await readMajor(prefix, env)) !== major) continue;
    return make(major, prefix, hasDpkg ? await findMissingPackages(llvmPackages(major), env) : []);
  }
  await aptReady();
  for (const major of majors) {
    if (!(await isPackageAvailable(`llvm-${major}-dev`, env))) continue;
    return make(major, debianPrefix(major), await findMissingPackages(llvmPackages(major), env));
  }
  throw llvmMissing(rust);
}

/** Packages with the library and llvm-config. bpf-linker needs no header. */
function llvmPackages(major: number): string[] {
  return [`llvm-${major}-dev`];
}

export function llvmMissing(rust: RustToolchain): MachineError {
  const majors = usableMajors(majorOf(rust));
  const [first] = majors;
  const onPath = 'put a bpf-linker that reads it on PATH (its releases have one that needs no LLVM)';
  if (first === undefined) {
    return new MachineError(
      `${rust.line} writes LLVM ${rust.llvmVersion} code; the bpf-linker that bpfgate builds reads LLVM ${supportedMajors.at(-1)} and older`,
      { hint: `${onPath}, or use an older Rust toolchain` },
    );
  }
  return new MachineError(
    `bpf-linker has to read what ${rust.line} writes, LLVM ${rust.llvmVersion} code: this toolchain has no LLVM library ` +
      `of its own in \`${join(rust.sysroot, 'lib')}\` that bpf-linker can be built with, and there is neither ` +
      `/usr/lib/llvm-${first} nor a package llvm-${first}-dev`,
    {
      hint: `${onPath}, or install LLVM ${majors.join(' or ')} and set LLVM_PREFIX; a toolchain of rustup's needs neither`,
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

/**
 * Makes a folder for LLVM_PREFIX. Its library is the toolchain's, by the name a linker asks for and by its own.
 *
 * @param folder does not exist yet
 */
export async function makePrefix(
  { library, name }: Llvm & { readonly library: string },
  folder: string,
): Promise<string> {
  await mkdir(join(folder, 'lib'), { recursive: true });
  for (const each of ['libLLVM.so', name]) await symlink(library, join(folder, 'lib', each));
  return folder;
}

/**
 * Makes a built bpf-linker use the library of an installed toolchain, whatever it was built with. The entry may come
 * from another machine, and the toolchain may have been updated or moved since. The program looks for the library in
 * the folder `lib` next to its own.
 *
 * @param entry folder of the cache entry
 */
export async function linkLibrary(entry: string, { library, name }: Pick<Llvm, 'library' | 'name'>): Promise<void> {
  if (library === null) return;
  const link = join(entry, 'lib', name);
  if ((await readlink(link).catch(() => undefined)) === library) return;
  await placeLink(library, link);
}

/** Source of a library for this host: no other target has a `core` everywhere. The compiled code is never run. */
const probeSource = `#![no_std]
#[no_mangle]
pub extern "C" fn probe(value: u64) -> u64 {
    value + 1
}
`;

/** Paths of the toolchain's `core` for this host; none where it lies elsewhere. */
async function coreOf({ sysroot, host }: RustToolchain): Promise<string[]> {
  const folder = join(sysroot, 'lib', 'rustlib', host, 'lib');
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^libcore-[0-9a-f]+\.rlib$/.test(name)).map((name) => join(folder, name));
}

export interface Reading {
  /** The LLVM it has, by its own name: `LLVM22.1.2-rust-1.95.0-stable`; null where that is unknown. */
  readonly llvm: string | null;
  /** Why it is unusable, as a clause after its name; null when it read what every toolchain wrote. */
  readonly problem: string | null;
}

/**
 * Makes bpf-linker read what each toolchain writes: a library that its rustc compiles, and the toolchain's own `core`,
 * which has the bitcode of everything that eBPF programs can use. An LLVM that is too old often reads the first, seldom
 * both.
 */
export async function tryReading(
  program: string,
  toolchains: readonly RustToolchain[],
  env: NodeJS.ProcessEnv,
): Promise<Reading> {
  return await withTemporaryFolder(join(tmpdir(), 'bpfgate-linker-'), async (folder) => {
    await writeFile(join(folder, 'probe.rs'), probeSource);
    let llvm: string | null = null;
    for (const toolchain of toolchains) {
      const compile = ['--edition=2021', '--crate-type=lib', '-O', '-Cpanic=abort', '--emit=llvm-bc=in.bc', 'probe.rs'];
      const options = { cwd: folder, env: environmentOf(toolchain, env), timeoutMs: 60_000 };
      const compiled = await run('rustc', compile, options);
      // A failed compilation is not the linker's fault.
      if (compiled.exitCode !== 0) continue;
      const link = ['--target=bpfel', '--emit=llvm-bc', '--export=probe', '-o', 'out.bc'];
      const linked = await run(program, [...link, ...(await coreOf(toolchain)), 'in.bc'], options);
      if (linked.exitCode !== 0) {
        const said = (linked.stderr.trim() || linked.stdout.trim()).split('\n')[0] ?? '';
        return { llvm, problem: `cannot read what ${toolchain.line} writes (${said.slice(0, 200)})` };
      }
      llvm = readProducer(await readFile(join(folder, 'out.bc'))) ?? null;
    }
    return { llvm, problem: null };
  });
}

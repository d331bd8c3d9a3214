// Prerequisites: bpf-linker, which has to read what rustc writes. It is built with the LLVM of a Rust toolchain. An
// installed one is tested.

import { mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../adapters/process.ts';
import { withTemporaryFolder } from '../adapters/temporary-folder.ts';
import { MachineError } from '../common/errors.ts';
import { placeLink } from './place-link.ts';
import { environmentOf, findLlvmLibrary, type RustToolchain } from './rust.ts';
import { isAtLeast } from './versions.ts';

/** LLVM versions that bpf-linker 0.13.0 has a feature for, `llvm-NN`. */
const supportedMajors = [21, 22, 23];

/** The LLVM of a Rust toolchain. */
export interface Llvm {
  readonly major: number;
  /**
   * Name of its library, which names its release of Rust: `libLLVM.so.22.1-rust-1.95.0-stable`. A build is valid for this
   * one only.
   */
  readonly name: string;
  /** Absolute path. */
  readonly library: string;
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

/** Whether bpf-linker can be built with a toolchain's LLVM. A newer one reads what an older one writes. */
export function hasUsableLlvm(rust: RustToolchain): boolean {
  return supportedMajors.includes(majorOf(rust));
}

/** The LLVM of a toolchain, if bpf-linker can be built with it. */
export async function findLlvm(rust: RustToolchain): Promise<Llvm | undefined> {
  const name = hasUsableLlvm(rust) ? await findLlvmLibrary(rust) : undefined;
  return name === undefined ? undefined : { major: majorOf(rust), name, library: join(rust.sysroot, 'lib', name) };
}

export function llvmMissing(rust: RustToolchain): MachineError {
  const majors = `${supportedMajors[0]} to ${supportedMajors.at(-1)}`;
  return new MachineError(
    `bpf-linker has to read what ${rust.line} writes, LLVM ${rust.llvmVersion} code, and bpfgate can build it only with ` +
      `LLVM ${majors} that is in the toolchain: there is none in \`${join(rust.sysroot, 'lib')}\``,
    {
      hint: "put a bpf-linker that reads it on PATH (its releases have one that needs no LLVM), or use another of rustup's toolchains",
    },
  );
}

/**
 * Makes a folder for LLVM_PREFIX. Its library is the toolchain's, by the name a linker asks for and by its own.
 *
 * @param folder does not exist yet
 */
export async function makePrefix({ library, name }: Llvm, folder: string): Promise<string> {
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
export async function linkLibrary(entry: string, { library, name }: Llvm): Promise<void> {
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

/**
 * Makes bpf-linker read what each toolchain writes: a library that its rustc compiles, and the toolchain's own `core`,
 * which has the bitcode of everything that eBPF programs can use. An LLVM that is too old often reads the first, seldom
 * both.
 *
 * @returns why it is unusable, as a clause after its name; null when it read what every toolchain wrote
 */
export async function tryReading(
  program: string,
  toolchains: readonly RustToolchain[],
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  return await withTemporaryFolder(join(tmpdir(), 'bpfgate-linker-'), async (folder) => {
    await writeFile(join(folder, 'probe.rs'), probeSource);
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
        return `cannot read what ${toolchain.line} writes (${said.slice(0, 200)})`;
      }
    }
    return null;
  });
}

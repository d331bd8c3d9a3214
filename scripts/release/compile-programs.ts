// Release: compiles agent, plugin and vmtest for any x86-64 Linux, without paths of this machine: two machines are
// compared.

import { copyFile, readFile, realpath, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { hashFile } from '../../src/adapters/hash-file.ts';
import type { Log } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { runOrThrow } from '../../src/adapters/process.ts';
import { guestPrograms, target } from '../../src/adapters/program-source.ts';
import { withTemporaryFolder } from '../../src/adapters/temporary-folder.ts';
import { type programsSchema, type ReadyMadeName, readyMadeNames } from '../../src/cache/ready-made.ts';
import { unpackCrate } from '../../src/prerequisites/cargo-tools.ts';
import { isStaticallyLinked } from '../../src/prerequisites/executables.ts';
import { vmtest } from '../../src/prerequisites/prerequisite.ts';
import { sourcesOf } from '../../src/prerequisites/ready-made.ts';

/** The newest glibc 2 that a shared library may need: 2.34, of 2021. Debian 12 and Ubuntu 22.04 have newer ones. */
const newestGlibc = 34;

/** A compiled program, and the SHA-256 of its sources, as in vm/programs.json. */
interface Compiled {
  readonly name: ReadyMadeName;
  readonly file: string;
  readonly madeFrom: string;
}

/** Name of a program's file in a release. */
export function assetName(program: ReadyMadeName): string {
  return `${program}-x86_64`;
}

/** Compiles all programs into a folder. */
export async function compilePrograms(out: string, log: Log): Promise<Compiled[]> {
  return await withTemporaryFolder(join(await realpath(tmpdir()), 'bpfgate-programs-'), async (scratch) => {
    const crates = {
      ...guestPrograms,
      vmtest: { crate: await unpackCrate(vmtest, scratch, { log, env: process.env }), made: 'vmtest' },
    };
    const flags = await withoutPaths(scratch);
    const compiled: Compiled[] = [];
    for (const name of readyMadeNames) {
      const { crate, made } = crates[name];
      log.progress(`compiling ${name}`);
      // Must run on any distribution: the agent where there are no libraries, vmtest with those of any host. QEMU loads
      // the plugin, which therefore has QEMU's libraries.
      const isLibrary = made.endsWith('.so');
      const variables = {
        CARGO_TARGET_DIR: join(scratch, 'target'),
        RUSTFLAGS: [...(isLibrary ? [] : ['-C target-feature=+crt-static']), ...flags].join(' '),
        CARGO_PROFILE_RELEASE_STRIP: 'symbols',
      };
      // The explicit target keeps build scripts from being static, which they cannot be.
      await runOrThrow('cargo', ['build', '--release', '--locked', '--target', target], {
        cwd: crate,
        variables,
        timeoutMs: 1_800_000,
      });
      const file = assetName(name);
      await copyFile(join(scratch, 'target', target, 'release', made), join(out, file));
      if (isLibrary) await requireOldGlibc(join(out, file));
      else if (!(await isStaticallyLinked(join(out, file)))) throw new Error(`${file} is not static`);
      compiled.push({ name, file, madeFrom: await sourcesOf(name) });
    }
    log.progress((await runOrThrow(join(out, assetName('vmtest')), ['--version'])).trim());
    return compiled;
  });
}

/** @throws Error when a shared library needs a glibc that supported hosts may not have */
async function requireOldGlibc(file: string): Promise<void> {
  const symbols = (await readFile(file, 'latin1')).matchAll(/GLIBC_2\.(\d+)/g);
  const newer = [...symbols].filter(([, minor]) => Number(minor) > newestGlibc);
  if (newer.length > 0) throw new Error(`${file} needs ${newer.join(' and ')}: release it from an older distribution`);
}

/** Arguments of rustc that leave out where things lie on this machine, which panics otherwise name. */
async function withoutPaths(scratch: string): Promise<string[]> {
  const sysroot = (await runOrThrow('rustc', ['--print', 'sysroot'])).trim();
  const [, commit = 'unknown'] =
    /^commit-hash: (\w+)$/m.exec(await runOrThrow('rustc', ['--version', '--verbose'])) ?? [];
  const places = {
    [process.env.CARGO_HOME ?? join(homedir(), '.cargo')]: '/cargo',
    // As rustc names it where rust-src is not installed.
    [join(sysroot, 'lib/rustlib/src/rust')]: `/rustc/${commit}`,
    [packageRoot]: '/bpfgate',
    [scratch]: '/scratch',
  };
  return Object.entries(places).map(([path, name]) => `--remap-path-prefix=${path}=${name}`);
}

/** Describes compiled programs in a folder in the form of vm/programs.json. */
export async function listPrograms(
  folder: string,
  compiled: readonly Compiled[],
  tag: string,
): Promise<z.infer<typeof programsSchema>> {
  const programs = compiled.map(async ({ name, file, madeFrom }) => {
    const path = join(folder, file);
    return {
      name,
      madeFrom,
      asset: { tag, name: file, sha256: await hashFile(path), sizeBytes: (await stat(path)).size },
    };
  });
  return { schema: 'bpfgate.programs/1', programs: await Promise.all(programs) };
}

// Release: compiles the guest agent and vmtest for any x86-64 Linux, without paths of this machine: two machines are compared.

import { copyFile, realpath, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { hashAgentSources } from '../../src/adapters/agent-source.ts';
import { hashFile } from '../../src/adapters/hash-file.ts';
import type { Log } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { runOrThrow } from '../../src/adapters/process.ts';
import { withTemporaryFolder } from '../../src/adapters/temporary-folder.ts';
import type { programsSchema, ReadyMadeName } from '../../src/cache/ready-made.ts';
import { unpackCrate } from '../../src/prerequisites/cargo-tools.ts';
import { isStaticallyLinked } from '../../src/prerequisites/executables.ts';
import { vmtest } from '../../src/prerequisites/prerequisite.ts';

const target = 'x86_64-unknown-linux-gnu';

/** A compiled program, and the SHA-256 of its sources, as in vm/programs.json. */
interface Compiled {
  readonly name: ReadyMadeName;
  readonly file: string;
  readonly madeFrom: string;
}

/** Compiles both programs into a folder, as `NAME-x86_64`. */
export async function compilePrograms(out: string, log: Log): Promise<Compiled[]> {
  return await withTemporaryFolder(join(await realpath(tmpdir()), 'bpfgate-programs-'), async (scratch) => {
    // Must run on any distribution: the agent where there are no libraries, vmtest with those of any host.
    const variables = {
      CARGO_TARGET_DIR: join(scratch, 'target'),
      RUSTFLAGS: ['-C target-feature=+crt-static', ...(await withoutPaths(scratch))].join(' '),
      CARGO_PROFILE_RELEASE_STRIP: 'symbols',
    };
    const compiled: Compiled[] = [];
    for (const [name, cwd, madeFrom] of [
      ['bpfgate-agent', join(packageRoot, 'vm', 'agent'), await hashAgentSources()],
      ['vmtest', await unpackCrate(vmtest, scratch, { log, env: process.env }), vmtest.sha256],
    ] as const) {
      log.progress(`compiling ${name}`);
      // The explicit target keeps build scripts from being static, which they cannot be.
      await runOrThrow('cargo', ['build', '--release', '--locked', '--target', target], {
        cwd,
        variables,
        timeoutMs: 1_800_000,
      });
      const file = `${name}-x86_64`;
      await copyFile(join(scratch, 'target', target, 'release', name), join(out, file));
      if (!(await isStaticallyLinked(join(out, file)))) throw new Error(`${file} is not static`);
      compiled.push({ name, file, madeFrom });
    }
    log.progress((await runOrThrow(join(out, 'vmtest-x86_64'), ['--version'])).trim());
    return compiled;
  });
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

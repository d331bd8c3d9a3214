// The host's programs that measurements use, and a folder for their files.

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../src/adapters/log.ts';
import { runOrThrow } from '../src/adapters/process.ts';
import type { Cache } from '../src/cache/cache.ts';
import { InterruptedError, MachineError } from '../src/common/errors.ts';
import { findExecutable } from '../src/prerequisites/executables.ts';
import type { PrerequisiteGroup } from '../src/prerequisites/prerequisite.ts';
import { requirePrerequisites } from '../src/prerequisites/prerequisites.ts';
import { obtainProgram } from '../src/vm/programs.ts';

export interface Host {
  readonly cache: Cache;
  /** Environment in which all programs are found. */
  readonly environment: NodeJS.ProcessEnv;
  /** Absolute path; removed at the end. */
  readonly folder: string;
  /** Absolute paths. */
  readonly qemu: string;
  readonly busybox: string;
  /** What the programs print as their versions. */
  readonly versions: { readonly qemu: string; readonly vmtest: string };
  readonly agent: { readonly file: string; readonly version: string };
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Prerequisites of the example project. */
export const exampleGroups = ['checkout', 'cargo', 'rust-src', 'rust-bpf'] as const;

/** Finds the prerequisites, passes them to `work`, and leaves no files behind, also when interrupted. */
export async function withHost<T>(
  groups: readonly PrerequisiteGroup[],
  { cache, log }: { readonly cache: Cache; readonly log: Log },
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => interruption.abort(new InterruptedError(`interrupted by ${name}`)));
  }
  const { signal } = interruption;
  const { env: environment } = await requirePrerequisites(['vm', 'agent', ...groups], { cache });
  const find = async (name: string) => {
    const path = await findExecutable(name, environment);
    if (path === undefined) throw new MachineError(`${name} is missing`, { hint: 'run `bpfgate doctor --install`' });
    return path;
  };
  const qemu = await find('qemu-system-x86_64');
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'bpfgate-boot-'));
  try {
    return await work({
      cache,
      environment,
      folder,
      qemu,
      busybox: await find('busybox'),
      versions: {
        qemu: await runOrThrow(qemu, ['--version'], { env: environment }),
        vmtest: await runOrThrow('vmtest', ['--version'], { env: environment }),
      },
      agent: await obtainProgram('bpfgate-agent', { cache, environment, log, signal }),
      log,
      signal,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

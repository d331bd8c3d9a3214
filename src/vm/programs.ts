// Guest: obtains the programs that a guest needs, the agent and QEMU's plugin (vm/agent, vm/plugin). What no release has
// ready-made is built once per source and compiler, and kept in the cache.

import { createHash } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import { type GuestProgram, guestPrograms, hashSources, target } from '../adapters/program-source.ts';
import { part } from '../adapters/schedule.ts';
import { type Cache, commonKinds, obtainEntry } from '../cache/cache.ts';
import { publishFetched } from '../cache/downloads.ts';
import { cachedReadyMade, findReadyMade, obtainReadyMade } from '../cache/ready-made.ts';
import { cargoFailure } from '../prerequisites/cargo-tools.ts';
import { findExecutable } from '../prerequisites/executables.ts';
import { isCargoStep, withProgress } from '../prerequisites/progress.ts';
import { environmentOf, type RustToolchain, readRust, rustMissing, rustRemedy } from '../prerequisites/rust.ts';

const texts = {
  'bpfgate-agent': { kind: commonKinds.agent, title: 'the guest agent', duration: 'one to two minutes' },
  'bpfgate-plugin': { kind: commonKinds.plugin, title: "QEMU's plugin", duration: 'some seconds' },
} as const satisfies Record<GuestProgram, unknown>;

export interface ObtainedProgram {
  /** Absolute path. */
  readonly file: string;
  /** SHA-256 over its sources and compiler, or of the file of a ready-made one. The agent's is part of the fingerprint. */
  readonly version: string;
}

export interface ProgramContext {
  readonly cache: Cache;
  /** Environment in which cargo is found. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /**
   * Niceness of cargo, as of nice(1). Default 10: it yields to a build of the project, which takes longer. At the lowest
   * priority a busy machine would not finish.
   */
  readonly niceness?: number;
}

/** SHA-256 over a program's sources and compiler. */
function versionOf(sources: string, rust: RustToolchain): string {
  return createHash('sha256').update(rust.about).update(sources).digest('hex');
}

/** Names, for messages, those of the programs that are in the cache neither ready-made nor compiled. */
export async function listMissing(
  programs: readonly GuestProgram[],
  { cache, environment }: Pick<ProgramContext, 'cache' | 'environment'>,
): Promise<string[]> {
  const missing = programs.map(async (program) =>
    (await isThere(program, cache, environment)) ? [] : [texts[program].title],
  );
  return (await Promise.all(missing)).flat();
}

async function isThere(program: GuestProgram, cache: Cache, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const sources = await hashSources(program);
  const ready = findReadyMade(program, sources);
  if (ready !== undefined && (await cachedReadyMade(ready, cache)) !== undefined) return true;
  const rust = await readRust(environment);
  if (rust === undefined) return false;
  return (await obtainEntry(cache, texts[program].kind, versionOf(sources, rust))) !== undefined;
}

/**
 * Obtains the program that a release of bpfgate has compiled from these sources, else compiles it here.
 *
 * @throws MachineError with the end of cargo's output when it does not build
 */
export async function obtainProgram(program: GuestProgram, context: ProgramContext): Promise<ObtainedProgram> {
  const sources = await hashSources(program);
  const ready = await obtainReadyMade(program, sources, context);
  if (ready !== undefined) return { file: ready.path, version: ready.sha256 };
  return await build(program, sources, context);
}

/** Starts a command at the priority of its first argument. Kernels with autogroups go by the session's first. */
const atPriority = '{ echo "$0" >/proc/self/autogroup; } 2>/dev/null; exec nice -n "$0" "$@"';

async function build(
  program: GuestProgram,
  sources: string,
  { cache, environment, log, signal, niceness = 10 }: ProgramContext,
): Promise<ObtainedProgram> {
  const { crate, made } = guestPrograms[program];
  const { kind, title: name, duration } = texts[program];
  const rust = await readRust(environment);
  if (rust === undefined) {
    const hasRustup = (await findExecutable('rustup', environment)) !== undefined;
    throw rustMissing(`rustc does not run, and ${name} has to be compiled`, rustRemedy(hasRustup));
  }
  const version = versionOf(sources, rust);

  // Kernels that are measured in parallel all get here, and a build can take a minute.
  const entry = await publishFetched(cache, kind, version, { log, signal, name }, async (folder) => {
    const args = ['build', '--release', '--locked', '--target', target, '--target-dir', join(folder, 'target')];
    const options = { cwd: crate, env: environmentOf(rust, environment), signal, timeoutMs: 900_000 };
    const compile = (onLine: (line: string) => void) =>
      run('bash', ['-c', atPriority, `${niceness}`, 'cargo', ...args], {
        ...options,
        onLine: (line) => isCargoStep(line) && onLine(line),
      });
    const title = `building ${name}`;
    const result = await part(program, () => withProgress(log, title, compile, `, which takes ${duration}`));
    if (result.exitCode !== 0) {
      throw await cargoFailure(title, result, folder, environment, 'run `bpfgate doctor`');
    }
    await copyFile(join(folder, 'target', target, 'release', made), join(folder, program));
    await runOrThrow('rm', ['-rf', join(folder, 'target')]);
  });
  return { file: join(entry, program), version };
}

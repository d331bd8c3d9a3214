// Guest: builds the guest agent (vm/agent) once per source and compiler, and keeps it in the cache.

import { createHash } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentSource, hashAgentSources } from '../adapters/agent-source.ts';
import type { Log } from '../adapters/log.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import { part } from '../adapters/schedule.ts';
import { type Cache, commonKinds, obtainEntry } from '../cache/cache.ts';
import { publishFetched } from '../cache/downloads.ts';
import { cachedReadyMade, findReadyMade, obtainReadyMade } from '../cache/ready-made.ts';
import { cargoFailure } from '../prerequisites/cargo-tools.ts';
import { findExecutable } from '../prerequisites/executables.ts';
import { isCargoStep, withProgress } from '../prerequisites/progress.ts';
import { environmentOf, type RustToolchain, readRust, rustMissing, rustRemedy } from '../prerequisites/rust.ts';

const kind = commonKinds.agent;

export interface Agent {
  /** Absolute path of the static executable. */
  readonly file: string;
  /** SHA-256 over its sources and compiler, or of the file of a ready-made agent. Part of the fingerprint. */
  readonly version: string;
}

/** SHA-256 over the agent's sources and compiler. */
function versionOf(sources: string, rust: RustToolchain): string {
  return createHash('sha256').update(rust.about).update(sources).digest('hex');
}

/** Whether the agent is in the cache, ready-made or compiled, so that it need not be compiled. */
export async function hasAgent(cache: Cache, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const sources = await hashAgentSources();
  const ready = findReadyMade('bpfgate-agent', sources);
  if (ready !== undefined && (await cachedReadyMade(ready, cache)) !== undefined) return true;
  const rust = await readRust(environment);
  return rust !== undefined && (await obtainEntry(cache, kind, versionOf(sources, rust))) !== undefined;
}

/**
 * Obtains the agent that a release of bpfgate has compiled from these sources, else compiles it here.
 *
 * @throws MachineError with the end of cargo's output when the agent does not build
 */
export async function obtainAgent(
  cache: Cache,
  environment: NodeJS.ProcessEnv,
  log: Log,
  signal?: AbortSignal,
): Promise<Agent> {
  const sources = await hashAgentSources();
  const ready = await obtainReadyMade('bpfgate-agent', sources, { cache, log, signal });
  if (ready !== undefined) return { file: ready.path, version: ready.sha256 };
  return await buildAgent(sources, cache, environment, log, signal);
}

/**
 * Arguments of bash that start a command at a lower priority than a build of the project, which takes longer. At the
 * lowest one a busy machine would not finish. Kernels with autogroups go by the session's priority first.
 */
const atLowPriority = ['-c', '{ echo 10 >/proc/self/autogroup; } 2>/dev/null; exec nice -n 10 "$@"', 'bash'] as const;

async function buildAgent(
  sources: string,
  cache: Cache,
  environment: NodeJS.ProcessEnv,
  log: Log,
  signal?: AbortSignal,
): Promise<Agent> {
  const rust = await readRust(environment);
  if (rust === undefined) {
    const hasRustup = (await findExecutable('rustup', environment)) !== undefined;
    throw rustMissing('rustc does not run, and the guest agent has to be compiled', rustRemedy(hasRustup));
  }
  const version = versionOf(sources, rust);

  // Kernels that are measured in parallel all get here, and a build takes a minute.
  const entry = await publishFetched(cache, kind, version, { log, signal, name: 'the guest agent' }, async (folder) => {
    const args = ['build', '--release', '--locked', '--target-dir', join(folder, 'target')];
    const options = { cwd: agentSource, env: environmentOf(rust, environment), signal, timeoutMs: 900_000 };
    const build = (onLine: (line: string) => void) =>
      run('bash', [...atLowPriority, 'cargo', ...args], {
        ...options,
        onLine: (line) => isCargoStep(line) && onLine(line),
      });
    const title = 'building the guest agent';
    const result = await part('guest agent', () => withProgress(log, title, build, ', which takes one to two minutes'));
    if (result.exitCode !== 0) {
      throw await cargoFailure('building the guest agent', result, folder, environment, 'run `bpfgate doctor`');
    }
    const triple = 'x86_64-unknown-linux-gnu'; // As .cargo/config.toml there has it.
    await copyFile(join(folder, 'target', triple, 'release', 'bpfgate-agent'), join(folder, 'bpfgate-agent'));
    await runOrThrow('rm', ['-rf', join(folder, 'target')]);
  });
  return { file: join(entry, 'bpfgate-agent'), version };
}

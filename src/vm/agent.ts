// Builds the guest agent (vm/agent) once per source and compiler, and keeps it in the cache.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { packageRoot } from '../adapters/package-root.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import { type Cache, entryPath, publishEntry } from '../cache/cache.ts';
import { withLock } from '../cache/lock.ts';
import { MachineError } from '../errors.ts';

export interface Agent {
  /** Absolute path of the static executable. */
  readonly file: string;
  /** SHA-256 over its sources and compiler, for the fingerprint. */
  readonly version: string;
}

/**
 * @throws MachineError with the end of cargo's output when the agent does not build
 */
export async function buildAgent(
  cache: Cache,
  environment: NodeJS.ProcessEnv,
  log: Log,
  signal?: AbortSignal,
): Promise<Agent> {
  const source = join(packageRoot, 'vm', 'agent');
  const hash = createHash('sha256').update(await runOrThrow('rustc', ['-vV'], { env: environment }));
  const names = ['Cargo.toml', 'Cargo.lock', 'build.rs', '.cargo/config.toml'];
  for (const name of await readdir(join(source, 'src'))) names.push(`src/${name}`);
  for (const name of names.sort()) hash.update(name).update(await readFile(join(source, name)));
  const version = hash.digest('hex');

  const publish = () =>
    publishEntry(cache, 'agent', version, async (folder) => {
      log.progress('building the guest agent');
      const result = await run('cargo', ['build', '--release', '--locked', '--target-dir', join(folder, 'target')], {
        cwd: source,
        env: environment,
        signal,
        timeoutMs: 900_000,
      });
      if (result.exitCode !== 0) {
        throw new MachineError(
          `the guest agent does not build:\n${result.stderr.trim().split('\n').slice(-15).join('\n')}`,
          {
            hint: 'run `bpfgate doctor`',
          },
        );
      }
      const triple = 'x86_64-unknown-linux-gnu'; // As .cargo/config.toml there has it.
      await copyFile(join(folder, 'target', triple, 'release', 'bpfgate-agent'), join(folder, 'bpfgate-agent'));
      await runOrThrow('rm', ['-rf', join(folder, 'target')]);
    });
  const folder = join(cache.root, 'agent');
  await mkdir(folder, { recursive: true }).catch((cause: Error) => {
    throw new MachineError(`cannot make ${folder}: ${cause.message}`, { cause, hint: 'set BPFGATE_CACHE' });
  });
  // Kernels that are measured side by side all come here, and it takes a minute.
  const waiting = 'waiting for the guest agent, which is being built';
  const entry = existsSync(entryPath(cache, 'agent', version))
    ? await publish()
    : await withLock(join(folder, '.lock'), { log, signal, waiting }, publish);
  return { file: join(entry, 'bpfgate-agent'), version };
}

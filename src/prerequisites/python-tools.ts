// Prerequisites: programs from the Python Package Index, installed once into the cache.

import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, runIfPossible } from '../adapters/process.ts';
import { type Cache, commonKinds, entryPath, obtainEntry, publishEntry } from '../cache/cache.ts';
import { MachineError } from '../common/errors.ts';
import { installFailure } from './install-failure.ts';
import type { PythonTool } from './prerequisite.ts';
import { type InstallContext, withProgress } from './progress.ts';

const kind = commonKinds.tools;

/** Absolute path of the tool's program in the cache; undefined when it is not there or does not run. */
export async function findPythonTool(
  tool: PythonTool,
  cache: Cache,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const entry = await obtainEntry(cache, kind, pythonToolKey(tool));
  if (entry === undefined) return undefined;
  const program = join(entry, 'bin', tool.program);
  return (await runs(program, env)) ? program : undefined;
}

/**
 * Installs a tool into the cache: exactly the pinned file, without dependencies. Neither the system's Python nor the
 * user's is changed, which distributions forbid (PEP 668).
 *
 * @throws MachineError when there is no Python of 3.10 or newer with venv, or pip fails
 */
export async function installPythonTool(tool: PythonTool, { cache, log, env, signal }: InstallContext): Promise<void> {
  // An existing entry does not run: it was made for a Python that is gone.
  await rm(entryPath(cache, kind, pythonToolKey(tool)), { recursive: true, force: true });
  await publishEntry(cache, kind, pythonToolKey(tool), async (folder) => {
    const venv = join(folder, 'venv');
    const requirements = join(folder, 'requirements.txt');
    await writeFile(requirements, `${tool.name}==${tool.version} --hash=sha256:${tool.sha256}\n`);
    // The user's settings must not choose another place.
    const variables = { PIP_USER: '0', PIP_DISABLE_PIP_VERSION_CHECK: '1' };
    const step = (title: string, argv: readonly [string, ...string[]]) =>
      withProgress(log, title, async (onLine) => {
        const [file, ...args] = argv;
        const result = await run(file, args, { cwd: folder, env, variables, signal, onLine });
        if (result.exitCode === 0) return;
        const disks = [folder, env.TMPDIR || tmpdir(), env.HOME || homedir()];
        const hint = `fix what it says; it needs Python 3.10 or newer with venv (${tool.packages.join(', ')} on Debian)`;
        throw await installFailure(`\`${argv.join(' ')}\``, result, disks, hint);
      });
    await step('making a Python environment', ['python3', '-I', '-m', 'venv', venv]);
    await step(`installing ${tool.name} ${tool.version}`, [
      ...[join(venv, 'bin', 'python3'), '-I', '-m', 'pip', 'install', '--quiet', '--no-input', '--no-deps'],
      ...['--only-binary', ':all:', '--require-hashes', '--target', folder, '--requirement', requirements],
    ] as [string, ...string[]]);
    await rm(venv, { recursive: true });
    const program = join(folder, 'bin', tool.program);
    if (tool.module !== null) {
      // pip's scripts name the environment, which existed only for the installation.
      await rm(join(folder, 'bin'), { recursive: true });
      await mkdir(join(folder, 'bin'));
      await writeFile(program, pythonLauncher(tool.module));
      await chmod(program, 0o755);
    }
    if (!(await runs(program, env))) {
      throw new MachineError(`${tool.name} ${tool.version} was installed and does not run`, {
        hint: `try \`python3 --version\`: it needs 3.10 or newer`,
      });
    }
  });
}

/** Whether Python can make environments: Debian packages that separately. */
export async function canMakeVenv(env: NodeJS.ProcessEnv): Promise<boolean> {
  const argv = ['-I', '-c', 'import venv, ensurepip'];
  const result = await run('python3', argv, { env, timeoutMs: 30_000 }).catch(() => undefined);
  return result?.exitCode === 0;
}

/** Name of the tool's cache entry: the wheel is the same for every distribution and Python. */
export function pythonToolKey(tool: PythonTool): string {
  return `${tool.name}-${tool.version}-${tool.sha256.slice(0, 12)}`;
}

/** A program that finds the package next to it, none in the user's or current folder. Its folder stays unchanged. */
function pythonLauncher(module: string): string {
  return `#!/usr/bin/env python3
import os
import sys

sys.dont_write_bytecode = True
sys.path[0] = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
from ${module} import main

sys.exit(main())
`;
}

async function runs(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return (await runIfPossible(program, ['--help'], { env, timeoutMs: 30_000 }))?.exitCode === 0;
}

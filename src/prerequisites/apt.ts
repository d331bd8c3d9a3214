// Prerequisites: packages of Debian and Ubuntu.

import { readdir } from 'node:fs/promises';
import type { Log } from '../adapters/log.ts';
import { type RunResult, run } from '../adapters/process.ts';
import { MachineError } from '../errors.ts';
import { findExecutable } from './executables.ts';
import { withProgress } from './progress.ts';

/** How packages can be installed here: `none` when neither root nor a sudo that asks nothing. */
export type Privilege = 'root' | 'sudo' | 'none';

export interface AptOptions {
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** The command a person can type, complete. */
export function describeAptInstall(packages: readonly string[], isRoot: boolean): string {
  return `${isRoot ? '' : 'sudo '}apt-get install -y --no-install-recommends ${packages.join(' ')}`;
}

/** Program and arguments, asking nothing and waiting for another apt to end. */
export function aptCommand(
  action: readonly string[],
  privilege: Exclude<Privilege, 'none'>,
): readonly [string, ...string[]] {
  const apt = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...action];
  // sudo drops the environment: `env` sets it behind sudo.
  return privilege === 'root' ? ['env', ...apt] : ['sudo', '-n', 'env', ...apt];
}

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/**
 * Installs packages in one go; reads the package lists anew only when there are none or the first attempt fails.
 *
 * @throws MachineError naming the command to type when this user may not install, or apt fails
 */
export async function installPackages(packages: readonly string[], options: AptOptions): Promise<void> {
  const command = describeAptInstall(packages, isRoot());
  if ((await findExecutable('apt-get', options.env)) === undefined) {
    throw new MachineError(`cannot install ${packages.join(', ')}: this machine has no apt-get`, {
      hint: 'install the packages of these names, or what your distribution calls them, then try again',
    });
  }
  const privilege = await findPrivilege(options);
  if (privilege === 'none') {
    throw new MachineError(`cannot install ${packages.join(', ')}: neither root nor a sudo without password`, {
      hint: command,
    });
  }
  const install = ['install', '-y', '--no-install-recommends', ...packages];
  let updated = false;
  if (!(await hasPackageLists())) {
    await updateLists(privilege, options);
    updated = true;
  }
  const title = `installing ${packages.join(' ')}`;
  let result = await apt(install, privilege, title, options);
  if (result.exitCode !== 0 && !updated) {
    await updateLists(privilege, options);
    result = await apt(install, privilege, title, options);
  }
  if (result.exitCode !== 0) {
    throw new MachineError(`\`${command}\` failed:\n${lastLines(result)}`, {
      hint: 'mend what apt says, then try again',
    });
  }
}

/** Whether apt could install the package as its lists stand. */
export async function isPackageAvailable(name: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if ((await findExecutable('apt-cache', env)) === undefined) return false;
  const { stdout } = await run('apt-cache', ['policy', name], { env: { ...env, LC_ALL: 'C' }, timeoutMs: 30_000 });
  return /^ {2}Candidate: (?!\(none\))/m.test(stdout);
}

/** Those of `packages` that are not installed. */
export async function findMissingPackages(packages: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  if ((await findExecutable('dpkg-query', env)) === undefined) return [...packages];
  // A name dpkg never heard of goes to stderr and makes it exit with 1; the others are listed all the same.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
  const format = '--showformat=${Package} ${db:Status-Status}\n';
  const { stdout } = await run('dpkg-query', ['--show', format, ...packages], { env, timeoutMs: 30_000 });
  const installed = new Set(
    stdout
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  );
  return packages.filter((name) => !installed.has(name));
}

/** Reads the package lists when the machine has none, as fresh container images do; without the right to, does nothing. */
export async function ensurePackageLists(options: AptOptions): Promise<void> {
  if ((await findExecutable('apt-get', options.env)) === undefined || (await hasPackageLists())) return;
  const privilege = await findPrivilege(options);
  if (privilege !== 'none') await updateLists(privilege, options);
}

async function hasPackageLists(): Promise<boolean> {
  const names = await readdir('/var/lib/apt/lists').catch(() => []);
  return names.some((name) => /_Packages(\.\w+)?$/.test(name));
}

async function updateLists(privilege: Exclude<Privilege, 'none'>, options: AptOptions): Promise<void> {
  const result = await apt(['update'], privilege, 'reading package lists', options);
  if (result.exitCode !== 0) options.log.warn(`apt-get update failed: ${lastLines(result)}`);
}

async function findPrivilege({ env, signal }: AptOptions): Promise<Privilege> {
  if (isRoot()) return 'root';
  if ((await findExecutable('sudo', env)) === undefined) return 'none';
  const { exitCode } = await run('sudo', ['-n', 'true'], { env, signal, timeoutMs: 10_000 });
  return exitCode === 0 ? 'sudo' : 'none';
}

async function apt(
  action: readonly string[],
  privilege: Exclude<Privilege, 'none'>,
  title: string,
  { log, env, signal }: AptOptions,
): Promise<RunResult> {
  const [file, ...args] = aptCommand(action, privilege);
  return await withProgress(log, title, (onLine) => run(file, args, { env, signal, timeoutMs: 1_800_000, onLine }));
}

function lastLines({ stdout, stderr }: RunResult): string {
  return (stderr.trim() || stdout.trim()).split('\n').slice(-10).join('\n');
}

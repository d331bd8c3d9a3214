// Prerequisites: packages of Debian and Ubuntu.

import { readdir } from 'node:fs/promises';
import { type RunResult, run } from '../adapters/process.ts';
import { MachineError, saysFullDisk } from '../common/errors.ts';
import { findExecutable } from './executables.ts';
import { installFailure } from './install-failure.ts';
import { type InstallContext, withProgress } from './progress.ts';

/** The privilege by which packages are installed: root, or a sudo that asks nothing. */
export type Privilege = 'root' | 'sudo';

type AptOptions = Omit<InstallContext, 'cache'>;

/** The complete command for a person to type. */
export function describeAptInstall(packages: readonly string[], isRoot: boolean): string {
  return `${isRoot ? '' : 'sudo '}apt-get install -y --no-install-recommends ${packages.join(' ')}`;
}

/** Program and arguments of an apt that asks nothing, and waits five minutes for another one to end. */
export function aptCommand(action: readonly string[], privilege: Privilege): readonly [string, ...string[]] {
  // sudo drops the environment, so `env` sets it after sudo.
  const apt = ['apt-get', '-o', 'DPkg::Lock::Timeout=300', ...action];
  const whole = ['env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C', ...apt] as const;
  return privilege === 'root' ? whole : ['sudo', '-n', ...whole];
}

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/**
 * Installs packages in one go; reads the package lists again only when there are none or the first attempt fails.
 *
 * @throws MachineError naming the command to type when this user may not install, another apt does not end, or apt fails
 */
export async function installPackages(packages: readonly string[], options: AptOptions): Promise<void> {
  const command = describeAptInstall(packages, isRoot());
  if ((await findExecutable('apt-get', options.env)) === undefined) {
    throw new MachineError(`cannot install ${packages.join(', ')}: this machine has no apt-get`, {
      hint: 'install the packages of these names, or what your distribution calls them, then try again',
    });
  }
  const privilege = await findPrivilege(options);
  if (privilege === undefined) {
    throw new MachineError(
      `cannot install ${packages.join(', ')}: this user is not root, and sudo is missing or asks for a password`,
      // Fresh machines have no package lists.
      { hint: `run it yourself: ${isRoot() ? '' : 'sudo '}apt-get update && ${command}` },
    );
  }
  const install = ['install', '-y', '--no-install-recommends', ...packages];
  const attempt = () =>
    apt(install, privilege, `installing ${packages.join(' ')}, which takes one to two minutes`, options);
  let update = (await hasPackageLists()) ? undefined : await updateLists(privilege, options);
  let result = await attempt();
  if (result.exitCode !== 0 && update === undefined && !saysFullDisk(`${result.stdout}${result.stderr}`)) {
    update = await updateLists(privilege, options);
    result = await attempt();
  }
  if (result.exitCode === 0) return;
  const failedUpdate = update === undefined || update.exitCode === 0 ? undefined : update;
  const said = { ...result, stderr: `${failedUpdate?.stderr ?? ''}${result.stderr}` };
  const hint =
    failedUpdate === undefined
      ? 'fix the apt error above, then try again'
      : 'see that this machine reaches its archives, by `apt-get update`, then try again';
  throw await installFailure(`\`${command}\``, said, ['/usr', '/var'], hint);
}

/** Whether apt could install the package by its current lists. */
export async function isPackageAvailable(name: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if ((await findExecutable('apt-cache', env)) === undefined) return false;
  const { stdout } = await run('apt-cache', ['policy', name], { env: { ...env, LC_ALL: 'C' }, timeoutMs: 30_000 });
  return /^ {2}Candidate: (?!\(none\))/m.test(stdout);
}

/** Those of `packages` that are neither installed nor provided by one that is. */
export async function findMissingPackages(packages: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  if ((await findExecutable('dpkg-query', env)) === undefined) return [...packages];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
  const format = '--showformat=${db:Status-Status} ${Package}, ${Provides}\n';
  const { stdout } = await run('dpkg-query', ['--show', format], {
    env,
    timeoutMs: 30_000,
    maxOutput: 16 * 1024 * 1024,
  });
  const installed = new Set(
    stdout
      .split('\n')
      .filter((line) => line.startsWith('installed '))
      .flatMap((line) => line.slice('installed '.length).split(', '))
      .map((name) => name.split(' ')[0]),
  );
  return packages.filter((name) => !installed.has(name));
}

/** Reads the package lists when the machine has none, like fresh container images. Does nothing without privilege. */
export async function ensurePackageLists(options: AptOptions): Promise<void> {
  if ((await findExecutable('apt-get', options.env)) === undefined || (await hasPackageLists())) return;
  const privilege = await findPrivilege(options);
  if (privilege !== undefined) await updateLists(privilege, options);
}

async function hasPackageLists(): Promise<boolean> {
  const names = await readdir('/var/lib/apt/lists').catch(() => []);
  return names.some((name) => /_Packages(\.\w+)?$/.test(name));
}

/** Reads the package lists. A failure is a warning: CI runners have several archives, another may have the package. */
async function updateLists(privilege: Privilege, options: AptOptions): Promise<RunResult> {
  // By default apt succeeds even if it cannot reach an archive.
  const update = ['-o', 'APT::Update::Error-Mode=any', 'update'];
  const result = await apt(update, privilege, 'reading package lists', options);
  if (result.exitCode !== 0) options.log.warn(`apt-get update failed: ${result.stderr.trim()}`);
  return result;
}

async function findPrivilege({ env, signal }: AptOptions): Promise<Privilege | undefined> {
  if (isRoot()) return 'root';
  if ((await findExecutable('sudo', env)) === undefined) return undefined;
  const { exitCode } = await run('sudo', ['-n', 'true'], { env, signal, timeoutMs: 10_000 });
  return exitCode === 0 ? 'sudo' : undefined;
}

async function apt(
  action: readonly string[],
  privilege: Privilege,
  title: string,
  { log, env, signal }: AptOptions,
): Promise<RunResult> {
  const [file, ...args] = aptCommand(action, privilege);
  return await withProgress(log, title, (onLine) => run(file, args, { env, signal, timeoutMs: 1_800_000, onLine }));
}

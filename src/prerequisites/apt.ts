// Prerequisites: packages of Debian and Ubuntu.

import { hash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { type RunResult, run } from '../adapters/process.ts';
import { commonKinds, publishEntry } from '../cache/cache.ts';
import { MachineError, saysFullDisk } from '../common/errors.ts';
import { findExecutable } from './executables.ts';
import { diskError } from './full-disk.ts';
import { type InstallContext, withProgress } from './progress.ts';

/** The privilege by which packages are installed: root, or a sudo that asks nothing. */
export type Privilege = 'root' | 'sudo';

/** The cache keeps packages for other machines, if it has a remote one. */
export interface AptOptions extends InstallContext {
  /** Time to wait for another apt. Default 5 min. */
  readonly lockMs?: number | undefined;
}

/** The complete command for a person to type. */
export function describeAptInstall(packages: readonly string[], isRoot: boolean): string {
  return `${isRoot ? '' : 'sudo '}apt-get install -y --no-install-recommends ${packages.join(' ')}`;
}

/** Program and arguments of an apt that asks nothing, and fails at once when a lock is held. */
export function aptCommand(action: readonly string[], privilege: Privilege): readonly [string, ...string[]] {
  return withPrivilege(['apt-get', '-o', 'DPkg::Lock::Timeout=0', ...action], privilege);
}

function withPrivilege(command: readonly string[], privilege: Privilege): readonly [string, ...string[]] {
  // sudo drops the environment, so `env` sets it after sudo.
  const whole = ['env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C', ...command] as const;
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
  let update = (await hasPackageLists()) ? undefined : await updateLists(privilege, options);
  const title = `installing ${packages.join(' ')}`;
  const installAll = async () => {
    const kept = await keepPackages(install, privilege, options);
    if (kept === undefined) return await apt(install, privilege, title, options);
    try {
      return await apt([...archivesIn(kept), ...install], privilege, title, options);
    } finally {
      await removeAptsOwn(kept);
    }
  };
  const attempt = async () => {
    const result = await installAll();
    if (!isInterrupted(result)) return result;
    await finishInterrupted(privilege, options);
    return await installAll();
  };
  let result = await attempt();
  if (result.exitCode !== 0 && update === undefined && !isDiskFull(result)) {
    update = await updateLists(privilege, options);
    result = await attempt();
  }
  if (result.exitCode !== 0) throw await failure(`\`${command}\``, result, update);
}

/** @param update the last attempt to read the package lists, if any */
async function failure(what: string, install: RunResult, update: RunResult | undefined): Promise<MachineError> {
  const failedUpdate = update === undefined || update.exitCode === 0 ? undefined : update;
  const full = [install, failedUpdate].find((result) => result !== undefined && isDiskFull(result));
  if (full !== undefined) return await diskError(what, `${full.stdout}\n${full.stderr}`, ['/usr', '/var']);
  if (failedUpdate !== undefined && lacksArchive(install)) {
    const archives = unreachedArchives(failedUpdate);
    const from = archives.length === 0 ? '' : ` from ${archives.join(', ')}`;
    return new MachineError(
      `${what} failed, and the package lists could not be read${from}:\n${lastLines(failedUpdate)}\n${lastLines(install)}`,
      {
        hint:
          archives.length === 0
            ? 'fix what `apt-get update` says, then try again'
            : `see that this machine reaches ${archives.join(', ')}, by \`apt-get update\`, then try again`,
      },
    );
  }
  return new MachineError(`${what} ${install.timedOut ? 'ran out of time' : 'failed'}:\n${lastLines(install)}`, {
    hint: 'fix the apt error above, then try again',
  });
}

/** Whether apt knows of no such package, or cannot download it. */
function lacksArchive({ stderr }: RunResult): boolean {
  return /Unable to (?:locate package|fetch)|has no installation candidate|Failed to fetch/.test(stderr);
}

/** Hosts of the archives that apt did not reach, or addresses for archives on this machine; each once. */
function unreachedArchives({ stderr }: RunResult): string[] {
  const addresses = [...stderr.matchAll(/Failed to fetch (\S+)/g)].map(([, address = '']) => address);
  return [...new Set(addresses.map((address) => (URL.canParse(address) && new URL(address).host) || address))];
}

function isDiskFull({ stdout, stderr }: RunResult): boolean {
  return saysFullDisk(`${stdout}${stderr}`);
}

/** Whether an earlier installation broke off, as on a full disk. dpkg does nothing else before that is finished. */
function isInterrupted({ exitCode, stderr }: RunResult): boolean {
  return exitCode !== 0 && /dpkg was interrupted|--fix-broken install/.test(stderr);
}

/** Finishes an interrupted installation. The next attempt reports what this leaves undone. */
async function finishInterrupted(privilege: Privilege, options: AptOptions): Promise<void> {
  const { env, signal, log } = options;
  log.progress('finishing an interrupted installation');
  const [file, ...args] = withPrivilege(['dpkg', '--configure', '--pending'], privilege);
  await run(file, args, { env, signal, timeoutMs: 600_000 });
  await apt(
    // `--no-remove`, because apt would rather remove one of the user's packages than leave one broken.
    ['install', '-y', '--no-install-recommends', '--fix-broken', '--no-remove'],
    privilege,
    'installing what is left',
    options,
  );
}

/**
 * Brings the packages of an installation into the cache, from the remote cache or by a download that is kept there.
 * Each is checked against apt's signed lists here, because apt checks only the size of a file that it already has.
 *
 * @returns the folder they are in; undefined where they are not kept
 */
async function keepPackages(
  install: readonly string[],
  privilege: Privilege,
  options: AptOptions,
): Promise<string | undefined> {
  const { cache, env } = options;
  if (cache.remote === undefined) return undefined;
  const list = ['-qq', '--print-uris', '-o', 'Acquire::ForceHash=SHA256', ...install];
  const { exitCode, stdout } = await run('apt-get', list, { env, timeoutMs: 60_000 });
  const files = readPackageList(stdout);
  if (exitCode !== 0 || files.length === 0) return undefined;
  const key = hash('sha256', JSON.stringify(files));
  try {
    const entry = await publishEntry(cache, commonKinds.aptPackages, key, async (folder) => {
      // apt's files belong to root. Other users may not link them, and may not read all of them.
      const download = join(folder, 'download');
      await mkdir(download);
      const action = [...archivesIn(download), '--download-only', ...install];
      const result = await apt(action, privilege, `downloading ${files.length} packages`, options);
      if (result.exitCode !== 0) throw new MachineError(lastLines(result));
      await removeAptsOwn(download);
      for (const name of await readdir(download)) await copyFile(join(download, name), join(folder, name));
      await rm(download, { recursive: true });
    });
    if (await areAsListed(entry, files)) return entry;
    await rm(entry, { recursive: true });
    options.log.warn('kept packages are not those of the signed lists; they are downloaded again');
    return undefined;
  } catch (error) {
    if (!(error instanceof MachineError)) throw error;
    // The installation downloads them, and reports what is wrong.
    return undefined;
  }
}

export interface ListedPackage {
  readonly file: string;
  readonly sha256: string;
}

/** Parses the output of `apt-get --print-uris`, `'address' file bytes SHA256:sum`. Sorts it by name. */
export function readPackageList(text: string): ListedPackage[] {
  return text
    .split('\n')
    .flatMap((line) => {
      const [, file, sha256] = /^'\S+' ([^\s/]+) \d+ SHA256:([0-9a-f]{64})$/.exec(line) ?? [];
      return file === undefined || sha256 === undefined ? [] : { file, sha256 };
    })
    .toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

/** Whether a folder holds exactly these packages, each with its listed content. */
export async function areAsListed(folder: string, files: readonly ListedPackage[]): Promise<boolean> {
  const names = await readdir(folder);
  if (names.some((name) => !files.some(({ file }) => file === name))) return false;
  for (const { file, sha256 } of files) {
    const content = await readFile(join(folder, file)).catch(() => undefined);
    if (content === undefined || hash('sha256', content) !== sha256) return false;
  }
  return true;
}

function archivesIn(folder: string): string[] {
  return ['-o', `Dir::Cache::Archives=${folder}`, '-o', 'APT::Keep-Downloaded-Packages=true'];
}

async function removeAptsOwn(folder: string): Promise<void> {
  await rm(join(folder, 'lock'), { force: true });
  await rmdir(join(folder, 'partial')).catch(() => {});
}

/** Whether apt could install the package by its current lists. */
export async function isPackageAvailable(name: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if ((await findExecutable('apt-cache', env)) === undefined) return false;
  const { stdout } = await run('apt-cache', ['policy', name], { env: { ...env, LC_ALL: 'C' }, timeoutMs: 30_000 });
  return /^ {2}Candidate: (?!\(none\))/m.test(stdout);
}

/** Those of `packages` that are not installed. */
export async function findMissingPackages(packages: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  if ((await findExecutable('dpkg-query', env)) === undefined) return [...packages];
  // An unknown name goes to stderr and makes dpkg-query exit with 1; the others are still listed.
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
  const result = await apt(
    ['-o', 'APT::Update::Error-Mode=any', 'update'],
    privilege,
    'reading package lists',
    options,
  );
  if (result.exitCode !== 0) options.log.warn(`apt-get update failed: ${lastLines(result)}`);
  return result;
}

async function findPrivilege({ env, signal }: AptOptions): Promise<Privilege | undefined> {
  if (isRoot()) return 'root';
  if ((await findExecutable('sudo', env)) === undefined) return undefined;
  const { exitCode } = await run('sudo', ['-n', 'true'], { env, signal, timeoutMs: 10_000 });
  return exitCode === 0 ? 'sudo' : undefined;
}

const defaultLockMs = 300_000;
const lockPauseMs = 1000;

/** Runs apt; while another process holds a lock it needs, logs that and runs it again. */
async function apt(
  action: readonly string[],
  privilege: Privilege,
  title: string,
  { log, env, signal, lockMs = defaultLockMs }: AptOptions,
): Promise<RunResult> {
  const [file, ...args] = aptCommand(action, privilege);
  const limit = `${Math.round(lockMs / 1000)} s`;
  const start = performance.now();
  let said: string | undefined;
  const untilFree = async (onLine: (line: string) => void) => {
    for (;;) {
      const result = await run(file, args, { env, signal, timeoutMs: 1_800_000, onLine });
      const holder = result.exitCode === 0 ? undefined : lockHolder(result.stderr);
      if (holder === undefined) return result;
      if (performance.now() - start >= lockMs) {
        throw new MachineError(`nothing can be installed: ${holder}, and has for ${limit}`, {
          hint: 'wait for it to end, or end it, then try again',
        });
      }
      if (said !== holder) log.progress(`waiting up to ${limit}: ${holder}`);
      said = holder;
      await setTimeoutAsync(lockPauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  };
  const about = action.includes('install') ? ', which takes one to two minutes' : '';
  return await withProgress(log, title, untilFree, about);
}

/** Says who holds the lock that apt did not get, from apt's message; undefined where it failed for another reason. */
function lockHolder(stderr: string): string | undefined {
  const [, lock, by] =
    /Could not get lock (\S+?)\.(?: It is held by (process \d+ \([^)\n]*\)))?(?:\s|$)/.exec(stderr) ?? [];
  return lock === undefined ? undefined : `${by ?? 'another process'} holds apt's lock ${lock}`;
}

function lastLines({ stdout, stderr }: RunResult): string {
  // apt passes on dpkg's errors as its own output.
  const own = /^dpkg: error/m.test(stdout) ? stdout.slice(stdout.indexOf('dpkg: error')) : '';
  return (`${own}${stderr}`.trim() || stdout.trim()).split('\n').slice(-10).join('\n');
}

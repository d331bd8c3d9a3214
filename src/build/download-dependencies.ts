// Build: downloads crates and Go modules to the host, where a build without a network finds them. Of the project, only
// manifests and lock files are read, and nothing is run, unless the user allows its registry settings.

import { lstat, mkdtemp, readdir, readlink, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import { findToolchainFile } from '../adapters/toolchain-file.ts';
import { BuildError, InputError } from '../common/errors.ts';
import { isWithin } from '../common/paths.ts';
import type { TreeBuild } from './build-place.ts';
import { findCrates, findModules, sumFiles } from './locked-caches.ts';
import { toolchainVariables } from './read-tools.ts';

const timeoutMs = 1_800_000;
/** Characters of what `cargo metadata` prints: some 10 KiB for a crate. */
const maxMetadata = 64 * 1024 * 1024;

/** Limits git, run by cargo or Go, to public repositories: none of this host, and none by the user's logins. */
const gitVariables = {
  GOVCS: '*:git',
  GIT_ALLOW_PROTOCOL: 'https',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};
/** Limits git where it may use the user's logins. It reads no repository of this host: the build would see that. */
const gitVariablesWithLogins = { GIT_ALLOW_PROTOCOL: 'https:ssh', GIT_TERMINAL_PROMPT: '0' };
/** cargo does not read the project's configuration: it looks for that in the folders above the one it runs in. */
const cargoVariables = {
  CARGO_NET_GIT_FETCH_WITH_CLI: 'true',
  // The host's stable cargo reads manifests that may be for the guest's nightly.
  RUSTC_BOOTSTRAP: '1',
};
const goVariables = { GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };

export interface Download extends Pick<TreeBuild, 'workDir' | 'project' | 'environment' | 'signal'> {
  /** Name for messages, such as `head (working tree)`. */
  readonly title: string;
  /** Absolute paths of folders with a manifest of cargo, or of a Go module, that the build uses. Default: the project. */
  readonly cargo?: readonly string[];
  readonly go?: readonly string[];
  /** Names of rustup's toolchains that a build script runs, in addition to the project's own. */
  readonly toolchains: readonly string[];
  /**
   * The user's registry settings, including logins. With them cargo runs in the project's folder and obeys the
   * project's settings, which choose who gets a login and which programs run. Default: neither is read.
   */
  readonly registries?: Readonly<Record<string, string>> | undefined;
  readonly log: Log;
}

/**
 * Downloads what the lock files of a project's build name: its own, and those of crates and modules that it builds apart.
 * For each toolchain that has the source of Rust's own library, it also downloads what that library's lock file names:
 * cargo needs it to build `core` for the BPF target.
 *
 * @returns the error when something cannot be downloaded, and absolute paths of all that was, as far as the project had
 * locked it before
 * @throws InputError when a link in the tree leads out of it: its target would be read, or written
 */
export async function downloadDependencies(
  request: Download,
): Promise<{ readonly error?: BuildError | undefined; readonly paths: readonly string[] }> {
  const { title, workDir, project, environment, toolchains, registries, log, signal } = request;
  const having = async (file: string, folders: readonly string[] = []) => {
    const all = [...new Set([project, ...folders])];
    const are = await Promise.all(all.map((folder) => isFile(join(folder, file))));
    return all.filter((_, index) => are[index]);
  };
  const cargo = await having('Cargo.toml', request.cargo);
  const go = await having('go.mod', request.go);
  if (cargo.length + go.length === 0) return { paths: [] };
  await refuseLinksOut(workDir);
  const { HOME = '/', CARGO_HOME = join(HOME, '.cargo'), RUSTUP_HOME = join(HOME, '.rustup') } = environment;
  // An empty home folder, because git and Go would use the user's ~/.netrc for repositories that the project names.
  const home = await mkdtemp(join(tmpdir(), 'bpfgate-home-'));
  const settings =
    registries === undefined
      ? { ...gitVariables, HOME: home, CARGO_HOME, RUSTUP_HOME }
      : { ...registries, ...gitVariablesWithLogins };

  const errors: BuildError[] = [];
  const download = async (argv: readonly [string, ...string[]], further: Record<string, string>, cwd?: string) => {
    const [command, ...args] = argv;
    log.progress(`downloading what ${title} depends on: ${argv.join(' ')}`);
    // The user's RUSTUP_TOOLCHAIN is for the project's builds only.
    const { RUSTUP_TOOLCHAIN: _, ...own } = environment;
    const variables = { ...own, ...settings, ...further };
    const end = await run(command, args, { cwd, env: {}, variables, timeoutMs, signal });
    if (end.exitCode === 0) return;
    const tail = end.stderr.trim().split('\n').slice(-25).join('\n');
    const error = new BuildError(`cannot download what ${title} depends on: ${argv.join(' ')}\n${tail}`, {
      hint:
        registries === undefined
          ? "the project's settings are not read, nor logins of git: docs/building.md says how to name a private registry"
          : "look at the project's settings of registries, and at the logins of this machine",
    });
    errors.push(error);
  };
  const paths: string[] = [];
  const cargoHome = await realpath(CARGO_HOME).catch(() => CARGO_HOME);
  const fetchCrates = async (args: readonly string[], further: Record<string, string>, cwd?: string) => {
    await download(['cargo', 'fetch', ...args], further, cwd);
    const { RUSTUP_TOOLCHAIN: _, ...own } = environment;
    const variables = { ...own, ...settings, ...further };
    // Of all features, which is what the lock file names: a build can choose any.
    const asked = ['metadata', '--format-version', '1', '--all-features', '--offline', ...args];
    const end = await run('cargo', asked, { cwd, env: {}, variables, timeoutMs, signal, maxOutput: maxMetadata });
    // If it fails, the error of the download or of the build says why.
    if (end.exitCode === 0) paths.push(...findCrates(end.stdout, cargoHome));
  };
  try {
    // The cargo that builds: an older one reads no newer lock file, and has other folders for what it downloads.
    const toolchainOf = async (folder: string) =>
      toolchainVariables((await findToolchainFile(workDir, folder))?.channel, environment);
    for (const folder of cargo) {
      // cargo runs in the manifest's folder, where it finds the project's settings, only if the user allows that.
      const cwd = registries === undefined ? undefined : folder;
      const variables = { ...cargoVariables, ...(await toolchainOf(folder)) };
      const lock = (await isFile(join(folder, 'Cargo.lock'))) ? ['--locked'] : [];
      await fetchCrates([...lock, '--manifest-path', join(folder, 'Cargo.toml')], variables, cwd);
    }
    if (cargo.length > 0) {
      const own = await Promise.all([...new Set([project, ...cargo])].map(toolchainOf));
      const others = toolchains.map((name) => ({ RUSTUP_TOOLCHAIN: name }));
      for (const [library, toolchain] of await findLibraries([...own, ...others], environment)) {
        await fetchCrates(['--locked', '--manifest-path', library], { ...cargoVariables, ...toolchain });
      }
    }
    for (const folder of go) {
      const ask = { env: {}, variables: { ...environment, GOTOOLCHAIN: 'local' } };
      const GOMODCACHE = (await runOrThrow('go', ['env', 'GOMODCACHE'], ask)).trim();
      // Go's settings, and what it writes in the background after it ends: https://go.dev/doc/telemetry
      const XDG_CONFIG_HOME = environment.XDG_CONFIG_HOME ?? join(HOME, '.config');
      // Go has to run in the module's folder. It reads go.mod, go.sum and go.work there, which run nothing.
      await download(['go', 'mod', 'download'], { ...goVariables, XDG_CONFIG_HOME, GOMODCACHE }, folder);
      for (const file of sumFiles(workDir, folder)) paths.push(...(await findModules(workDir, file, GOMODCACHE)));
    }
    return { error: errors[0], paths: await existing(paths) };
  } finally {
    await removeTree(home);
  }
}

/** Finds the manifests of the installed sources of Rust's own library, each once, with its toolchain's variables. */
async function findLibraries(
  toolchains: readonly Readonly<Record<string, string>>[],
  environment: Readonly<Record<string, string>>,
): Promise<Map<string, Readonly<Record<string, string>>>> {
  const found = new Map<string, Readonly<Record<string, string>>>();
  for (const toolchain of toolchains) {
    const ask = { env: {}, variables: { ...environment, ...toolchain } };
    const sysroot = await run('rustc', ['--print', 'sysroot'], ask).catch(() => null);
    const manifest = join(sysroot?.stdout.trim() ?? '', 'lib/rustlib/src/rust/library/Cargo.toml');
    if (sysroot?.exitCode === 0 && (await isFile(manifest)) && !found.has(manifest)) found.set(manifest, toolchain);
  }
  return found;
}

/** Refuses links out of the tree: tools on the host follow links, and print a line that they cannot parse. */
async function refuseLinksOut(tree: string): Promise<void> {
  const root = await realpath(tree);
  for (const folders = [root]; ; ) {
    const folder = folders.pop();
    if (folder === undefined) return;
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isSymbolicLink()) continue;
      const target = await readlink(path);
      // `..` after another link leads to the folder above that link's target. `join` would only use the names.
      const above = await realpath(isAbsolute(target) ? dirname(target) : `${folder}/${dirname(target)}`).catch(
        () => '',
      );
      if (isWithin(above === '' ? resolve(folder, target) : resolve(above, basename(target)), root)) continue;
      throw new InputError(`\`${relative(root, path)}\` is a link out of the repository, to \`${target}\``, {
        hint: 'what a project depends on is downloaded before its build, which follows no such link: remove it',
      });
    }
  }
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all([...new Set(paths)].map((path) => realpath(path).catch(() => '')));
  return real.filter((path) => path !== '');
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}

// Build: downloads crates and Go modules to the host, where a build in a guest without network finds them. Of the
// project, only manifests and lock files are read, and nothing is run, unless the user allows its registry settings.

import { lstat, mkdtemp, readdir, readlink, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import { BuildError, InputError } from '../common/errors.ts';
import { isWithin } from '../common/paths.ts';
import { findToolchainFile } from '../prerequisites/toolchain-file.ts';
import type { TreeBuild } from './build-place.ts';
import { toolchainVariables } from './read-tools.ts';

const timeoutMs = 1_800_000;

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
 * Downloads what a project's lock files name. For each toolchain that has the source of Rust's own library, also
 * downloads what that library's lock file names: cargo needs it to build `core` for the BPF target.
 *
 * @throws InputError when a link in the tree leads out of it: its target would be read, or written
 * @throws BuildError when something cannot be downloaded
 */
export async function downloadDependencies(request: Download): Promise<void> {
  const { title, workDir, project, environment, toolchains, registries, log, signal } = request;
  const hasCargo = await isFile(join(project, 'Cargo.toml'));
  const hasGo = await isFile(join(project, 'go.mod'));
  if (!hasCargo && !hasGo) return;
  await refuseLinksOut(workDir);
  const { HOME = '/', CARGO_HOME = join(HOME, '.cargo'), RUSTUP_HOME = join(HOME, '.rustup') } = environment;
  // An empty home folder, because git and Go would use the user's ~/.netrc for repositories that the project names.
  const home = await mkdtemp(join(tmpdir(), 'bpfgate-home-'));
  const settings =
    registries === undefined
      ? { ...gitVariables, HOME: home, CARGO_HOME, RUSTUP_HOME }
      : { ...registries, ...gitVariablesWithLogins };

  const download = async (argv: readonly [string, ...string[]], further: Record<string, string>, cwd?: string) => {
    const [command, ...args] = argv;
    log.progress(`downloading what ${title} depends on: ${argv.join(' ')}`);
    // The user's RUSTUP_TOOLCHAIN is for the project's builds only.
    const { RUSTUP_TOOLCHAIN: _, ...own } = environment;
    const variables = { ...own, ...settings, ...further };
    const end = await run(command, args, { cwd, env: {}, variables, timeoutMs, signal });
    if (end.exitCode === 0) return;
    const tail = end.stderr.trim().split('\n').slice(-25).join('\n');
    throw new BuildError(`cannot download what ${title} depends on: ${argv.join(' ')}\n${tail}`, {
      hint:
        registries === undefined
          ? "the project's settings are not read, nor logins of git: docs/building.md says how to name a private registry"
          : "look at the project's settings of registries, and at the logins of this machine",
    });
  };
  try {
    if (hasCargo) {
      const manifest = join(project, 'Cargo.toml');
      const lock = (await isFile(join(project, 'Cargo.lock'))) ? ['--locked'] : [];
      // cargo runs in the project's folder, where it finds the project's settings, only if the user allows that.
      const cwd = registries === undefined ? undefined : project;
      await download(['cargo', 'fetch', ...lock, '--manifest-path', manifest], cargoVariables, cwd);
      const own = toolchainVariables((await findToolchainFile(workDir, project))?.channel, environment);
      const others = toolchains.map((name) => ({ RUSTUP_TOOLCHAIN: name }));
      for (const library of await findLibraries([own, ...others], environment)) {
        await download(['cargo', 'fetch', '--locked', '--manifest-path', library], cargoVariables);
      }
    }
    if (hasGo) {
      const ask = { env: {}, variables: { ...environment, GOTOOLCHAIN: 'local' } };
      const GOMODCACHE = (await runOrThrow('go', ['env', 'GOMODCACHE'], ask)).trim();
      // Go's settings, and what it writes in the background after it ends: https://go.dev/doc/telemetry
      const XDG_CONFIG_HOME = environment.XDG_CONFIG_HOME ?? join(HOME, '.config');
      // Go has to run in the module's folder. It reads go.mod, go.sum and go.work there, which run nothing.
      await download(['go', 'mod', 'download'], { ...goVariables, XDG_CONFIG_HOME, GOMODCACHE }, project);
    }
  } finally {
    await removeTree(home);
  }
}

/** Finds the manifests of the installed sources of Rust's own library, each once. */
async function findLibraries(
  toolchains: readonly Readonly<Record<string, string>>[],
  environment: Readonly<Record<string, string>>,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const toolchain of toolchains) {
    const ask = { env: {}, variables: { ...environment, ...toolchain } };
    const sysroot = await run('rustc', ['--print', 'sysroot'], ask).catch(() => null);
    const library = join(sysroot?.stdout.trim() ?? '', 'lib/rustlib/src/rust/library/Cargo.toml');
    if (sysroot?.exitCode === 0 && (await isFile(library))) found.add(library);
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
        hint: 'what a project depends on is downloaded on the host for `where = "guest"`, which follows no such link: remove it, or build on the host',
      });
    }
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}

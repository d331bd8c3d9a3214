// Brings crates and Go modules to the host, where a build in a guest without network finds them. Nothing of the project but
// its manifests and lock files is read, and nothing of it is run, unless the user allows its settings of registries.

import { lstat, mkdtemp, readdir, readlink, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import { isBelow } from '../adapters/regular-file.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import { BuildError, InputError } from '../errors.ts';
import { readToolchainFile } from '../prerequisites/toolchain-file.ts';
import { toolchainVariables } from './read-tools.ts';

const timeoutMs = 1_800_000;

/** What git may do for cargo and Go: read public repositories. None of this host's, and none by the user's logins. */
const gitVariables = {
  GOVCS: '*:git',
  GIT_ALLOW_PROTOCOL: 'https',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};
/** What git may do with the user's logins. A repository of this host would be shown to the build. */
const gitVariablesWithLogins = { GIT_ALLOW_PROTOCOL: 'https:ssh', GIT_TERMINAL_PROMPT: '0' };
/** cargo reads no configuration of the project's: it looks for that in the folders above the one it runs in. */
const cargoVariables = {
  CARGO_NET_GIT_FETCH_WITH_CLI: 'true',
  // Manifests for the nightly that the guest may have are read by the stable cargo of here.
  RUSTC_BOOTSTRAP: '1',
};
const goVariables = { GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };

export interface Download {
  /** Such as `head (working tree)`, for a person. */
  readonly title: string;
  /** Absolute path of the checked-out tree. */
  readonly workDir: string;
  /** Absolute path of the project in it. */
  readonly project: string;
  /** The build's variables. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * The user's settings of registries, logins among them. cargo then runs in the project's folder and obeys its settings,
   * which choose who gets a login, and programs. Default: neither is read.
   */
  readonly registries?: Readonly<Record<string, string>> | undefined;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Downloads what a project's lock files name; of Rust's own library too, where its source is installed: cargo wants that to
 * build `core` for the BPF target.
 *
 * @throws InputError when a link in the tree leads out of it: what is at its end would be read, or written
 * @throws BuildError when something cannot be downloaded
 */
export async function downloadDependencies(request: Download): Promise<void> {
  const { title, workDir, project, environment, registries, log, signal } = request;
  const hasCargo = await isFile(join(project, 'Cargo.toml'));
  const hasGo = await isFile(join(project, 'go.mod'));
  if (!hasCargo && !hasGo) return;
  await refuseLinksOut(workDir);
  const { HOME = '/', CARGO_HOME = join(HOME, '.cargo'), RUSTUP_HOME = join(HOME, '.rustup') } = environment;
  // An empty home folder: git and Go would log in by the user's ~/.netrc, to repositories that the project names.
  const home = await mkdtemp(join(tmpdir(), 'bpfgate-home-'));
  const settings =
    registries === undefined
      ? { ...gitVariables, HOME: home, CARGO_HOME, RUSTUP_HOME }
      : { ...registries, ...gitVariablesWithLogins };

  const download = async (argv: readonly [string, ...string[]], further: Record<string, string>, cwd?: string) => {
    const [command, ...args] = argv;
    log.progress(`downloading what ${title} depends on: ${argv.join(' ')}`);
    // The user's choice of a toolchain is for the project's builds.
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
      // The project's folder, so that cargo finds its settings, only where the user allows that.
      const cwd = registries === undefined ? undefined : project;
      await download(['cargo', 'fetch', ...lock, '--manifest-path', manifest], cargoVariables, cwd);
      const toolchain = toolchainVariables(await readToolchainFile(workDir, project), environment);
      const ask = { env: {}, variables: { ...environment, ...toolchain } };
      const sysroot = await run('rustc', ['--print', 'sysroot'], ask).catch(() => null);
      const library = join(sysroot?.stdout.trim() ?? '', 'lib/rustlib/src/rust/library/Cargo.toml');
      if (sysroot?.exitCode === 0 && (await isFile(library))) {
        await download(['cargo', 'fetch', '--locked', '--manifest-path', library], cargoVariables);
      }
    }
    if (hasGo) {
      const ask = { env: {}, variables: { ...environment, GOTOOLCHAIN: 'local' } };
      const GOMODCACHE = (await runOrThrow('go', ['env', 'GOMODCACHE'], ask)).trim();
      // Its settings, and what it writes in the background after its end: https://go.dev/doc/telemetry
      const XDG_CONFIG_HOME = environment.XDG_CONFIG_HOME ?? join(HOME, '.config');
      // Go has to run in the module's folder, and reads go.mod, go.sum and go.work of it, which run nothing.
      await download(['go', 'mod', 'download'], { ...goVariables, XDG_CONFIG_HOME, GOMODCACHE }, project);
    }
  } finally {
    await removeTree(home);
  }
}

/** A tool of the host follows links, and shows a line that it cannot read. */
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
      // `..` behind another link leads to the folder above that link's target. Not by join, which goes by names.
      const above = await realpath(isAbsolute(target) ? dirname(target) : `${folder}/${dirname(target)}`).catch(
        () => '',
      );
      if (isBelow(root, above === '' ? resolve(folder, target) : resolve(above, basename(target)))) continue;
      throw new InputError(`\`${relative(root, path)}\` is a link out of the repository, to \`${target}\``, {
        hint: 'what a project depends on is downloaded on the host for `where = "guest"`, which follows no such link: remove it, or build on the host',
      });
    }
  }
}

async function isFile(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

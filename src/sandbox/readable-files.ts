// Sandbox: the host files that a project's code can read, in a guest and in the sandbox of a build. It is a list of
// what tools and the project need, because no list of secrets can be complete. Known secrets are left out of it.
//
// A guest's root shows the names of all host files. QEMU reads the files for the guest and can open only those listed,
// because the kernel confines it (`confine` in vm/agent, by Landlock).

import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { runOrThrow } from '../adapters/process.ts';
import { type Cache, commonKinds } from '../cache/cache.ts';
import { InputError } from '../common/errors.ts';
import { isWithin } from '../common/paths.ts';
import { secretPaths } from '../common/secret-names.ts';

/** Variable with further files and folders to read, separated by colons. The operator sets it; a project cannot. */
const readVariable = 'BPFGATE_GUEST_READ';

/** Folders that distributions install. Of /var, only the list of packages. */
const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/var/lib/dpkg'],
  // Nix without its daemon's socket: the daemon runs as root what trusted users ask for.
  ...['/nix/store', '/nix/var/nix/profiles', '/gnu', '/snap', '/home/linuxbrew'],
];

/** Folders that hold only packages, and no repositories or runners. */
const installed = systemFolders.filter((folder) => folder !== '/opt');

/** Folders below the home folder in which language tools install themselves and keep downloads. */
const toolsOfHome = [
  ...['.rustup', '.config/go', '.pyenv', '.nvm', '.nodenv', '.volta', '.bun', '.deno'],
  ...['.dotnet', '.rbenv', '.rvm', '.asdf', '.jenv', '.sdkman', '.opam', '.ghcup', '.juliaup', '.rye', '.zig', '.gvm'],
  ...['.linuxbrew', '.nix-profile', 'bin', '.local/bin', '.local/lib', '.local/pipx', '.local/share/mise'],
  ...['.local/share/pipx', '.local/share/uv', '.local/share/pnpm'],
];

/** Readable parts of cargo's folder, which also holds the registries' tokens. */
const partsOfCargo = ['bin', 'env', 'config', 'config.toml'];
/** Parts that hold or name what any project of the user downloaded. */
const cachesOfCargo = [
  ...['registry', 'git', '.crates.toml', '.crates2.json', '.global-cache', '.package-cache', '.package-cache-mutate'],
];

/** Readable parts of each folder of GOPATH, which may be the home folder. */
const partsOfGo = ['bin'];
const cachesOfGo = ['pkg', 'src'];
const goBuildCache = '.cache/go-build';

/** Variables of a guest that name files, except for CARGO_HOME and GOPATH, of which only parts are shown. */
const pathVariables = [
  ...['RUSTUP_HOME', 'GOROOT', 'LLVM_PREFIX', 'LIBCLANG_PATH', 'PKG_CONFIG_PATH', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** Names of folders on PATH that have the rest of a tool next to them. */
const programFolders = new Set(['bin', 'sbin', '.bin', 'shims']);

/** Folders of the kernel or of running programs. They are never shown as part of another folder. */
const systemSecrets = ['/proc', '/sys', '/dev', '/run', '/var/run', '/boot', '/lost+found'];

/** Secrets below the home folder. They are never shown as part of another folder either. */
const secretsOfHome = [
  ...['.ssh', '.gnupg', '.netrc', '.git-credentials', '.gitconfig', '.config/git', '.config/gh', '.config/hub'],
  ...['.config/glab-cli', '.aws', '.azure', '.config/gcloud', '.kube', '.docker', '.config/containers', '.npmrc'],
  ...['.yarnrc', '.yarnrc.yml', '.pypirc', '.config/pip', '.cargo/credentials', '.cargo/credentials.toml'],
  ...['.gem/credentials', '.m2', '.gradle', '.terraform.d', '.vault-token', '.local/share/keyrings', '.password-store'],
  ...['.bash_history', '.zsh_history', '.config/op', '.config/sops', '.mozilla', '.config/google-chrome'],
  '.local/share/uv/credentials',
];

/** Settings of tools below the home folder. They are secret where an address in them has a login. */
const settingsOfHome = ['.config/go/env'];
const loginInAddress = /:\/\/[^/\s]*@/;

/** Names that are secret anywhere: `.git`, whose settings may hold a token, files of logins, and GitHub's runner. */
const secretNames = new Set([
  ...['.git', '.netrc', '.git-credentials', '.credentials', '.credentials_rsaparams', '.runner', '_diag'],
  '_runner_file_commands',
]);
/** The settings of GitHub's runner, and the folder next to them into which it checks out, with tokens. */
const [runnerSettings, runnerWork] = ['.runner', '_work'];
/** Search depths for these names: below /opt, which on some machines has a million package files, and below a tool. */
const optDepth = 4;
const toolDepth = 1;
/** The number of folders that are read at once. */
const readAtOnce = 64;

export interface ReadableRequest {
  readonly cache: Cache;
  /** Environment in which programs are found, and that names the tools' folders. */
  readonly environment: NodeJS.ProcessEnv;
  /** Absolute paths of further files and folders; for a guest, its trees and its kernel. */
  readonly own: readonly string[];
  /**
   * Whether the caches of cargo and Go are included, with what other projects of the user have left there. Default: yes.
   * A build in the sandbox gets what its own lock files name.
   */
  readonly caches?: boolean;
}

/**
 * Fingerprints everything that BPFGATE_GUEST_READ names, by names, sizes and times: it is not part of any tree.
 *
 * @returns SHA-256; empty where it names nothing
 */
export async function fingerprintNamed(environment: NodeJS.ProcessEnv): Promise<string> {
  const named = (environment[readVariable] ?? '').split(':').filter((path) => path !== '');
  if (named.length === 0) return '';
  const list = 'find -H "$@" -printf "%p\\t%y %s %T@\\0" | LC_ALL=C sort --zero-terminated | sha256sum';
  return (
    await runOrThrow('bash', ['-o', 'pipefail', '-c', list, 'list', ...named.map((path) => resolve(path))])
  ).trim();
}

/**
 * Finds everything that can be read, as absolute paths without links. A folder stands for all that is in it.
 *
 * @throws InputError when BPFGATE_GUEST_READ names something that is not there, or not by an absolute path
 */
export async function findReadable({ cache, environment, own, caches = true }: ReadableRequest): Promise<string[]> {
  const home = environment.HOME || homedir();
  const realHome = await realpath(home).catch(() => home);
  const go = goFolders(environment, home);
  const cargoHome = environment.CARGO_HOME || join(home, '.cargo');
  const shared = [
    ...cachesOfCargo.map((name) => join(cargoHome, name)),
    ...go.flatMap((folder) => cachesOfGo.map((name) => join(folder, name))),
    ...[environment.GOCACHE, environment.GOMODCACHE, join(home, goBuildCache)].filter((path) => path !== undefined),
  ];
  const fixed = [
    ...systemFolders,
    ...toolsOfHome.map((name) => join(home, name)),
    ...partsOfCargo.map((name) => join(cargoHome, name)),
    ...(caches ? shared : []),
    ...go.flatMap((folder) => partsOfGo.map((name) => join(folder, name))),
    ...[commonKinds.tools, commonKinds.rustSrc].map((kind) => join(cache.root, kind)),
    ...own,
  ];
  const fromVariables = [
    ...pathVariables.flatMap((name) => (environment[name] ?? '').split(':')),
    ...(environment.PATH ?? '').split(':').flatMap((folder) => toolOf(folder, [join(home, 'go'), ...go])),
  ];
  const further = (environment[readVariable] ?? '').split(':').filter((path) => path !== '');
  const named = await Promise.all(further.map(requirePath));
  const roots = [
    ...(await existing(fixed)),
    // Only the target of a link shows whether it is the home folder.
    ...(await existing(fromVariables)).filter((path) => !isWithin(realHome, path)),
    ...named,
  ];
  const sources = new Set([...named, ...(await existing([...own, ...go.map((folder) => join(folder, 'src'))]))]);
  const depthOf = (root: string) =>
    sources.has(root) ? Number.POSITIVE_INFINITY : root === '/opt' ? optDepth : toolDepth;

  const known = [
    ...systemSecrets,
    ...secretsOfHome.map((name) => join(home, name)),
    ...['credentials', 'credentials.toml'].map((name) => join(cargoHome, name)),
    ...(caches ? [] : shared),
    ...secretPaths.flatMap((name) => (environment[name] ?? '').split(':')),
  ].filter(isAbsolute);
  const settings = await withLogins(settingsOfHome.map((name) => join(home, name)));
  const secrets = new Set([...known, ...settings, ...(await existing(known)), ...(await hiddenFromOthers('/etc'))]);
  // The project's bench may lie below a secret path, so only secrets inside shown folders are left out.
  const readable: string[] = [];
  const passedOver = new Set([...secrets, ...installed]);
  for (const root of new Set(roots)) {
    const isInstalled = installed.some((folder) => isWithin(root, folder));
    const found = isInstalled ? [] : await findSecretNames(root, depthOf(root), passedOver);
    await addWithout(root, [...secrets, ...found], readable);
  }
  return [...new Set(readable)];
}

/**
 * Finds the folder of a command's project: the repository that holds `cwd`, else `cwd`. Returns nothing when that would
 * show the whole home folder.
 */
export async function projectOf(cwd: string, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const home = await realpath(environment.HOME || homedir()).catch(() => environment.HOME || homedir());
  const holdsHome = (folder: string) => folder === '/' || isWithin(home, folder);
  if (holdsHome(cwd)) return [];
  for (let folder = cwd; !holdsHome(folder); folder = dirname(folder)) {
    if ((await lstat(join(folder, '.git')).catch(() => undefined)) !== undefined) return [folder];
  }
  return [cwd];
}

/** A folder on PATH, together with the rest of the tool. */
function toolOf(folder: string, go: readonly string[]): string[] {
  const parent = dirname(folder);
  const isTool = programFolders.has(basename(folder)) && parent !== '/';
  // `.cargo`, `.local` and a GOPATH hold more than tools.
  const holdsMore = ['.cargo', '.local'].includes(basename(parent)) || go.includes(parent);
  return isTool && !holdsMore ? [folder, parent] : [folder];
}

/** Folders of GOPATH; where it is not set, Go's default. */
function goFolders({ GOPATH }: NodeJS.ProcessEnv, home: string): string[] {
  return (GOPATH || join(home, 'go')).split(':').filter(isAbsolute);
}

async function requirePath(path: string): Promise<string> {
  if (!isAbsolute(path)) {
    throw new InputError(`${readVariable} names \`${path}\`, which is no absolute path`, {
      hint: 'name files and folders by absolute paths, separated by colons',
    });
  }
  return await realpath(path).catch((cause: Error) => {
    throw new InputError(`${readVariable} names \`${path}\`, which cannot be found: ${cause.message}`, { cause });
  });
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.filter(isAbsolute).map((path) => realpath(path).catch(() => undefined)));
  return real.filter((path) => path !== undefined);
}

/** Adds a folder; where it holds secrets, everything in it except for those. */
async function addWithout(path: string, secrets: readonly string[], readable: string[]): Promise<void> {
  if (secrets.includes(path)) return;
  const inside = secrets.filter((secret) => isWithin(secret, path));
  if (inside.length === 0) {
    readable.push(path);
    return;
  }
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    // A link needs no right of its own, and its target is not included by it.
    if (!entry.isSymbolicLink()) await addWithout(join(path, entry.name), inside, readable);
  }
}

/** Finds what not every user may read: QEMU may run as root. */
async function hiddenFromOthers(folder: string): Promise<string[]> {
  const hidden: string[] = [];
  for (const { name } of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined || stats.isSymbolicLink()) continue;
    const needed = stats.isDirectory() ? 0o5 : 0o4;
    if ((stats.mode & needed) !== needed) hidden.push(path);
    else if (stats.isDirectory()) hidden.push(...(await hiddenFromOthers(path)));
  }
  return hidden;
}

/** Real paths of the files that have an address with a login. */
async function withLogins(files: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(
    (await existing(files)).map(async (file) => [file, await readFile(file, 'utf8').catch(() => '')] as const),
  );
  return texts.filter(([, text]) => loginInAddress.test(text)).map(([file]) => file);
}

/** Searches level by level: a tree may have 200,000 files (0.3 s), and each start of a guest waits for this. */
async function findSecretNames(root: string, depth: number, passedOver: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  let folders = [root];
  for (let level = 1; level <= depth && folders.length > 0; level++) {
    const below: string[] = [];
    const look = async (folder: string) => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      const isRunner = entries.some(({ name }) => name === runnerSettings);
      for (const entry of entries) {
        const path = join(folder, entry.name);
        if (secretNames.has(entry.name) || (isRunner && entry.name === runnerWork)) found.push(path);
        else if (entry.isDirectory() && !passedOver.has(path)) below.push(path);
      }
    };
    for (let from = 0; from < folders.length; from += readAtOnce) {
      await Promise.all(folders.slice(from, from + readAtOnce).map(look));
    }
    folders = below;
  }
  return found;
}

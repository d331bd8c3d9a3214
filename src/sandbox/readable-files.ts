// Which of the host's files a project's code can read, in a guest and in the sandbox of a build: a list of what tools and
// the project need, since nobody can name everything that is secret; and less what is known to be.
//
// A guest's root shows all their names; QEMU, which reads them for it, can open no others, because the kernel confines it
// (`confine` in vm/agent, by Landlock).

import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { runOrThrow } from '../adapters/process.ts';
import type { Cache } from '../cache/cache.ts';
import { InputError } from '../errors.ts';
import { secretPaths } from '../secret-names.ts';

/** Names further files and folders to read, separated by colons. The operator's word: no project can say it. */
export const readVariable = 'BPFGATE_GUEST_READ';

/** What distributions install. Of /var only what tells the packages. */
const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/var/lib/dpkg'],
  // Nix without its daemon's socket: the daemon runs as root what trusted users ask for.
  ...['/nix/store', '/nix/var/nix/profiles', '/gnu', '/snap', '/home/linuxbrew'],
];

/** Of packages alone, in which nobody keeps a repository or a runner. */
const installed = systemFolders.filter((folder) => folder !== '/opt');

/** Below the home folder: where tools for languages install themselves, and what they have downloaded. */
const toolsOfHome = [
  ...['.rustup', '.config/go', '.cache/go-build', '.pyenv', '.nvm', '.nodenv', '.volta', '.bun', '.deno'],
  ...['.dotnet', '.rbenv', '.rvm', '.asdf', '.jenv', '.sdkman', '.opam', '.ghcup', '.juliaup', '.rye', '.zig', '.gvm'],
  ...['.linuxbrew', '.nix-profile', 'bin', '.local/bin', '.local/lib', '.local/pipx', '.local/share/mise'],
  ...['.local/share/pipx', '.local/share/uv', '.local/share/pnpm'],
];

/** Below cargo's own folder, which has the registries' tokens as well. */
const partsOfCargo = [
  ...['bin', 'registry', 'git', 'env', 'config', 'config.toml', '.crates.toml', '.crates2.json', '.global-cache'],
  ...['.package-cache', '.package-cache-mutate'],
];

/** Below each folder of GOPATH, which may be the home folder. */
const partsOfGo = ['bin', 'pkg', 'src'];

/** Of the variables a guest gets, those that name files; but for CARGO_HOME and GOPATH, of which only parts are shown. */
const pathVariables = [
  ...['RUSTUP_HOME', 'GOROOT', 'LLVM_PREFIX', 'LIBCLANG_PATH', 'PKG_CONFIG_PATH', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** Folders on PATH beside which the rest of a tool lies. */
const programFolders = new Set(['bin', 'sbin', '.bin', 'shims']);

/** Never shown as part of another folder: of the kernel, or of running programs. */
const systemSecrets = ['/proc', '/sys', '/dev', '/run', '/var/run', '/boot', '/lost+found'];

/** The same below the home folder. */
const secretsOfHome = [
  ...['.ssh', '.gnupg', '.netrc', '.git-credentials', '.gitconfig', '.config/git', '.config/gh', '.config/hub'],
  ...['.config/glab-cli', '.aws', '.azure', '.config/gcloud', '.kube', '.docker', '.config/containers', '.npmrc'],
  ...['.yarnrc', '.yarnrc.yml', '.pypirc', '.config/pip', '.cargo/credentials', '.cargo/credentials.toml'],
  ...['.gem/credentials', '.m2', '.gradle', '.terraform.d', '.vault-token', '.local/share/keyrings', '.password-store'],
  ...['.bash_history', '.zsh_history', '.config/op', '.config/sops', '.mozilla', '.config/google-chrome'],
  '.local/share/uv/credentials',
];

/** Settings of tools below the home folder, secret where an address in them has a login. */
const settingsOfHome = ['.config/go/env'];
const loginInAddress = /:\/\/[^/\s]*@/;

/** Wherever they are: a repository's own folder, whose settings may hold a token; and those of GitHub's runner. */
const secretNames = new Set([
  ...['.git', '.netrc', '.git-credentials', '.credentials', '.credentials_rsaparams', '.runner', '_diag'],
  '_runner_file_commands',
]);
/** The folder next to the settings of GitHub's runner, into which it checks out, with tokens. */
const [runnerSettings, runnerWork] = ['.runner', '_work'];
/** How far those are looked for: below /opt, which on some machines has a million files of packages, and below a tool. */
const optDepth = 4;
const toolDepth = 1;
/** How many folders are read at once. */
const readAtOnce = 64;

export interface ReadableRequest {
  readonly cache: Cache;
  /** In which programs are found, and which names the tools' folders. */
  readonly environment: NodeJS.ProcessEnv;
  /** Further files and folders, absolute: of a guest its trees and its kernel. */
  readonly own: readonly string[];
}

/**
 * Names, sizes and times of all that BPFGATE_GUEST_READ names and holds, which is no part of any tree.
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
 * Everything that can be read, as absolute paths without links; of a folder all that is in it.
 *
 * @throws InputError when BPFGATE_GUEST_READ names something that is not there, or not by an absolute path
 */
export async function findReadable({ cache, environment, own }: ReadableRequest): Promise<string[]> {
  const home = environment.HOME || homedir();
  const realHome = await realpath(home).catch(() => home);
  const go = goFolders(environment, home);
  const fixed = [
    ...systemFolders,
    ...toolsOfHome.map((name) => join(home, name)),
    ...partsOfCargo.map((name) => join(environment.CARGO_HOME || join(home, '.cargo'), name)),
    ...go.flatMap((folder) => partsOfGo.map((name) => join(folder, name))),
    ...['tools', 'rust-src'].map((kind) => join(cache.root, kind)),
    ...own,
  ];
  const fromVariables = [
    ...pathVariables.flatMap((name) => (environment[name] ?? '').split(':')),
    ...(environment.PATH ?? '').split(':').flatMap(toolOf),
  ];
  const further = (environment[readVariable] ?? '').split(':').filter((path) => path !== '');
  const named = await Promise.all(further.map(requirePath));
  const roots = [
    ...(await existing(fixed)),
    // Only where a link leads to tells whether it is the home folder.
    ...(await existing(fromVariables)).filter((path) => !isWithin(realHome, path)),
    ...named,
  ];
  const sources = new Set([...named, ...(await existing([...own, ...go.map((folder) => join(folder, 'src'))]))]);
  const depthOf = (root: string) =>
    sources.has(root) ? Number.POSITIVE_INFINITY : root === '/opt' ? optDepth : toolDepth;

  const known = [
    ...systemSecrets,
    ...secretsOfHome.map((name) => join(home, name)),
    ...['credentials', 'credentials.toml'].map((name) => join(environment.CARGO_HOME || join(home, '.cargo'), name)),
    ...secretPaths.flatMap((name) => (environment[name] ?? '').split(':')),
  ].filter(isAbsolute);
  const settings = await withLogins(settingsOfHome.map((name) => join(home, name)));
  const secrets = new Set([...known, ...settings, ...(await existing(known)), ...(await hiddenFromOthers('/etc'))]);
  // A bench of the project's may lie below the place of something secret: only what is in what is shown is left out.
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
 * The folder of a command's project: the repository that `cwd` is in, else itself. Nothing when that would show the whole
 * home folder.
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

/** A folder on PATH, and with it the rest of the tool. */
function toolOf(folder: string): string[] {
  const parent = dirname(folder);
  const isTool = programFolders.has(basename(folder)) && parent !== '/';
  // Cargo's and the user's own have more in them than tools.
  return !isTool || basename(parent) === '.cargo' || basename(parent) === '.local' ? [folder] : [folder, parent];
}

/** Go's own default where GOPATH names none. */
function goFolders({ GOPATH }: NodeJS.ProcessEnv, home: string): string[] {
  return [join(home, 'go'), ...(GOPATH ?? '').split(':')].filter(isAbsolute);
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

function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** Adds a folder, or where there is a secret in it all that is beside that. */
async function addWithout(path: string, secrets: readonly string[], readable: string[]): Promise<void> {
  if (secrets.includes(path)) return;
  const inside = secrets.filter((secret) => isWithin(secret, path));
  if (inside.length === 0) {
    readable.push(path);
    return;
  }
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    // A link needs no right, and where it leads is not meant.
    if (!entry.isSymbolicLink()) await addWithout(join(path, entry.name), inside, readable);
  }
}

/** What is not for every user to read: QEMU may run as root. */
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

/** Real paths of those files that have an address with a login. */
async function withLogins(files: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(
    (await existing(files)).map(async (file) => [file, await readFile(file, 'utf8').catch(() => '')] as const),
  );
  return texts.filter(([, text]) => loginInAddress.test(text)).map(([file]) => file);
}

/** Level by level, because an own tree may have 200,000 files, and each start of a guest waits for this: 0.3 s for those. */
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

// `npm run e2e:bare -- [--suite bookworm|trixie] [--user root|sudo] [--revision REV] [-- COMMAND]`: runs the README's
// two commands, or COMMAND, in a minimal Debian with the README's prerequisites and nothing else from this machine.
// Without --user it runs twice, each time in a new root: as an ordinary user with sudo, and as root.
// With `--package TGZ` there is no clone, git or Rust: `bpfgate count --inside` of the npm package runs on an object.
// Plain JavaScript for Node 20, because .ci/run starts it before anything is installed.

import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const checkout = dirname(dirname(fileURLToPath(import.meta.url)));
const suites = ['bookworm', 'trixie'];
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const users = { sudo: 'an ordinary user with sudo', root: 'root' };

/** Variables that set how this machine's package clients reach their registries: proxies and certificates. No login. */
const clientVariables = [
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'REQUESTS_CA_BUNDLE'],
  ...['CARGO_HTTP_CAINFO', 'CARGO_HTTP_PROXY', 'GIT_SSL_CAINFO', 'GOPROXY', 'PIP_INDEX_URL'],
  ...['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'],
];
const clientFiles = ['.npmrc', '.cargo/config.toml', '.config/go/env', '.config/pip/pip.conf'];

class CannotMakeRoot extends Error {}

let running;
let folder;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(name, () => {
    cleanUp();
    console.error(`e2e:bare: interrupted by ${name}`);
    process.exit(130);
  });
}
process.on('exit', cleanUp);

const { suite, user, revision, tarball, commands } = readArguments();
const runs = user === undefined ? Object.keys(users) : [user];
for (const each of runs) {
  const where = `${suite}, as ${users[each]}`;
  try {
    const failure = await runAll(each);
    if (failure !== undefined) fail(`${where}: ${failure}`, 1);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    fail(error instanceof CannotMakeRoot ? `${where}: no bare root: ${reason}` : `${where}: ${reason}`, 3);
  }
  console.error(`e2e:bare: ${where}: ok`);
}

function fail(message, code) {
  console.error(`e2e:bare: ${message}`);
  process.exit(code);
}

function readArguments() {
  const options = Object.fromEntries(
    ['suite', 'user', 'revision', 'package'].map((name) => [name, { type: 'string' }]),
  );
  const split = process.argv.indexOf('--');
  const own = process.argv.slice(2, split === -1 ? undefined : split);
  const command = split === -1 ? [] : process.argv.slice(split + 1);
  try {
    const { values } = parseArgs({ args: own, options });
    const { suite = suites[0], user, revision = 'HEAD', package: tarball } = values;
    if (!suites.includes(suite)) throw new Error(`--suite ${suite}; allowed: ${suites.join(', ')}`);
    if (user !== undefined && !(user in users))
      throw new Error(`--user ${user}; allowed: ${Object.keys(users).join(', ')}`);
    const usual = () => (tarball === undefined ? readmeCommands() : ['npx --yes ./bpfgate.tgz count x.bpf.o --inside']);
    return { suite, user, revision, tarball, commands: command.length === 0 ? usual() : [command.join(' ')] };
  } catch (error) {
    return fail(error.message, 2);
  }
}

/** The commands of the README's first block of code, without their comments. */
function readmeCommands() {
  const block = /^```sh\n([\s\S]*?)^```/m.exec(readFileSync(join(checkout, 'README.md'), 'utf8'))?.[1] ?? '';
  const lines = block.split('\n').map((line) => line.replace(/\s+#.*/, '').trim());
  const commands = lines.filter((line) => line !== '');
  if (commands.length !== 2)
    throw new Error(`the README's first code block holds ${commands.length} commands, not two`);
  return commands;
}

/** @returns {Promise<string | undefined>} the error, if a command failed */
async function runAll(user) {
  const root = await makeRoot(user);
  try {
    for (const command of commands) {
      console.error(`e2e:bare: ${suite}, as ${users[user]}: ${command}`);
      const startedAt = performance.now();
      const { code, signal } = await runInRoot(root, user, command);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      if (code !== 0) return `\`${command}\` ended with ${signal ?? `exit code ${code}`} after ${seconds} s`;
      console.error(`e2e:bare: \`${command}\` took ${seconds} s`);
    }
  } finally {
    cleanUp();
  }
  return undefined;
}

/** @returns {Promise<string>} the folder of a new root with the prerequisites and a clone of the commit */
async function makeRoot(user) {
  if (process.geteuid() !== 0) throw new CannotMakeRoot('it takes root; run this with sudo');
  const mmdebstrap = find('mmdebstrap');
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-bare-'));
  chmodSync(folder, 0o755);
  const root = join(folder, 'root');
  const isClone = tarball === undefined;
  const packages = ['ca-certificates', ...(isClone ? ['git'] : []), ...(user === 'sudo' ? ['sudo'] : [])];
  const archives = sources();
  const options = ['--variant=minbase', `--include=${packages.join(',')}`, '--quiet', suite, root];
  console.error(`e2e:bare: making a root of ${suite} with ${packages.join(', ')}, Node${isClone ? ' and Rust' : ''}`);
  const made = await runInNamespaces([mmdebstrap, ...options, ...(archives === '' ? [] : ['-'])], archives);
  if (made.code !== 0) throw new CannotMakeRoot(`mmdebstrap ended with ${made.signal ?? `exit code ${made.code}`}`);
  copyNetworkSettings(root);
  copyNode(root);
  const home = user === 'root' ? '/root' : '/home/builder';
  if (user === 'sudo') {
    inRoot(root, ['useradd', '--create-home', '--shell', '/bin/bash', 'builder']);
    writeFileSync(join(root, 'etc/sudoers.d/builder'), 'builder ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  }
  const work = join(root, home, 'bpfgate');
  if (isClone) copyRust(join(root, home));
  else mkdirSync(work);
  for (const file of clientFiles) copyIfThere(join(homedir(), file), join(root, home, file));
  if (isClone) cloneCommit(work);
  else {
    copyFileSync(tarball, join(work, 'bpfgate.tgz'));
    copyFileSync(join(checkout, 'vm/agent/tests/fixtures/good.bpf.o'), join(work, 'x.bpf.o'));
  }
  if (user === 'sudo') inRoot(root, ['chown', '--recursive', 'builder:builder', home]);
  return root;
}

/** Debian archives of the suite in this machine's apt configuration; empty if there are none: mmdebstrap's default. */
function sources() {
  const format = ['--format', '$(REPO_URI)', 'Created-By: Packages'];
  const { stdout } = spawnSync('apt-get', ['indextargets', ...format], { encoding: 'utf8' });
  const addresses = [...new Set((stdout ?? '').split('\n').map((line) => line.replace(/\/+$/, '')))];
  return addresses
    .flatMap((address) => {
      if (address.endsWith('/debian')) return [`deb ${address} ${suite} main`, `deb ${address} ${suite}-updates main`];
      return address.endsWith('/debian-security') ? [`deb ${address} ${suite}-security main`] : [];
    })
    .join('\n');
}

function copyNetworkSettings(root) {
  for (const file of ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt']) {
    copyIfThere(file, join(root, file));
  }
  copyIfThere('/usr/local/share/ca-certificates', join(root, 'usr/local/share/ca-certificates'));
}

/** Copies Node and npm to where an archive of nodejs.org unpacked into /usr/local has them. */
function copyNode(root) {
  const local = join(root, 'usr/local');
  copyFileSync(process.execPath, join(local, 'bin/node'));
  chmodSync(join(local, 'bin/node'), 0o755);
  const npm = dirname(dirname(realpathSync(find('npm'))));
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  const { stdout } = spawnSync('npm', ['config', 'get', 'globalconfig'], { encoding: 'utf8' });
  copyIfThere(stdout.trim(), join(local, 'etc/npmrc'));
}

/** Copies the default toolchain as rustup installs it, without added parts and without documentation (unused). */
function copyRust(home) {
  const rustc = spawnSync('rustc', ['--print', 'sysroot'], { cwd: '/', encoding: 'utf8' });
  if (rustc.status !== 0) throw new CannotMakeRoot('rustc does not run; install Rust with rustup');
  const sysroot = rustc.stdout.trim();
  const [name] = sysroot.split('/').slice(-1);
  const left = ['share', 'lib/rustlib/src', 'lib/rustlib/manifest-rust-src'].map((part) => join(sysroot, part));
  const copy = join(home, '.rustup/toolchains', name);
  cpSync(sysroot, copy, { recursive: true, filter: (path) => !left.includes(path) });
  // Otherwise rustup considers the source installed.
  rewrite(join(copy, 'lib/rustlib/components'), (text) => text.replace(/^rust-src\n/m, ''));
  rewrite(join(copy, 'lib/rustlib/multirust-config.toml'), (text) =>
    text.replace(/\[\[components\]\]\npkg = "rust-src"\n(?:.+\n)*\n?/, ''),
  );
  writeFileSync(
    join(home, '.rustup/settings.toml'),
    `version = "12"\ndefault_toolchain = "${name}"\nprofile = "default"\n`,
  );
  const bin = join(home, '.cargo/bin');
  mkdirSync(bin, { recursive: true });
  copyFileSync(realpathSync(find('rustup')), join(bin, 'rustup'));
  chmodSync(join(bin, 'rustup'), 0o755);
  for (const proxy of ['cargo', 'rustc', 'rustdoc', 'rustfmt', 'cargo-fmt', 'cargo-clippy', 'clippy-driver']) {
    symlinkSync('rustup', join(bin, proxy));
  }
}

function cloneCommit(target) {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
    if (status !== 0) throw new CannotMakeRoot(`\`git ${args.join(' ')}\` failed`);
    return stdout.trim();
  };
  const commit = git('-C', checkout, 'rev-parse', '--verify', `${revision}^{commit}`);
  const changed = git('-C', checkout, 'status', '--porcelain');
  if (changed !== '') console.error('e2e:bare: the working tree has changes, which are not in the clone');
  git('clone', '--quiet', '--no-local', '--no-checkout', checkout, target);
  git('-C', target, 'checkout', '--quiet', '-B', 'main', commit);
  git('-C', target, 'remote', 'remove', 'origin');
}

function rewrite(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

function copyIfThere(from, to) {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, dereference: true });
}

function inRoot(root, argv) {
  const { status } = spawnSync('chroot', [root, ...argv], { env: { PATH: systemPath }, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new CannotMakeRoot(`\`${argv.join(' ')}\` failed in it`);
}

/** Runs a shell command in the root's clone, as the user. */
function runInRoot(root, user, command) {
  // bash remains the namespace's first process: its signal for the parent's death is lost when the user changes. The
  // last line prevents bash from replacing itself with its last command.
  const setUp = `set -e
mount --bind "$1" "$1"
mount --rbind /dev "$1/dev"
mount --rbind /sys "$1/sys"
mount -t proc proc "$1/proc"
mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
cd "$1"
pivot_root . mnt
umount --lazy /mnt
shift
chroot "$@"
exit`;
  const [name, home] = user === 'root' ? ['root', '/root'] : ['builder', '/home/builder'];
  const environment = {
    HOME: home,
    USER: name,
    LANG: 'C.UTF-8',
    PATH: `${home}/.cargo/bin:${systemPath}`,
    ...Object.fromEntries(clientVariables.flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : []))),
    ...(process.env.CI ? { CI: process.env.CI } : {}),
  };
  const shell = ['bash', '-c', `cd ~/bpfgate && ${command}`];
  const login = [`--userspec=${name}:${name}`, '/', 'env', '-i'];
  const variables = Object.entries(environment).map(([key, value]) => `${key}=${value}`);
  return runInNamespaces(['bash', '-c', setUp, 'e2e-bare', root, ...login, ...variables, ...shell]);
}

/**
 * Runs a program with its own mount and process namespaces. Mounts and processes end with it, even if it is killed.
 *
 * @returns {Promise<{ code: number | null, signal: string | null }>}
 */
function runInNamespaces(argv, input = '') {
  const namespaces = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];
  return new Promise((resolve, reject) => {
    // Its own process group: on Ctrl-C this script ends it.
    running = spawn('unshare', [...namespaces, ...argv], { stdio: ['pipe', 'inherit', 'inherit'], detached: true });
    running.stdin.on('error', () => {}); // It may end without reading.
    running.stdin.end(input);
    running.on('error', reject);
    running.on('close', (code, signal) => {
      running = undefined;
      resolve({ code, signal });
    });
  });
}

function find(program) {
  for (const entry of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(entry, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  throw new CannotMakeRoot(`${program} is missing; \`apt-get install ${program}\` or see the README`);
}

function cleanUp() {
  // Killing it ends all processes in its namespace, and so their mounts. They do not disappear at once.
  running?.kill('SIGKILL');
  if (folder === undefined) return;
  // Its own process group, so that a second Ctrl-C does not stop it.
  const remove = ['--wait', 'rm', '--recursive', '--force', '--one-file-system', folder];
  for (let tries = 0; tries < 20 && existsSync(folder); tries++) {
    if (tries > 0) spawnSync('setsid', ['--wait', 'sleep', '0.5']);
    spawnSync('setsid', remove, { stdio: ['ignore', 'ignore', tries === 19 ? 'inherit' : 'ignore'] });
  }
  if (existsSync(folder)) console.error(`e2e:bare: ${folder} is left; remove it by hand`);
  folder = undefined;
}

// Sandbox: bubblewrap (https://github.com/containers/bubblewrap). A build gets a root folder made of what it may read,
// and its own processes, messages, mounts and network. Of that it has none, unless its project asks for one: then
// slirp4netns (https://github.com/rootless-containers/slirp4netns) makes its connections.

import { lstat, mkdir, readdir, readFile, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../adapters/process.ts';
import { isWithin } from '../common/paths.ts';
import type { Sandbox, SandboxView } from './sandbox.ts';
import { printableFilter } from './system-calls.ts';

/** Files of the kernel that builds read: its types, for vmlinux.h, and the number of processors. */
const systemFiles = ['/sys/kernel/btf', '/sys/devices/system/cpu', '/sys/fs/cgroup'];

/** Files that root owns even without capabilities. bubblewrap 0.8.0 leaves some of them writable. */
const writableByRoot = ['acpi', 'driver', 'fs', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`);

/** Capabilities by which setpriv becomes the user again. */
const userCapabilities = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'];

/**
 * Starts bubblewrap with a filter as descriptor 3 and its options as 4. Standard input stays open. In place of a closed
 * one bubblewrap would open the host's /proc, which its first process keeps, and a build would find it there.
 * Descriptors that bpfgate inherited, such as an open folder, are closed: Node closes them only up to the first gap.
 */
const start = `
  for fd in /proc/self/fd/*; do fd=\${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done
  exec 4<&0 </dev/null 3< <(printf "$1")
  shift
  exec "$@"`;
const descriptors = ['--seccomp', '3', '--args', '4'];

/** What a build as root is instead. As root without capabilities, tar would fail to give files to their owners. */
const ordinaryUser = { uid: 1000, gid: 1000 };

/**
 * Becomes a program in a network namespace that slirp4netns connects, once it is connected. slirp4netns stays outside, and
 * ends with that program. Addresses of this host, which it would connect to like any other, are
 * unreachable there, and multicast, which this host's programs receive too.
 */
const connect = `
  hosts=$(ip -4 route show table local type local | while read -r _ address _; do echo "$address"; done)
  exec 5< <(
    until [ "$(readlink /proc/$$/ns/net)" != "$(readlink /proc/$BASHPID/ns/net)" ]; do sleep 0.02; done
    exec 2> >(grep -v experimental >&2) setpriv --pdeathsig KILL slirp4netns --configure --mtu=65520 \\
      --disable-host-loopback --enable-sandbox --enable-seccomp --ready-fd=6 $$ tap0 6>&1 >/dev/null </dev/null)
  exec unshare $1 bash --norc -c '
    read -rn1 <&5 || { echo "slirp4netns made no network" >&2; exit 1; }
    exec 5<&-
    for address in $1 224.0.0.0/4; do ip route replace unreachable "$address" || exit; done
    shift
    exec "$@"' bash "$hosts" "\${@:2}"`;
/** Where slirp4netns answers for the servers that this host asks for names. */
const nameServer = 'nameserver 10.0.2.3\n';
const resolverFile = '/etc/resolv.conf';

/** Makes the kernel end a build first when memory runs out. */
const prelude = 'echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec bash -c "$1"';

/**
 * @param program absolute path of `bwrap`
 * @param sudo absolute path of `sudo`, where users may not make namespaces; the command still runs as the user
 * @param user ids of the user and its group
 */
export function bubblewrap(
  program: string,
  sudo: string | undefined,
  user: { readonly uid: number; readonly gid: number },
): Sandbox {
  const bySudo = sudo !== undefined;
  return {
    name: bySudo ? 'bubblewrap, started by sudo' : 'bubblewrap',
    async run(command, view, options) {
      if (bySudo) await makeMountPoints(view);
      const { uid, gid } = user.uid === 0 ? ordinaryUser : user;
      const args = [
        ...(await bubblewrapArguments(view)),
        ...(view.network ? await networkArguments(view) : ['--unshare-net']),
        ...['--cap-drop', 'ALL'],
        ...(bySudo ? userCapabilities.flatMap((name) => ['--cap-add', name]) : []),
        ...(bySudo ? [] : ['--unshare-user', '--uid', `${uid}`, '--gid', `${gid}`]),
      ];
      const become = [
        ...['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups', '--no-new-privs'],
        ...['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--'],
      ];
      const isRoot = bySudo || user.uid === 0;
      const network = ['bash', '--norc', '-c', connect, 'bash', isRoot ? '--net' : '--user --map-root-user --net'];
      const [file = '', ...rest] = [
        ...(bySudo ? [sudo, '-n', '--'] : []),
        ...(view.network ? network : []),
        ...['bash', '--norc', '-c', start, 'bash', printableFilter()],
        ...[program, ...descriptors, '--', ...(bySudo ? become : [])],
      ];
      // Options go by standard input: process lists show arguments, and a proxy's address may hold a login.
      const input = args.map((argument) => `${argument}\0`).join('');
      const started = { ...options, input, env: {}, variables: { PATH: view.variables.PATH ?? '' } };
      return await run(file, [...rest, 'bash', '-c', prelude, 'bash', command], started);
    },
  };
}

/** Shows a file of names' servers in place of this host's, whose servers may be on its loopback interface. */
async function networkArguments({ temporary }: SandboxView): Promise<string[]> {
  const own = join(dirname(temporary), 'resolv.conf');
  await writeFile(own, nameServer);
  return ['--ro-bind', own, await realpath(resolverFile).catch(() => resolverFile)];
}

/** Works out a view: the home folder, whether it is replaced, and what is shown in addition to the writable folder. */
async function layOut({ write, variables, ...view }: SandboxView) {
  const userHome = await realpath(variables.HOME ?? '/').catch(() => '/');
  const read = withoutCovered(view.read);
  // A home folder inside a readable folder is not replaced, and stays readable.
  const hasHome = userHome !== '/' && !read.some((path) => isWithin(userHome, path));
  return { userHome, hasHome, shown: read.filter((path) => path !== write) };
}

/**
 * Makes bubblewrap's mount points in the build's home and temporary folder. Started by sudo, bubblewrap would make them
 * as root, and the user could not remove them.
 */
async function makeMountPoints(view: SandboxView): Promise<void> {
  const { userHome, hasHome, shown } = await layOut(view);
  const places = [
    ...(hasHome ? [{ seen: userHome, folder: view.home }] : []),
    { seen: '/tmp', folder: view.temporary },
  ];
  for (const path of [...(hasHome ? [userHome] : []), ...shown, view.write]) {
    const found = await stat(path).catch(() => undefined);
    const place = places.find(({ seen }) => path !== seen && isWithin(path, seen));
    if (found === undefined || place === undefined) continue;
    const names = path.slice(place.seen.length + 1).split('/');
    let at = place.folder;
    for (const [index, name] of names.entries()) {
      at = join(at, name);
      const isFolder = index < names.length - 1 || found.isDirectory();
      const there = await lstat(at).catch(() => undefined);
      // An earlier build may have left a link.
      if (there !== undefined && there.isDirectory() === isFolder && !there.isSymbolicLink()) continue;
      if (there !== undefined) await rm(at);
      if (isFolder) await mkdir(at);
      else await writeFile(at, '');
    }
  }
}

/** Options of bwrap(1), in the order in which it applies them: folders before what is in them. */
async function bubblewrapArguments(view: SandboxView): Promise<string[]> {
  const { write, cwd, variables, home, temporary } = view;
  const { userHome, hasHome, shown } = await layOut(view);
  const all = [...shown, write, ...(hasHome ? [userHome] : [])];
  const environment = { ...variables, ...(hasHome ? { HOME: userHome } : {}), TMPDIR: '/tmp' };
  return [
    ...[
      '--die-with-parent',
      '--new-session',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
    ],
    // bubblewrap 0.8.0 makes folders accessible to its own user only, which with sudo is root.
    ...foldersAbove(all)
      .filter((folder) => !['/tmp', ...(hasHome ? [userHome] : [])].some((own) => isWithin(folder, own)))
      .flatMap((folder) => ['--perms', '0755', '--dir', folder]),
    ...['--bind', temporary, '/tmp'],
    ...(hasHome ? ['--bind', home, userHome] : []),
    ...shown.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(await socketsIn(shown)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...(await linksBeside(all)).flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...[...systemFiles, ...writableByRoot].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--bind', write, write, '--chdir', cwd, '--clearenv'],
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** Sockets of running programs in shown folders: a program takes orders by them even where nothing can be written. */
async function socketsIn(shown: readonly string[]): Promise<string[]> {
  const lines = (await readFile('/proc/net/unix', 'utf8')).split('\n');
  const paths = lines.map((line) => line.slice(line.indexOf(' /') + 1)).filter((path) => path.startsWith('/'));
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  const isShown = (path: string | undefined) => path !== undefined && shown.some((folder) => isWithin(path, folder));
  return [...new Set(found.filter(isShown))] as string[];
}

/** Paths, the shortest first, without those that lie in another of them. */
function withoutCovered(paths: readonly string[]): string[] {
  const kept: string[] = [];
  for (const path of [...new Set(paths)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))) {
    if (!kept.some((folder) => isWithin(path, folder))) kept.push(path);
  }
  return kept;
}

/**
 * Finds links in the folders above the paths that lead to a path, into one, or to one of these folders: `/bin`, for
 * example, or a folder of tools that is a link. Each comes with its target.
 */
async function linksBeside(paths: readonly string[]): Promise<[path: string, target: string][]> {
  const above = new Set(['/', ...foldersAbove(paths)]);
  const links: [string, string][] = [];
  for (const folder of above) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isSymbolicLink()) continue;
      const link = join(folder, entry.name);
      const real = await realpath(link).catch(() => undefined);
      if (real === undefined || !(above.has(real) || paths.some((path) => isWithin(real, path)))) continue;
      links.push([link, await readlink(link)]);
    }
  }
  return links;
}

/** All folders that hold the paths, without the root; each after its parent. */
function foldersAbove(paths: readonly string[]): string[] {
  const above = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== '/' && !above.has(folder); folder = dirname(folder)) above.add(folder);
  }
  return [...above].sort((a, b) => a.length - b.length);
}

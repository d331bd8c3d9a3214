// The sandbox by bubblewrap (https://github.com/containers/bubblewrap): a root folder made of what may be read, and its own
// processes, messages and mounts.

import { lstat, mkdir, readdir, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../adapters/process.ts';
import type { Sandbox, SandboxView } from './sandbox.ts';
import { printable, systemCallFilter } from './system-calls.ts';

/** Of the kernel's files what builds read: its types, for vmlinux.h; and how many processors there are. */
const systemFiles = ['/sys/kernel/btf', '/sys/devices/system/cpu', '/sys/fs/cgroup'];

/** Root without capabilities still owns these, of which bubblewrap leaves some writable (0.8.0). */
const writableByRoot = ['acpi', 'driver', 'fs', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`);

/** What builds as root do with files; nothing with the system. */
const rootCapabilities = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_FSETID'];

/** By which setpriv becomes the user again. */
const userCapabilities = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'];

/**
 * Starts bubblewrap with a filter as descriptor 3 and its options as 4. Its standard input stays open: what bubblewrap
 * opens in the place of a closed one, the host's /proc, is kept by its own first process, where a build finds it. Nor has
 * it what bpfgate has inherited, such as an open folder; Node closes that up to the first gap only.
 */
const start = `
  for fd in /proc/self/fd/*; do fd=\${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done
  exec 4<&0 </dev/null 3< <(printf "$1")
  shift
  exec "$@"`;
const descriptors = ['--seccomp', '3', '--args', '4'];

/** Makes a build the first that the kernel ends when memory runs out. */
const prelude = 'echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec bash -c "$1"';

/**
 * @param program absolute path of `bwrap`
 * @param sudo absolute path of `sudo`, where users may not make namespaces; the command runs as the user all the same
 * @param user the numbers of the user and its group
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
      const args = [...(await bubblewrapArguments(view)), ...capabilityArguments(bySudo, user.uid)];
      const become = [
        ...['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups', '--no-new-privs'],
        ...['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--'],
      ];
      const filter = printable(systemCallFilter({ local: true }));
      const [file = '', ...rest] = [
        ...(bySudo ? [sudo, '-n', '--'] : []),
        ...['bash', '--norc', '-c', start, 'bash', filter],
        ...[program, ...descriptors, '--', ...(bySudo ? become : [])],
      ];
      // By standard input, since lists of processes show arguments, and a proxy's address may hold a login.
      const input = args.map((argument) => `${argument}\0`).join('');
      const started = { ...options, input, env: {}, variables: { PATH: view.variables.PATH ?? '' } };
      return await run(file, [...rest, 'bash', '-c', prelude, 'bash', command], started);
    },
  };
}

function capabilityArguments(bySudo: boolean, uid: number): string[] {
  const kept = bySudo ? userCapabilities : uid === 0 ? rootCapabilities : [];
  return ['--cap-drop', 'ALL', ...kept.flatMap((name) => ['--cap-add', name])];
}

/** What a view comes to: the home folder, if it is replaced, and what is shown next to the folder to change. */
async function layOut({ write, variables, ...view }: SandboxView) {
  const userHome = await realpath(variables.HOME ?? '/').catch(() => '/');
  const read = withoutCovered(view.read);
  // Where what is read holds the home folder, that stays what it is, to be read.
  const hasHome = userHome !== '/' && !read.some((path) => isWithin(userHome, path));
  return { userHome, hasHome, shown: read.filter((path) => path !== write) };
}

/**
 * Makes what bubblewrap mounts on in the build's home and temporary folder. Started by sudo, it would make that as root, and
 * the user could not remove it.
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
export async function bubblewrapArguments(view: SandboxView): Promise<string[]> {
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
    // bubblewrap 0.8.0 makes them for its own user alone, which with sudo is root.
    ...foldersAbove(all)
      .filter((folder) => !['/tmp', ...(hasHome ? [userHome] : [])].some((own) => isWithin(folder, own)))
      .flatMap((folder) => ['--perms', '0755', '--dir', folder]),
    ...['--bind', temporary, '/tmp'],
    ...(hasHome ? ['--bind', home, userHome] : []),
    ...shown.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(await linksBeside(all)).flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...[...systemFiles, ...writableByRoot].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--bind', write, write, '--chdir', cwd, '--clearenv'],
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** Paths in the order of their names, without those that lie in another of them. */
function withoutCovered(paths: readonly string[]): string[] {
  const kept: string[] = [];
  for (const path of [...new Set(paths)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))) {
    if (!kept.some((folder) => isWithin(path, folder))) kept.push(path);
  }
  return kept;
}

/**
 * Links that lie in the folders above some paths and lead to one of those, to what is in one, or to one of these folders:
 * `/bin`, and a folder of tools that is elsewhere than its name says. With what each holds.
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

/** All folders that paths lie in, without the root; each behind the one that it is in. */
function foldersAbove(paths: readonly string[]): string[] {
  const above = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== '/' && !above.has(folder); folder = dirname(folder)) above.add(folder);
  }
  return [...above].sort((a, b) => a.length - b.length);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

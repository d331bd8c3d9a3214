// A build on the host that tries to reach what is not its own, in the sandbox, without and with a network. Real
// bubblewrap and slirp4netns. Canaries stand for what it must not reach; each is shown to be reachable for an ordinary
// program.
// @module-tag hostile

import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { inSandbox } from '../../src/build/build-place.ts';
import { findExecutable } from '../../src/prerequisites/executables.ts';
import { bubblewrap } from '../../src/sandbox/bubblewrap.ts';
import type { BuildLimits } from '../../src/sandbox/build-limits.ts';
import { chooseSandbox } from '../../src/sandbox/choose-sandbox.ts';
import { findReadable } from '../../src/sandbox/readable-files.ts';

const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const bwrap = await findExecutable('bwrap', process.env);
const sudo = user.uid === 0 ? undefined : await findExecutable('sudo', process.env);
const sandboxes = [undefined, ...(sudo === undefined ? [] : [sudo])].map((by) => ({
  sandbox: bubblewrap(bwrap ?? 'bwrap', by, user),
  // Without udev, only root may open this.
  canConnect: by !== undefined || isOpen('/dev/net/tun'),
}));
const places = sandboxes.flatMap(({ sandbox, canConnect }) => [
  { name: `${sandbox.name}, without a network`, sandbox, network: false },
  ...(canConnect ? [{ name: `${sandbox.name}, with a network`, sandbox, network: true }] : []),
]);
type Place = (typeof places)[number];

function isOpen(device: string): boolean {
  try {
    accessSync(device, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

let folder: string;
let home: string;
let tree: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-sandbox-test-')));
  home = join(folder, 'home');
  tree = join(folder, 'cache/builds/r/tree');
  mkdirSync(tree, { recursive: true });
  mkdirSync(join(folder, 'cache/builds/r/scratch'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes files, with the folders above them, and returns their absolute paths. */
function files(...names: readonly string[]): string[] {
  return names.map((name) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'canary\n');
    return path;
  });
}

interface BuildOptions {
  readonly limits?: BuildLimits;
  /** A folder to put before those of PATH. */
  readonly programs?: string;
  readonly dependencies?: readonly string[];
}

async function build(
  { sandbox, network }: Omit<Place, 'name'>,
  command: string,
  { limits, programs, dependencies = [] }: BuildOptions = {},
) {
  const environment = { ...process.env, HOME: home, CARGO_HOME: undefined, RUSTUP_HOME: undefined };
  const root = join(folder, 'cache');
  const read = await findReadable({ cache: { root }, environment, own: ['/etc/resolv.conf'], caches: false });
  const [workDir, scratch] = [join(root, 'builds/r/tree'), join(root, 'builds/r/scratch')];
  const PATH = [...(programs === undefined ? [] : [programs]), process.env.PATH].join(':');
  return await inSandbox({ sandbox }, read, network, limits).build({
    command,
    workDir,
    project: workDir,
    scratch,
    environment: { PATH, HOME: home },
    variables: [],
    dependencies,
    timeoutMs: 60_000,
    onLine: () => {},
  });
}

const isRunning = (argument: string) => spawnSync('pgrep', ['-fx', `sleep ${argument}`]).status === 0;

describe.each(places)('a build in $name', (place) => {
  test('reads tools and its own tree, and no other file of the user', async () => {
    const dependency = files('home/.cargo/registry/src/locked');
    const own = [...files('cache/builds/r/tree/source', 'home/.rustup/toolchains/rustc'), ...dependency, '/etc/passwd'];
    const others = files(
      ...['home/.ssh/id', 'home/.cargo/credentials.toml', 'home/.netrc', 'home/notes', 'home/.cache/token'],
      ...['cache/builds/r/base/out', 'cache/kernels-2/k/image', 'elsewhere'],
      // Of other projects.
      ...['home/.cargo/registry/src/other', 'home/.cargo/git/db/other/HEAD', 'home/go/pkg/mod/other', 'home/go/src/o'],
      ...['home/.cache/go-build/00/other', 'home/.cargo/.global-cache'],
    );
    const command = `for file in ${[...own, ...others].join(' ')}; do cat $file >/dev/null 2>&1 && echo $file; done; true`;
    const { failure, output } = await build(place, command, { dependencies: dependency });
    expect(failure).toBeUndefined();
    expect(output.trim().split('\n')).toEqual(own);
  });

  test('changes its own tree and its own folders, and nothing else', async () => {
    const others = files(
      ...['home/.cargo/registry/src/crate', 'home/.cargo/bin/cargo', 'home/.profile', 'cache/builds/r/base/out'],
      'cache/agent/a/bpfgate-agent',
    );
    const pattern = '/proc/sys/kernel/core_pattern';
    const before = readFileSync(pattern, 'utf8');
    const { failure, output } = await build(
      place,
      `echo x >made && touch "$HOME/own" "$TMPDIR/own" || exit 1
      for file in ${others.join(' ')} ${folder}/new /etc/bpfgate-canary; do echo changed 2>/dev/null >$file; done
      cat ${pattern} 2>/dev/null >${pattern}; echo changed 2>/dev/null >${pattern}
      for file in $(find /proc/acpi /proc/driver /proc/fs /proc/mtrr /proc/scsi -type f 2>/dev/null); do
        { : >>$file && echo opened $file; } 2>/dev/null
      done; true`,
    );
    expect(failure).toBeUndefined();
    expect(output).not.toContain('opened');
    expect(readFileSync(join(tree, 'made'), 'utf8')).toBe('x\n');
    for (const file of others) expect(readFileSync(file, 'utf8')).toBe('canary\n');
    expect([join(folder, 'new'), '/etc/bpfgate-canary'].filter((file) => existsSync(file))).toEqual([]);
    expect(readFileSync(pattern, 'utf8')).toBe(before);
  });

  test('has only its own environment', async () => {
    process.env.BPFGATE_CANARY_TOKEN = 'canary-of-a-token';
    try {
      const read = 'cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep -c canary-of-a';
      expect(spawnSync('sh', ['-c', read]).stdout.toString().trim()).not.toBe('0');
      expect((await build(place, `${read}; true`)).output.trim()).toBe('0');
    } finally {
      delete process.env.BPFGATE_CANARY_TOKEN;
    }
  });

  test('cannot get out through open files of another process', async () => {
    const [canary = ''] = files('canary');
    const command = `for place in /proc/[0-9]*/fd/* /proc/[0-9]*/root /proc/[0-9]*/cwd; do
      for path in $place$CANARY $place/..$CANARY $place/../..$CANARY; do
        { read -r text <$path && echo read $path; } 2>/dev/null
      done
    done; true`;
    const { failure, output } = await build(place, `CANARY=${canary}; ${command}`);
    expect(failure).toBeUndefined();
    expect(output.trim()).toBe('');
  });

  /** Builds in a sandbox whose starting program has inherited something: a script runs before it. */
  async function buildAfter(script: string, command: string) {
    const [bash = ''] = files('starting/bash');
    writeFileSync(bash, script);
    execFileSync('chmod', ['755', bash]);
    return {
      output: (await build(place, command, { programs: dirname(bash) })).output.trim(),
      ordinary: execFileSync(bash, ['-c', command]).toString(),
    };
  }

  test('inherits no open file of bpfgate', async () => {
    const [secret = ''] = files('secret');
    const script = `#!/bin/bash\nexec 77<${secret}\nexec /bin/bash "$@"\n`;
    const { ordinary, output } = await buildAfter(script, 'cat <&77 || true');
    expect(ordinary).toBe('canary\n');
    expect(output).toContain('77: Bad file descriptor');
  });

  test("gets no keys from the kernel's session keyring", async () => {
    const [add, keyctl, searching, reading, session] = [248, 250, 10, 11, -3];
    const names = '($type, $name, $text) = ("user", "bpfgate-canary", "canary-of-a-key")';
    const script = `#!/usr/bin/perl\n${names};\nsyscall(${add}, $type, $name, $text, 15, ${session});\nexec "/bin/bash", @ARGV;\n`;
    const read = `perl -e '${names}; $text = " " x 15; $id = syscall(${keyctl}, ${searching}, ${session}, $type, $name, 0);
      syscall(${keyctl}, ${reading}, $id, $text, 15); print $text'`;
    const { ordinary, output } = await buildAfter(script, read);
    expect(ordinary).toBe('canary-of-a-key');
    expect(output).toBe('');
  });

  test('cannot reach a program of this host through a socket', async () => {
    const [path, shown] = [join(folder, 'socket'), join(home, '.rustup/socket')];
    mkdirSync(dirname(shown), { recursive: true });
    const abstract = `bpfgate-canary-${process.pid}`;
    const hosts = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
    const servers = await Promise.all([path, shown, `\0${abstract}`].map((at) => listen({ path: at })));
    const tcp = await listen({ host: '::', port: 0 });
    const { port } = tcp.address() as AddressInfo;
    const connect = `import socket
for at in ["${path}", "${shown}", "\\0${abstract}"]:
    s = socket.socket(socket.AF_UNIX)
    if not s.connect_ex(at): print("connected by", at.strip("\\0"))
for host in ${JSON.stringify([...hosts, '0.0.0.0', '10.0.2.2', '10.0.2.3', 'localhost'])}:
    try:
        socket.create_connection((host, ${port}), 3)
        print("connected to", host)
    except OSError: pass`;
    writeFileSync(join(tree, 'connect.py'), connect);
    try {
      const { stdout } = await promisify(execFile)('python3', [join(tree, 'connect.py')]);
      const reached = [`by ${path}`, `by ${shown}`, `by ${abstract}`, 'to localhost', 'to 127.0.0.1'];
      for (const each of reached) expect(stdout).toContain(`connected ${each}\n`);
      expect(await build(place, 'python3 connect.py')).toEqual({ failure: undefined, output: '\n' });
    } finally {
      for (const server of [...servers, tcp]) server.close();
    }
  });

  test('makes no set-id file, by any call, and keeps none', async () => {
    const [c = ''] = files('cache/builds/r/tree/make.c');
    // Each call in its own file; the numbers are those of 64-bit programs.
    const calls = [
      ...['chmod("f", 04755)', 'fchmod(open("f", O_RDWR), 02755)', 'fchmodat(AT_FDCWD, "f", 06755, 0)'],
      ...['syscall(452, AT_FDCWD, "f", 04755, 0)', 'creat("g", 04755)', 'open("g", O_CREAT | O_WRONLY, 04755)'],
      ...['openat(AT_FDCWD, "g", O_CREAT, 02755)', 'open(".", O_TMPFILE | O_WRONLY, 04755)'],
      ...['mknod("g", S_IFREG | 04755, 0)', 'mknodat(AT_FDCWD, "g", S_IFREG | 04755, 0)'],
      ...['syscall(437, AT_FDCWD, "g", (long[]){O_CREAT | O_WRONLY, 04755, 0}, 24)', 'syscall(425, 1, (char[120]){0})'],
      ...['unshare(CLONE_NEWUSER)', 'syscall(56, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)'],
    ];
    const tries = calls.map((call) => `if (${call} >= 0) puts(${JSON.stringify(call)});`).join('\n');
    const includes = ['fcntl', 'sched', 'signal', 'stdio', 'sys/stat', 'unistd', 'sys/syscall'];
    const text = `#define _GNU_SOURCE\n${includes.map((name) => `#include <${name}.h>\n`).join('')}
int main() { creat("f", 0755); umask(0); ${tries} chmod("f", 0700); return open("h", O_CREAT, 0644) < 0; }`;
    writeFileSync(c, text);
    const command = 'cc -o make make.c && ./make && stat -c "%a %n" f h && find . -perm /6000';
    expect(await build(place, command)).toEqual({ failure: undefined, output: '700 f\n644 h\n\n' });
  });

  test("leaves nothing in the next build's home folder", async () => {
    expect((await build(place, 'mkdir -p ~/.cache && touch ~/.cache/left ~/left')).failure).toBeUndefined();
    expect((await build(place, 'ls -A ~/.cache/left ~/left 2>/dev/null; true')).output.trim()).toBe('');
  });

  test('leaves no process, also none that left its group or session', async () => {
    const started = 'for i in 1 2 3 4; do setsid sleep 97531 & done; sleep 97532 & sleep 0.2';
    expect((await build(place, started)).failure).toBeUndefined();
    expect([isRunning('97531'), isRunning('97532')]).toEqual([false, false]);
  });

  test('becomes no other user, and has no capabilities', async () => {
    const command = 'grep -E "NoNewPrivs|Cap(Inh|Prm|Eff|Bnd|Amb)" /proc/self/status; sudo -n id -u 2>/dev/null; id -u';
    const { output } = await build(place, command);
    const none = ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'].flatMap((name) => [`Cap${name}:`, '0'.repeat(16)]);
    expect(output.trim().split(/\s+/)).toEqual([...none, 'NoNewPrivs:', '1', `${user.uid || 1000}`]);
    const unpack = 'mkdir t && tar -C t -xf - && stat -c %U t/made >/dev/null';
    expect((await build(place, `echo x >made; tar -cf - --owner=7 made | (${unpack})`)).failure).toBeUndefined();
  });

  test('is ended if it uses too much of the machine, with the reason', async () => {
    const none = { threads: 1e6, memoryLeft: 0, diskLeft: 0, filesLeft: 0 };
    const memory = Number(/MemAvailable:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024;
    const held = 'held=$(head -c 700M /dev/zero | tr "\\0" x); sleep 60';
    const limited = (command: string, limits: Partial<BuildLimits>) =>
      build(place, command, { limits: { ...none, ...limits } });
    const [threads, left, disk, files] = [
      await limited('for i in $(seq 400); do sleep 96420 & done; sleep 60', { threads: 200 }),
      await limited(held, { memoryLeft: memory - 500 * 2 ** 20 }),
      await limited('sleep 60', { diskLeft: 2 ** 60 }),
      await limited('sleep 60', { filesLeft: 2 ** 60 }),
    ];
    expect(threads.failure).toBe('had more than 200 threads, and was ended');
    expect(left.failure).toMatch(/^left less than \d+ MiB of this machine's memory, and was ended$/);
    expect(disk.failure).toMatch(/^left less than \d+ MiB on the disk of .*, and was ended$/);
    expect(files.failure).toMatch(/^left room for fewer than \d+ files on the disk of .*, and was ended$/);
    expect(isRunning('96420')).toBe(false);
  });
});

test('a build with a network has a way to other machines, which ends with it', async ({ skip }) => {
  const connected = places.find(({ network }) => network);
  if (connected === undefined) return skip('this user may not open /dev/net/tun, and there is no sudo');
  const { failure, output } = await build(connected, 'ip route get 198.51.100.1 | head -n 1; cat /etc/resolv.conf');
  expect({ failure, output }).toEqual({
    failure: undefined,
    output: expect.stringMatching(/^198\.51\.100\.1 via 10\.0\.2\.2 dev tap0 [\s\S]*\nnameserver 10\.0\.2\.3\n/),
  });
  const states = () =>
    readdirSync('/proc').map((pid) => {
      try {
        return /^\d+ \(slirp4netns\) (.)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
      } catch {
        return undefined; // Not a process, or one that has ended.
      }
    });
  await vi.waitFor(() => expect(states().filter((state) => state !== undefined && state !== 'Z')).toEqual([]));
});

describe('the sandbox', () => {
  const given = (PATH: string) => ({
    environment: { HOME: home, PATH },
    read: ['/usr', '/etc', folder],
    network: false,
  });
  /** A folder with all programs but one, or with another in its place. */
  function without(name: string, instead?: string): string {
    const bin = join(folder, `without-${name}`);
    mkdirSync(bin);
    for (const each of readdirSync('/usr/bin')) if (each !== name) symlinkSync(join('/usr/bin', each), join(bin, each));
    if (instead !== undefined) writeFileSync(join(bin, name), `#!/bin/sh\n${instead}\n`, { mode: 0o755 });
    return bin;
  }

  test.each([
    ['bubblewrap is not installed', undefined],
    [
      'bubblewrap does not work here: bwrap: setting up uid map: Permission denied',
      'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1',
    ],
    ['bubblewrap does not work here: exit code 9', 'exit 9'],
  ])('is bubblewrap, or none, which is an error if one is required: %s', async (reason, instead) => {
    const { PATH = '' } = process.env;
    expect(await chooseSandbox({ ...given(PATH), policy: 'required' })).toEqual({ sandbox: expect.anything() });
    const none = given(without('bwrap', instead));
    expect(await chooseSandbox({ ...none, policy: 'auto' })).toEqual({
      sandbox: undefined,
      reason: expect.stringContaining(reason),
    });
    await expect(chooseSandbox({ ...none, policy: 'required' })).rejects.toMatchObject({
      message: expect.stringContaining(`there is no sandbox for builds, and one is required: ${reason}`),
      hint: expect.stringContaining('apt-get install bubblewrap'),
    });
  });

  test.each(['slirp4netns', 'ip'])('is not left out where there is no %s for a network', async (name) => {
    const PATH = without(name);
    expect(await chooseSandbox({ ...given(PATH), policy: 'auto' })).toEqual({ sandbox: expect.anything() });
    await expect(chooseSandbox({ ...given(PATH), network: true, policy: 'auto' })).rejects.toMatchObject({
      message: expect.stringContaining(name),
      hint: expect.stringContaining('apt-get install slirp4netns iproute2'),
    });
  });

  test('that is missing is a warning in the results', () => {
    const place = inSandbox({ sandbox: undefined, reason: 'it is switched off' }, [], false);
    const reason = 'builds ran without a sandbox, with every right of the user who ran bpfgate: it is switched off';
    expect(place.warnings).toEqual([{ about: [], reason }]);
  });
});

/** Starts a server that ends each connection. */
async function listen(at: { readonly path: string } | { readonly host: string; readonly port: number }) {
  const server: Server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(at, resolve));
  return server;
}

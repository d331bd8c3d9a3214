// A build on the host that tries to reach what is not its own, in each kind of sandbox. Real bubblewrap, Landlock and
// namespaces. Canaries stand for what it must not reach; each is shown to be reachable for an ordinary program.
// @module-tag hostile

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { inSandbox } from '../../src/build/build-place.ts';
import { findExecutable } from '../../src/prerequisites/executables.ts';
import { bubblewrap } from '../../src/sandbox/bubblewrap.ts';
import type { BuildLimits } from '../../src/sandbox/build-limits.ts';
import { chooseSandbox } from '../../src/sandbox/choose-sandbox.ts';
import { landlockSandbox } from '../../src/sandbox/landlock-sandbox.ts';
import { findReadable } from '../../src/sandbox/readable-files.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

const agent = join(packageRoot, 'vm/agent/target/x86_64-unknown-linux-gnu/debug/bpfgate-agent');
beforeAll(() => {
  execFileSync('cargo', ['build', '--locked', '--quiet'], { cwd: join(packageRoot, 'vm/agent'), stdio: 'inherit' });
}, 600_000);

const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const bwrap = await findExecutable('bwrap', process.env);
const sudo = user.uid === 0 ? undefined : await findExecutable('sudo', process.env);
const sandboxes: Sandbox[] = [
  bubblewrap(bwrap ?? 'bwrap', undefined, user),
  ...(sudo === undefined ? [] : [bubblewrap(bwrap ?? 'bwrap', sudo, user)]),
  landlockSandbox(agent, true),
  landlockSandbox(agent, false),
];

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
  /** Below the test's folder. Default: `cache`. */
  readonly cache?: string;
}

async function build(sandbox: Sandbox, command: string, { limits, programs, cache = 'cache' }: BuildOptions = {}) {
  const environment = { ...process.env, HOME: home, CARGO_HOME: undefined, RUSTUP_HOME: undefined };
  const root = join(folder, cache);
  const read = await findReadable({ cache: { root }, environment, own: [] });
  const [workDir, scratch] = [join(root, 'builds/r/tree'), join(root, 'builds/r/scratch')];
  const PATH = [...(programs === undefined ? [] : [programs]), process.env.PATH].join(':');
  return await inSandbox({ sandbox, reasons: [] }, read, limits).build({
    command,
    workDir,
    project: workDir,
    scratch,
    environment: { PATH, HOME: home },
    variables: [],
    timeoutMs: 60_000,
    onLine: () => {},
  });
}

const isRunning = (argument: string) => spawnSync('pgrep', ['-fx', `sleep ${argument}`]).status === 0;

describe.each(sandboxes)('a build in $name', (sandbox) => {
  test('reads tools and its own tree, and no other file of the user', async () => {
    const own = [
      ...files('cache/builds/r/tree/source', 'home/.cargo/registry/src/crate', 'home/.rustup/toolchains/rustc'),
      '/etc/passwd',
    ];
    const others = files(
      ...['home/.ssh/id', 'home/.cargo/credentials.toml', 'home/.netrc', 'home/notes', 'home/.cache/token'],
      ...['cache/builds/r/base/out', 'cache/kernels-2/k/image', 'elsewhere'],
    );
    const command = `for file in ${[...own, ...others].join(' ')}; do cat $file >/dev/null 2>&1 && echo $file; done; true`;
    const { failure, output } = await build(sandbox, command);
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
      sandbox,
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
      expect((await build(sandbox, `${read}; true`)).output.trim()).toBe('0');
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
    const { failure, output } = await build(sandbox, `CANARY=${canary}; ${command}`);
    expect(failure).toBeUndefined();
    expect(output.trim()).toBe('');
  });

  /** Builds in a sandbox whose starting programs have inherited something: a script runs before each of them. */
  async function buildAfter(script: (program: string) => string, command: string) {
    const starting = { bash: '/bin/bash', unshare: '/usr/bin/unshare', agent };
    for (const [name, program] of Object.entries(starting)) {
      const [path = ''] = files(`starting/${name}`);
      writeFileSync(path, script(program));
      execFileSync('chmod', ['755', path]);
    }
    const programs = join(folder, 'starting');
    const isLandlock = sandbox.name.startsWith('Landlock');
    const started = isLandlock ? landlockSandbox(join(programs, 'agent'), sandbox.name !== 'Landlock') : sandbox;
    return {
      output: (await build(started, command, { programs })).output.trim(),
      ordinary: execFileSync(join(programs, 'bash'), ['-c', command]).toString(),
    };
  }

  test('inherits no open file of bpfgate', async () => {
    const [secret = ''] = files('secret');
    const script = (program: string) => `#!/bin/bash\nexec 77<${secret}\nexec ${program} "$@"\n`;
    const { ordinary, output } = await buildAfter(script, 'cat <&77 || true');
    expect(ordinary).toBe('canary\n');
    expect(output).toContain('77: Bad file descriptor');
  });

  test("gets no keys from the kernel's session keyring", async () => {
    const [add, keyctl, searching, reading, session] = [248, 250, 10, 11, -3];
    const names = '($type, $name, $text) = ("user", "bpfgate-canary", "canary-of-a-key")';
    const script = (program: string) =>
      `#!/usr/bin/perl\n${names};\nsyscall(${add}, $type, $name, $text, 15, ${session});\nexec "${program}", @ARGV;\n`;
    const read = `perl -e '${names}; $text = " " x 15; $id = syscall(${keyctl}, ${searching}, ${session}, $type, $name, 0);
      syscall(${keyctl}, ${reading}, $id, $text, 15); print $text'`;
    const { ordinary, output } = await buildAfter(script, read);
    expect(ordinary).toBe('canary-of-a-key');
    expect(output).toBe('');
  });

  test("cannot reach the user's programs through a socket", async () => {
    const path = join(folder, 'socket');
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const connect = `perl -MSocket -e 'socket($s, PF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un("${path}")) && print "connected"'`;
    try {
      const ordinary = spawnSync('sh', ['-c', `${connect} & wait`], { timeout: 10_000 });
      expect(ordinary.stdout.toString()).toBe('connected');
      expect((await build(sandbox, `${connect}; true`)).output.trim()).toBe('');
    } finally {
      server.close();
    }
  });

  test('leaves no program with the rights of the user', async () => {
    expect((await build(sandbox, 'cp /bin/true made && chmod 6755 made')).failure).toBeUndefined();
    expect(statSync(join(tree, 'made')).mode & 0o7777).toBe(0o755);
  });

  test('leaves no link in the cache that makes the next build write elsewhere', async () => {
    const cache = 'home/.cache/bpfgate';
    for (const name of ['tools', 'builds/r/tree', 'builds/r/scratch']) {
      mkdirSync(join(folder, cache, name), { recursive: true });
    }
    mkdirSync(join(folder, 'elsewhere'));
    const lead = `mkdir -p ~/.cache && cd ~/.cache && touch kept && rm -rf bpfgate 2>/dev/null; mv bpfgate moved; ln -s /oldroot${folder}/elsewhere bpfgate; true`;
    expect((await build(sandbox, lead, { cache })).failure).toBeUndefined();
    expect((await build(sandbox, 'ls ~/.cache/kept', { cache })).failure).toBeUndefined();
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  test('leaves no process, also none that left its group or session', async () => {
    const started = 'for i in 1 2 3 4; do setsid sleep 97531 & done; sleep 97532 & sleep 0.2';
    expect((await build(sandbox, started)).failure).toBeUndefined();
    expect([isRunning('97531'), isRunning('97532')]).toEqual([false, false]);
  });

  test('becomes no other user', async () => {
    const { output } = await build(sandbox, 'grep NoNewPrivs /proc/self/status; sudo -n id -u 2>/dev/null; id -u');
    expect(output.trim().split(/\s+/)).toEqual(['NoNewPrivs:', '1', `${user.uid}`]);
  });

  test('is ended if it uses too much of the machine, with the reason', async () => {
    const none = { threads: 1e6, memoryLeft: 0, diskLeft: 0, filesLeft: 0 };
    const memory = Number(/MemAvailable:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024;
    const held = 'held=$(head -c 700M /dev/zero | tr "\\0" x); sleep 60';
    const limited = (command: string, limits: Partial<BuildLimits>) =>
      build(sandbox, command, { limits: { ...none, ...limits } });
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

describe('the sandbox', () => {
  const read = ['/usr', '/etc'];
  const withPath = (PATH: string) => ({ environment: { HOME: home, PATH }, read, agent: async () => agent });

  test('is bubblewrap if it works, or else Landlock, with the reason', async () => {
    const { PATH = '' } = process.env;
    expect(await chooseSandbox({ ...withPath(PATH), policy: 'auto' })).toMatchObject({
      sandbox: { name: 'bubblewrap' },
      reasons: [],
    });
    const [broken = ''] = files('bin/bwrap');
    writeFileSync(broken, '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n', {
      mode: 0o755,
    });
    execFileSync('chmod', ['755', broken]);
    const choice = await chooseSandbox({ ...withPath(`${dirname(broken)}:/usr/bin`), policy: 'required' });
    expect(choice.sandbox?.name).toBe('Landlock and namespaces');
    expect(choice.reasons[0]).toBe('bubblewrap does not work here: bwrap: setting up uid map: Permission denied');
  });

  test('is missing if none works, which is an error with the attempts if one is required', async () => {
    const [nothing = ''] = files('bin/agent', 'bin/bwrap');
    writeFileSync(nothing, '#!/bin/sh\necho 0\n');
    execFileSync('chmod', ['755', nothing]);
    const [broken = ''] = files('bin/bwrap');
    writeFileSync(broken, '#!/bin/sh\nexit 9\n');
    execFileSync('chmod', ['755', broken]);
    const given = { ...withPath(`${dirname(broken)}:/usr/bin`), agent: async () => nothing };
    const reasons = [
      expect.stringMatching(/^bubblewrap does not work here: exit code 9$/),
      ...(sudo === undefined ? [] : [expect.stringContaining('sudo')]),
      expect.stringMatching(/^the kernel has no Landlock/),
    ];
    expect(await chooseSandbox({ ...given, policy: 'auto' })).toEqual({ sandbox: undefined, reasons });
    await expect(chooseSandbox({ ...given, policy: 'required' })).rejects.toThrow(
      /^there is no sandbox for builds, and one is required: bubblewrap does not work here: exit code 9; /,
    );
    const place = inSandbox({ sandbox: undefined, reasons: ['it is switched off'] }, []);
    expect(place.warnings).toEqual([
      'builds ran without a sandbox, with every right of the user who ran bpfgate: it is switched off',
    ]);
  });
});

// Attacks by root in a guest on the host, in real VMs of both runners.
// @module-tag hostile

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { locateCache } from '../../src/cache/cache.ts';
import { runners } from '../../src/model/inputs.ts';
import { bpfgate, inRunFolders, leftovers, type Options, type Outcome, temporaryFolder } from './bpfgate.ts';
import { commit, gate } from './gated-project.ts';

/** Runs a script in a guest, with a temporary folder that has to be empty again at the end. */
async function inGuest(runner: string, script: string, { env, ...options }: Options = {}): Promise<Outcome> {
  const folder = realpathSync(temporaryFolder());
  const args = ['exec', '--kernel', '6.1', '--runner', runner, '--', 'sh', '-c', script];
  const outcome = await bpfgate(args, { ...options, env: { ...env, TMPDIR: folder } });
  expect(leftovers(folder)).toEqual([]);
  return outcome;
}

/** Paths at which a home folder, a checkout and a runner keep secrets, all below one folder. */
const secretFiles = {
  netrc: 'home/.netrc',
  git: 'home/.git-credentials',
  gitconfig: 'home/.gitconfig',
  ssh: 'home/.ssh/id_ed25519',
  gh: 'home/.config/gh/hosts.yml',
  aws: 'home/.aws/credentials',
  docker: 'home/.docker/config.json',
  npm: 'home/.npmrc',
  cargo: 'home/cargo/credentials.toml',
  checkout: 'project/.git/config',
  nested: 'project/third-party/clone/.git/config',
  commands: 'home/temp/_runner_file_commands/set_env_1',
  runner: 'home/actions-runner/.credentials',
  unknown: 'home/.config/some-tool/token',
  elsewhere: 'data/key',
};

let isConfined = true;

beforeAll(async () => {
  const { stderr } = await bpfgate(['exec', '--kernel', '6.1', '--', 'true']);
  isConfined = !stderr.includes('has no Landlock');
});

/** Skips tests without Landlock: a guest then reads what its user can. The threat model accepts it, and a run warns. */
function needLandlock(): void {
  beforeEach(({ skip }) => {
    if (!isConfined) skip('the kernel of this machine has no Landlock');
  });
}

/** Makes a home folder, a repository and all secret files, each with a word that is nowhere else. */
function makeHost() {
  const folder = realpathSync(temporaryFolder());
  const project = join(folder, 'project');
  commit(project, 'base', { 'README.md': 'for everybody\n' });
  const canary = 'canary-of-the-host';
  for (const file of Object.values(secretFiles)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    if (file !== secretFiles.checkout) writeFileSync(join(folder, file), `${canary}\n`);
  }
  // As actions/checkout leaves it.
  execFileSync('git', ['config', 'http.https://github.com/.extraheader', `AUTHORIZATION: basic ${canary}`], {
    cwd: project,
  });
  const env = {
    HOME: join(folder, 'home'),
    CARGO_HOME: join(folder, 'home', 'cargo'),
    RUNNER_TEMP: join(folder, 'home/temp'),
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), '.rustup'),
    GITHUB_TOKEN: canary,
    // The default would be an empty one below the home folder: without virtme-ng, and with every kernel to fetch again.
    BPFGATE_CACHE: locateCache(),
  };
  const secrets = Object.values(secretFiles).map((file) => join(folder, file));
  return { folder, project, canary, env, secrets };
}

test('doctor reports the Landlock with which a run confines QEMU', async () => {
  const { stdout } = await bpfgate(['doctor']);
  expect(stdout).toMatch(isConfined ? /^ {2}ok +landlock +\d+, keeps QEMU from /m : /^ {2}absent +landlock /m);
});

describe.each(runners)('root in a guest of %s', (runner) => {
  needLandlock();

  test('reads the project and the tools, but no files with secrets', async () => {
    const { project, canary, env, secrets } = makeHost();
    const script = `cat README.md; test -s /etc/passwd && test -s /usr/bin/env && echo tools
for file in ${secrets.join(' ')}; do test -e $file && cat $file; done; exit 0`;
    const { code, stdout, stderr } = await inGuest(runner, script, { env, cwd: project });
    expect([code, stdout], stderr).toEqual([0, 'for everybody\ntools\n']);
    // The files are there but refused: the guest does not merely see another folder.
    for (const file of secrets) expect(stderr).toMatch(new RegExp(`cat: '?${file}'?: Permission denied`));
    expect(stderr).not.toContain(canary);
  });

  test("lists the host's processes below its own, and no environment in them", async () => {
    const { project, canary, env } = makeHost();
    // The host's /proc lies under the guest's own. Its files have no length, so only a direct read returns anything.
    // A process that ends while QEMU lists the folder makes the whole listing fail.
    const script = `umount -l /proc; test -d /proc/${process.pid} && echo the process of the test
for try in $(seq 100); do set -- /proc/[0-9]*; test -d "$1" && break; sleep 0.1; done
for process; do dd if=$process/environ iflag=direct bs=1M count=1; done; exit 0`;
    const { stdout, stderr } = await inGuest(runner, script, { env, cwd: project });
    expect(stdout, stderr).toBe('the process of the test\n');
    expect(stderr).toMatch(new RegExp(`/proc/${process.pid}/environ'?: Permission denied`));
    expect(stderr).not.toContain(canary);
    expect(stderr).not.toContain('records in');
  });

  test('writes nothing on the host, and does not find the run folder', async () => {
    const { folder, project, env } = makeHost();
    const script = `ls -A /mnt/vmtest; ls /proc/1/root/mnt/vmtest
mkdir /tmp/root && mount -t 9p -o trans=virtio,version=9p2000.L /dev/root /tmp/root && touch /tmp/root${folder}/mounted
mount -o remount,rw /lib/modules/$(uname -r); touch /lib/modules/$(uname -r)/written
touch ${folder}/data/overlaid; exit 0`;
    const before = readdirSync(join(folder, 'data'));
    const { code, stdout, stderr } = await inGuest(runner, script, { env, cwd: project });
    expect([code, stdout], stderr).toEqual([0, '']);
    expect(stderr).toMatch(/ls: .*\/proc\/1\/root.*Permission denied/);
    expect(readdirSync(join(folder, 'data'))).toEqual(before);
    expect(existsSync(join(folder, 'mounted'))).toBe(false);
  });
});

/** Tests that hold for both runners; the differences between these are tested above. */
describe('root in a guest', () => {
  needLandlock();

  test('reads what the operator allows, except secrets in it', async () => {
    const { folder, project, env } = makeHost();
    writeFileSync(join(folder, 'home', 'corpus'), 'data of a bench\n');
    const script = `cat ${folder}/home/corpus ${folder}/home/.ssh/id_ed25519; exit 0`;
    const named = { ...env, BPFGATE_GUEST_READ: join(folder, 'home') };
    const { stdout, stderr } = await inGuest('vmtest', script, { env: named, cwd: project });
    expect(stdout).toBe('data of a bench\n');
    expect(stderr).toContain('.ssh/id_ed25519: Permission denied');
  });

  test('has only a loopback network', async () => {
    const script = 'ls /sys/class/net; ls /sys/bus/pci/devices/*/net /sys/bus/virtio/devices/*/net 2>/dev/null; exit 0';
    expect((await inGuest('vmtest', script)).stdout).toBe('lo\n');
  });
});

describe('benches that are root in a guest', () => {
  const run = async (files: Readonly<Record<string, string>>) => {
    const project = join(realpathSync(temporaryFolder()), 'project');
    const names = Object.keys(files).map((file) => file.replace(/\.sh$/, ''));
    const benches = names.map((name) => `[[bench]]\nname = "${name}"\ncommand = "sh ./${name}.sh"\nformat = "bmf"\n`);
    commit(project, 'base', { ...files, 'bpfgate.toml': `[build]\ncommand = "true"\n${benches.join('')}` });
    commit(project, 'head', { 'README.md': 'no change that counts\n' });
    return await gate(project, '6.1');
  };

  test('cannot access the agent or its records, nor change what the next bench sees', async () => {
    const reach = `${reachTheAgent}; test ! -s /tmp/reached || { cat /tmp/reached >&2; exit 1; }; ${printing('reached', 1)}`;
    const find = `for file in ${changedFiles.join(' ')}; do
  test $(cat $file) = 0 || { echo $file >&2; exit 1; }
done
test $(date +%Y) -lt 2100 && test $(cat /proc/self/cgroup) = 0::/ || exit 1
python3 -c 'import ctypes; b = (ctypes.c_long * 64)(); ctypes.CDLL(None).adjtimex(b); exit(b[11] != 10000)' || exit 1
ls /tmp /run /dev/shm | grep left-here >&2 && exit 1; ${printing('found', 2)}`;
    const gated = await run({ 'a-reach.sh': reach, 'b-change.sh': changeTheGuest, 'c-find.sh': find });
    expect(gated.outcome.code, gated.outcome.stderr).toBe(0);
    const values = gated.results.measurements.map(({ revision, benchmark, value }) => [revision, benchmark, value]);
    expect(values.sort()).toEqual(
      ['base', 'head'].flatMap((revision) => [
        [revision, 'a-reach/reached', 1],
        [revision, 'b-change/changed', 3],
        [revision, 'c-find/found', 2],
      ]),
    );
    // Each change is reported, with the bench that made it.
    const warnings = gated.guestRuns.flatMap((each) => each.warnings);
    for (const revision of ['base', 'head']) {
      const own = warnings.filter((each) =>
        each.startsWith(`benchmark b-change, revision ${revision}, reading 1: it changed `),
      );
      expect(
        own.map((each) => /it changed (.*): restored, so that later counts are as before$/.exec(each)?.[1]),
      ).toEqual([
        ...changedFiles.map((file) => `${file} from "0" to "1"`),
        'the control group',
        "the clock's pace",
        'the time of day',
      ]);
    }
  });
});

/** Files that contain 0 in a guest that measures. */
const changedFiles = [
  '/proc/sys/net/core/bpf_jit_harden',
  '/proc/sys/kernel/bpf_stats_enabled',
  '/proc/sys/kernel/randomize_va_space',
];

const printing = (name: string, value: number) => `echo '{"${name}":{"latency":{"value":${value}}}}'`;

/** A script that lists in /tmp/reached what it could reach. */
const reachTheAgent = `: >/tmp/reached; exec 3>>/tmp/reached
try() { "$@" >/dev/null 2>&1 && echo "$*" >&3; }
agent=1
try sh -c 'ls -A /mnt/vmtest | grep .'
for run in /mnt/vmtest /proc/$agent/root/mnt/vmtest; do
  try sh -c "test -e $run/records.jsonl && echo '{}' >>$run/records.jsonl"
  try sh -c "echo 777 >$run/output/a-reach.base.1.stdout"
done
for folder in root cwd task/$agent/root; do try ls /proc/$agent/$folder/; done
try sh -c "for fd in /proc/$agent/fd/*; do readlink \\$fd; done | grep ."
try dd if=/proc/$agent/mem bs=1 count=0
try cat /proc/$agent/environ
try nsenter --mount --target $agent true
try sh -c 'umount -l /mnt/vmtest || umount -l /mnt; ls -A /mnt/vmtest | grep .'
for tag in vmtest-shared virtme.initmount0; do
  try mount -t 9p -o trans=virtio,version=9p2000.L $tag /media
done
for memory in /dev/mem /dev/port /proc/kcore; do try dd if=$memory bs=1 count=1; done
try sh -c 'ls /dev/vport* /dev/hvc*'
for call in 'ptrace 16, agent, 0, 0' 'pidfd_getfd libc.syscall(434, agent, 0), 3, 0'; do
  number=101; test "\${call%% *}" = ptrace || number=438
  try python3 -c "import ctypes; agent = $agent; libc = ctypes.CDLL(None); exit(libc.syscall($number, \${call#* }) < 0)"
done
# A program that the kernel starts by itself.
printf '#!/bin/sh\\nls /proc/%s/root/ /mnt/vmtest/* >>/tmp/reached 2>/dev/null\\n:>/tmp/started\\n' $agent >/tmp/helper
chmod 755 /tmp/helper; echo '|/tmp/helper' >/proc/sys/kernel/core_pattern
sh -c 'kill -SEGV $$' 2>/dev/null; for i in 1 2 3 4 5; do test -e /tmp/started || sleep 1; done
test -e /tmp/started || echo 'no helper was started' >&3
echo core >/proc/sys/kernel/core_pattern
# The key, where the host could have left it.
try grep -aqE '[0-9a-f]{64}' /proc/cmdline /proc/self/environ`;

const changeTheGuest = `for file in ${changedFiles.join(' ')}; do echo 1 >$file || exit 1; done
mkdir -p /sys/fs/cgroup/other && echo 1 >/sys/fs/cgroup/other/cgroup.procs || exit 1
python3 -c 'import ctypes; b = (ctypes.c_long * 64)(); b[0] = 0x4000; b[11] = 11000; exit(ctypes.CDLL(None).adjtimex(b) < 0)' || exit 1
date -s 2100-01-01 >/dev/null || exit 1
for folder in /tmp /run /dev/shm; do mkdir -p $folder/left-here && : >$folder/left-here/file; done
${printing('changed', 3)}`;

describe('a guest whose kernel was taken over by a bench', () => {
  /** Runs the gate on a bench that works for some seconds, and meanwhile a script in the run folders. */
  async function measure(script: string, { runner = 'vmtest', bench = '' } = {}): Promise<Outcome> {
    const folder = realpathSync(temporaryFolder());
    const project = join(folder, 'project');
    const work = `${bench}; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo '{}'`.replace(/^; /, '');
    const toml = `[build]\ncommand = "true"\n[[bench]]\nname = "rogue"\ncommand = ${JSON.stringify(work)}\nformat = "bmf"\n`;
    commit(project, 'base', { 'bpfgate.toml': toml });
    const args = ['--project', project, '--base', 'base', '--head', 'base', '--kernels', '6.1', '--runner', runner];
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    return await bpfgate(['run', ...args, '--out', join(folder, 'out')], {
      env: { NODE_OPTIONS: '--max-old-space-size=320', TMPDIR: temporary },
      interruptAt: /rogue, base, reading 1/,
      signal: 'none',
      onInterrupt: () => inRunFolders(temporary, script),
    });
  }

  test('cannot add a record, nor a million of them', async () => {
    const { code, stderr } = await measure(`yes '{"record":"warning","message":""}' | head -n 1000000 >>records.jsonl`);
    // If both write at once, a line can be half of each.
    expect(stderr).toMatch(
      /the guest's records were changed by what ran in it: records\.jsonl:\d+ is not as the agent wrote it|the guest agent left an unreadable records\.jsonl/,
    );
    expect(code).toBe(3);
  });

  test("a file that virtme-ng connects to a guest's port is detected", async () => {
    const port = '$(grep -lx virtme.ret /sys/class/virtio-ports/*/name | cut -d/ -f5)';
    const { code, stderr } = await measure('true', { runner: 'virtme-ng', bench: `cat /dev/zero >/dev/${port}` });
    expect(stderr).toContain('the guest of kernel 6.1 wrote more than 512 MiB to its run folder');
    expect(code).toBe(3);
  });

  test('records and a status of a terabyte are refused', async () => {
    const records = await measure('truncate -s 1T records.jsonl');
    // Depends on when the host looks: at a file of that length, or at the beginning of a line without end.
    expect(records.stderr).toMatch(
      /the guest left (records\.jsonl of more than 67108864 bytes|a record of more than 4194304 characters)/,
    );
    expect(records.code).toBe(3);
    // Renamed into place, because the host reads it as soon as it has that name.
    const status = await measure('truncate -s 1T s; mv s status.json');
    expect(status.stderr).toContain('the guest left status.json of more than 65536 bytes');
    expect(status.code).toBe(3);
  });
});

test('a program that never returns costs its own runs, and is named', async () => {
  const object = join(packageRoot, 'vm', 'agent', 'tests', 'fixtures', 'endless.bpf.o');
  const { code, stdout } = await bpfgate(['count', object, '--kernels', '6.1']);
  expect(code).toBe(0);
  for (const name of ['before', 'never_returns', 'after']) expect(stdout).toMatch(new RegExp(`endless/${name} +\\d`));
  expect(stdout).toMatch(/endless\/before +\d+ +XDP_PASS +all 16 inputs/);
  expect(stdout).toMatch(/endless\/after +\d+ +XDP_DROP +all 16 inputs/);
  expect(stdout).toContain('`endless/never_returns`: the kernel did not finish running it within 4 min');
});

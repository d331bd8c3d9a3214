// Attacks by root in a guest on the host, in real VMs.
// @module-tag hostile

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { locateCache } from '../../src/cache/cache.ts';
import { bpfgate, inRunFolders, leftovers, type Options, type Outcome, temporaryFolder } from './bpfgate.ts';
import { commit, gate } from './gated-project.ts';

/** Runs a script in a guest, with a temporary folder that has to be empty again at the end. */
async function inGuest(script: string, { env, ...options }: Options = {}): Promise<Outcome> {
  const folder = realpathSync(temporaryFolder());
  const args = ['exec', '--kernel', '6.1', '--', 'sh', '-c', script];
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
    // The default would be an empty one below the home folder: with every kernel to fetch again.
    BPFGATE_CACHE: locateCache(),
  };
  const secrets = Object.values(secretFiles).map((file) => join(folder, file));
  return { folder, project, canary, env, secrets };
}

describe('root in a guest', () => {
  needLandlock();

  test('reads the project and the tools, but no files with secrets', async () => {
    const { project, canary, env, secrets } = makeHost();
    const script = `cat README.md; test -s /etc/passwd && test -s /usr/bin/env && echo tools
for file in ${secrets.join(' ')}; do test -e $file && cat $file; done; exit 0`;
    const { code, stdout, stderr } = await inGuest(script, { env, cwd: project });
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
    const { stdout, stderr } = await inGuest(script, { env, cwd: project });
    expect(stdout, stderr).toBe('the process of the test\n');
    expect(stderr).toMatch(new RegExp(`/proc/${process.pid}/environ'?: Permission denied`));
    expect(stderr).not.toContain(canary);
    expect(stderr).not.toContain('records in');
  });

  test('writes nothing on the host, and does not come across the run folder', async () => {
    const { folder, project, env } = makeHost();
    const script = `ls -A /mnt/vmtest; mkdir /tmp/root && mount -t 9p -o trans=virtio,version=9p2000.L /dev/root /tmp/root && touch /tmp/root${folder}/mounted
mount -o remount,rw /lib/modules/$(uname -r); touch /lib/modules/$(uname -r)/written
touch ${folder}/data/overlaid; exit 0`;
    const before = readdirSync(join(folder, 'data'));
    const { code, stdout, stderr } = await inGuest(script, { env, cwd: project });
    expect([code, stdout], stderr).toEqual([0, '']);
    expect(readdirSync(join(folder, 'data'))).toEqual(before);
    expect(existsSync(join(folder, 'mounted'))).toBe(false);
  });

  test('reads what the operator allows, except secrets in it', async () => {
    const { folder, project, env } = makeHost();
    writeFileSync(join(folder, 'home', 'corpus'), 'data of a bench\n');
    const script = `cat ${folder}/home/corpus ${folder}/home/.ssh/id_ed25519; exit 0`;
    const named = { ...env, BPFGATE_GUEST_READ: join(folder, 'home') };
    const { stdout, stderr } = await inGuest(script, { env: named, cwd: project });
    expect(stdout).toBe('data of a bench\n');
    expect(stderr).toContain('.ssh/id_ed25519: Permission denied');
  });

  test('has only a loopback network', async () => {
    const script = 'ls /sys/class/net; ls /sys/bus/pci/devices/*/net /sys/bus/virtio/devices/*/net 2>/dev/null; exit 0';
    expect((await inGuest(script)).stdout).toBe('lo\n');
  });
});

/** Runs the gate on scripts that are benches of the same name. */
async function gateBenches(base: Readonly<Record<string, string>>, head: Readonly<Record<string, string>>) {
  const project = join(realpathSync(temporaryFolder()), 'project');
  const names = Object.keys(base).map((file) => file.replace(/\.sh$/, ''));
  const benches = names.map((name) => `[[bench]]\nname = "${name}"\ncommand = "sh ./${name}.sh"\nformat = "bmf"\n`);
  commit(project, 'base', { ...base, 'bpfgate.toml': `[build]\ncommand = "true"\n${benches.join('')}` });
  commit(project, 'head', head);
  const gated = await gate(project, '6.1');
  const values = gated.results.measurements.map(({ revision, benchmark, value }) => [revision, benchmark, value]);
  return { ...gated, values: values.toSorted() };
}

const printing = (name: string, value: number) => `{"${name}":{"latency":{"value":${value}}}}`;

test('a bench finds no files and settings that another has left', async () => {
  const setting = '/proc/sys/net/core/bpf_jit_harden';
  const leave = `echo 1 >${setting} || exit 1
for folder in /tmp /run /dev/shm; do mkdir -p $folder/left-here && : >$folder/left-here/file; done
echo '${printing('left', 3)}'`;
  const find = `test $(cat ${setting}) = 0 || exit 1
ls /tmp /run /dev/shm | grep left-here >&2 && exit 1; echo '${printing('found', 2)}'`;
  const { outcome, values, guestRuns } = await gateBenches(
    { 'a-leave.sh': leave, 'b-find.sh': find },
    { 'README.md': 'no change that counts\n' },
  );
  expect(outcome.code, outcome.stderr).toBe(0);
  expect(values).toEqual(
    ['base', 'head'].flatMap((revision) => [
      [revision, 'a-leave/left', 3],
      [revision, 'b-find/found', 2],
    ]),
  );
  const reason = `it changed ${setting} from "0" to "1": restored, so that later counts are as before`;
  const warnings = guestRuns.flatMap((each) => each.warnings);
  for (const revision of ['base', 'head']) {
    expect(warnings).toContainEqual({ about: ['a-leave'], bench: 'a-leave', revision, reason });
  }
});

test("a bench that forges all of its guest's records speaks for its own revision only", async () => {
  const lines = (own: string) => `{"record":"bench","bench":"b","revision":"${own}","reading":1,"exit_code":0,\
"signal":null,"duration_ns":1}\n{"record":"converged","bench":"b","readings":1,"converged":true}`;
  // The agent has the run folder open.
  const forge = `for fd in /proc/1/fd/*; do test -e $fd/records.jsonl && cd $fd && break; done
echo '${printing('own', 7)}' >output/b.1.stdout; : >output/b.1.stderr
grep -E '"record":"(guest|calibration)"' records.jsonl >forged; cat >>forged <<'END'
{"record":"warning","bench":"b","revision":"base","message":"base is slow"}
${lines('base')}
END
mv forged records.jsonl; echo '{"outcome":"measured"}' >forged; mv forged status.json; while :; do :; done`;
  const { outcome, values, guestRuns } = await gateBenches(
    { 'b.sh': `echo '${printing('own', 1)}'` },
    { 'b.sh': forge },
  );
  expect(values, outcome.stderr).toEqual([
    ['base', 'b/own', 1],
    ['head', 'b/own', 7],
  ]);
  const warnings = guestRuns.flatMap((each) => each.warnings);
  const forged = warnings.filter(({ reason }) => reason === 'base is slow');
  expect(new Set(forged.map(({ revision }) => revision))).toEqual(new Set(['head']));
});

describe('a guest that writes to its run folder without the agent', () => {
  /** Runs the gate on a bench that works for some seconds, and meanwhile a script in the run folders. */
  async function measure(script: string): Promise<Outcome> {
    const folder = realpathSync(temporaryFolder());
    const project = join(folder, 'project');
    const work = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo '{}'";
    const toml = `[build]\ncommand = "true"\n[[bench]]\nname = "rogue"\ncommand = ${JSON.stringify(work)}\nformat = "bmf"\n`;
    commit(project, 'base', { 'bpfgate.toml': toml });
    const args = ['--project', project, '--base', 'base', '--head', 'base', '--kernels', '6.1'];
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    return await bpfgate(['run', ...args, '--out', join(folder, 'out')], {
      env: { NODE_OPTIONS: '--max-old-space-size=320', TMPDIR: temporary },
      interruptAt: /rogue, base, reading 1/,
      signal: 'none',
      onInterrupt: () => inRunFolders(temporary, script),
    });
  }

  test('cannot leave a million records', async () => {
    const { code, stderr } = await measure(`yes '{"record":"warning","message":""}' | head -n 1000000 >>records.jsonl`);
    // If both write at once, a line can be half of each.
    expect(stderr).toMatch(/the guest left more than 200000 records|the guest agent left an unreadable records\.jsonl/);
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
  expect(stdout).toContain('endless/never_returns: did not run: the kernel did not finish running it within 4 min');
});

// What root in a guest tries against the host, in real VMs of both runners.
// @module-tag hostile

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { locateCache } from '../../src/cache/cache.ts';
import { runners } from '../../src/inputs/inputs.ts';
import { bpfgate, leftovers, type Options, type Outcome, temporaryFolder } from './bpfgate.ts';
import { commit } from './gated-project.ts';

/** Runs a script in a guest, with a temporary folder that has to be empty again at the end. */
async function inGuest(runner: string, script: string, { env, ...options }: Options = {}): Promise<Outcome> {
  const folder = realpathSync(temporaryFolder());
  const args = ['exec', '--kernel', '6.1', '--runner', runner, '--', 'sh', '-c', script];
  const outcome = await bpfgate(args, { ...options, env: { ...env, TMPDIR: folder } });
  expect(leftovers(folder)).toEqual([]);
  return outcome;
}

/** Where a home folder, a checkout and a runner keep what is secret; each below one folder. */
const secretFiles = {
  ...{ netrc: 'home/.netrc', git: 'home/.git-credentials', gitconfig: 'home/.gitconfig', ssh: 'home/.ssh/id_ed25519' },
  ...{ gh: 'home/.config/gh/hosts.yml', aws: 'home/.aws/credentials', docker: 'home/.docker/config.json' },
  ...{ npm: 'home/.npmrc', cargo: 'home/cargo/credentials.toml', checkout: 'project/.git/config' },
  ...{ nested: 'project/third-party/clone/.git/config', commands: 'home/temp/_runner_file_commands/set_env_1' },
  ...{ runner: 'home/actions-runner/.credentials', unknown: 'home/.config/some-tool/token', elsewhere: 'data/key' },
};

let isConfined = true;

beforeAll(async () => {
  const { stderr } = await bpfgate(['exec', '--kernel', '6.1', '--', 'true']);
  isConfined = !stderr.includes('has no Landlock');
});

/** Without Landlock a guest reads what its user can, which the threat model accepts and a run warns of. */
function needLandlock(): void {
  beforeEach(({ skip }) => {
    if (!isConfined) skip('the kernel of this machine has no Landlock');
  });
}

/** A home folder, a repository and all of those files, each with one word that is nowhere else. */
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
    ...{
      HOME: join(folder, 'home'),
      CARGO_HOME: join(folder, 'home', 'cargo'),
      RUNNER_TEMP: join(folder, 'home/temp'),
    },
    ...{ RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), '.rustup'), GITHUB_TOKEN: canary },
    // Else it would be an empty one, below the home folder: without virtme-ng, and with every kernel to fetch again.
    BPFGATE_CACHE: locateCache(),
  };
  const secrets = Object.values(secretFiles).map((file) => join(folder, file));
  return { folder, project, canary, env, secrets };
}

test('doctor finds the Landlock by which a run confines QEMU', async () => {
  const { stdout } = await bpfgate(['doctor']);
  expect(stdout).toMatch(isConfined ? /^ {2}ok +landlock +\d+, keeps QEMU from /m : /^ {2}absent +landlock /m);
});

describe.each(runners)('root in a guest of %s', (runner) => {
  needLandlock();

  test('reads the project and the tools, and none of the files that hold secrets', async () => {
    const { project, canary, env, secrets } = makeHost();
    const script = `cat README.md; test -s /etc/passwd && test -s /usr/bin/env && echo tools
for file in ${secrets.join(' ')}; do test -e $file && cat $file; done; exit 0`;
    const { code, stdout, stderr } = await inGuest(runner, script, { env, cwd: project });
    expect([code, stdout], stderr).toEqual([0, 'for everybody\ntools\n']);
    // That they are there and refused is what keeps them, not that a guest sees another folder.
    for (const file of secrets) expect(stderr).toMatch(new RegExp(`cat: '?${file}'?: Permission denied`));
    expect(stderr).not.toContain(canary);
  });

  test('finds the processes of the host below its own, and no environment in them', async () => {
    const { project, canary, env } = makeHost();
    // Under the guest's own /proc lies the host's. Its files have no length, so that only a direct read gives anything.
    const script = `umount -l /proc; test -d /proc/${process.pid} && echo the process of the test
for process in /proc/[0-9]*; do dd if=$process/environ iflag=direct bs=1M count=1; done; exit 0`;
    const { stdout, stderr } = await inGuest(runner, script, { env, cwd: project });
    expect(stdout, stderr).toBe('the process of the test\n');
    expect(stderr).toMatch(new RegExp(`/proc/${process.pid}/environ'?: Permission denied`));
    expect(stderr).not.toContain(canary);
    expect(stderr).not.toContain('records in');
  });

  test('writes nothing outside the run folder, and there neither a device nor by a link', async () => {
    const { folder, project, env } = makeHost();
    const script = `run=$(grep -o '/mnt/vmtest' /proc/1/mounts | head -1); run=/proc/1/root$run
touch $run/written && echo run folder
ln -s ${folder}/data $run/link && touch $run/link/by-a-link
mknod $run/device b 8 0
mkdir /tmp/root && mount -t 9p -o trans=virtio,version=9p2000.L /dev/root /tmp/root && touch /tmp/root${folder}/mounted
mount -o remount,rw /lib/modules/$(uname -r); touch /lib/modules/$(uname -r)/written
touch ${folder}/data/overlaid; exit 0`;
    const before = readdirSync(join(folder, 'data'));
    const { code, stdout, stderr } = await inGuest(runner, script, { env, cwd: project });
    expect([code, stdout], stderr).toEqual([0, 'run folder\n']);
    expect(stderr).toMatch(/mknod: .*(Permission denied|not permitted)/);
    expect(readdirSync(join(folder, 'data'))).toEqual(before);
    expect(existsSync(join(folder, 'mounted'))).toBe(false);
  });
});

/** The same for both runners: what differs between those is above. */
describe('root in a guest', () => {
  needLandlock();

  test('reads what the operator names, and no more of the secrets in it', async () => {
    const { folder, project, env } = makeHost();
    writeFileSync(join(folder, 'home', 'corpus'), 'data of a bench\n');
    const script = `cat ${folder}/home/corpus ${folder}/home/.ssh/id_ed25519; exit 0`;
    const named = { ...env, BPFGATE_GUEST_READ: join(folder, 'home') };
    const { stdout, stderr } = await inGuest('vmtest', script, { env: named, cwd: project });
    expect(stdout).toBe('data of a bench\n');
    expect(stderr).toContain('.ssh/id_ed25519: Permission denied');
  });

  test('has no network but its own loopback', async () => {
    const script = 'ls /sys/class/net; ls /sys/bus/pci/devices/*/net /sys/bus/virtio/devices/*/net 2>/dev/null; exit 0';
    expect((await inGuest('vmtest', script)).stdout).toBe('lo\n');
  });
});

describe('a guest that leaves more than anybody reads', () => {
  /** Runs the gate on a bench that writes into the agent's run folder, with little memory for all of bpfgate. */
  async function measure(script: string, runner: string = 'vmtest'): Promise<Outcome> {
    const project = join(realpathSync(temporaryFolder()), 'project');
    // In the first of its readings.
    const bench = `run=/proc/1/root/mnt/vmtest; test -e $run/done || { ${script}; }; touch $run/done; sleep 1; echo '{}'`;
    const toml = `[build]\ncommand = "true"\n[[bench]]\nname = "rogue"\ncommand = ${JSON.stringify(bench)}\nformat = "bmf"\n`;
    commit(project, 'base', { 'bpfgate.toml': toml });
    const args = ['--project', project, '--base', 'base', '--head', 'base', '--kernels', '6.1', '--runner', runner];
    const env = { NODE_OPTIONS: '--max-old-space-size=320' };
    return await bpfgate(['run', ...args, '--out', join(project, '..', 'out')], { env });
  }

  test('a million records are refused', async () => {
    const line = '{"record":"warning","message":""}';
    const { code, stderr } = await measure(`yes '${line}' | head -n 1000000 >>$run/records.jsonl`);
    expect(stderr).toContain('the guest left more than 200000 records');
    expect(code).toBe(3);
  });

  test('records that hold more than a boot comes to are refused, though each is one', async () => {
    const program = {
      ...{
        record: 'program',
        bench: 'rogue',
        revision: 'base',
        reading: 1,
        ordinal: 0,
        id: 1,
        name: 'x',
        prog_type: 'xdp',
      },
      ...{
        tag: '',
        run_cnt: 1,
        run_time_ns: 1,
        recursion_misses: 0,
        verified_insns: 1,
        xlated_bytes: 1,
        jited_bytes: 1,
      },
      ...{ source: null, lines: [{ file: '', counts: ['@'] }], warning: null },
    };
    const [before, after] = JSON.stringify(program).split('"@"');
    const line = `$(yes '[1,1],' | head -n 19999 | tr -d '\\n')[1,1]`;
    const { code, stderr } = await measure(
      `line='${before}'"${line}"'${after}'; yes "$line" | head -n 500 >>$run/records.jsonl`,
    );
    expect(stderr).toContain('the guest left records of more than 3000000 lists and objects');
    expect(code).toBe(3);
  });

  const tooMuch = 'the guest of kernel 6.1 wrote more than 512 MiB to its run folder';

  test.each(runners)('a file that it has deleted and writes to is found, under %s', async (runner) => {
    const { code, stderr } = await measure('exec 3>$run/x; rm $run/x; cat /dev/zero >&3', runner);
    expect(stderr).toContain(tooMuch);
    expect(code).toBe(3);
  });

  test('a file that virtme-ng gives the guest a port to is found', async () => {
    const port = '$(grep -lx virtme.ret /sys/class/virtio-ports/*/name | cut -d/ -f5)';
    const { code, stderr } = await measure(`cat /dev/zero >/proc/1/root/dev/${port}`, 'virtme-ng');
    expect(stderr).toContain(tooMuch);
    expect(code).toBe(3);
  });

  test('records, a status and an output of a terabyte are refused', async () => {
    const records = await measure('truncate -s 1T $run/records.jsonl');
    // As it was when somebody looked: a file of that length, or the beginning of a line that has no end.
    expect(records.stderr).toMatch(
      /the guest left (records\.jsonl of more than 67108864 bytes|a record of more than 4194304 characters)/,
    );
    expect(records.code).toBe(3);
    // By a rename: the host reads it as soon as it has that name.
    const status = await measure('truncate -s 1T $run/s; mv $run/s $run/status.json; while :; do :; done');
    expect(status.stderr).toContain('the guest left status.json of more than 65536 bytes');
    expect(status.code).toBe(3);
    const output = await measure('for k in 0 1 2 3; do truncate -s 1T $run/output/rogue.base.$k.stdout; done');
    expect(output.stderr).toContain('bench `rogue` printed more than 8 MiB to stdout on base, kernel 6.1, reading 1');
    expect(output.code).toBe(4);
  });
});

// `bpfgate exec` in real VMs: exit codes, the protected host, time limits, and nothing left behind.

import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  bpfgate,
  cleanUpKilled,
  inRunFolders,
  leftovers,
  type Options,
  type Outcome,
  programsOf,
  temporaryFolder,
} from './bpfgate.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(temporaryFolder());
});

/** Runs bpfgate with its own temporary folder, which must be empty again at the end. */
async function exec(args: readonly string[], options: Options = {}): Promise<Outcome> {
  const env = { ...options.env, TMPDIR: folder };
  const outcome = await bpfgate(['exec', '--kernel', '6.1', ...args], { ...options, env });
  expect(leftovers(folder)).toEqual([]);
  return outcome;
}

describe('bpfgate exec', () => {
  test("passes on the command's output and exit code, from the pinned kernel", async () => {
    const command = 'uname -r; echo to-stderr >&2; test -e package.json && modprobe veth && exit 7';
    const { code, stdout, stderr } = await exec(['--', 'sh', '-c', command]);
    expect([code, stdout]).toEqual([7, '6.1.0-50-amd64\n']);
    expect(stderr).toContain('to-stderr\n');
  });

  test('mounts bpffs without modprobe, and the kernel can still load a module on demand', async () => {
    const script = 'stat --file-system --format %T /sys/fs/bpf; cat /proc/sys/kernel/modprobe';
    const { code, stdout } = await exec(['--', 'sh', '-c', script]);
    expect([code, stdout]).toEqual([0, 'bpf_fs\n/sbin/modprobe\n']);
  });

  test("runs commands through sudo, also by the host's path, and does not change the host's sudo", async () => {
    const before = existsSync('/usr/bin/sudo') ? lstatSync('/usr/bin/sudo').ino : null;
    const script = `sudo -v && sudo -nE OTHER=1 sh -c 'id -u; echo $KEPT $OTHER $TMPDIR'
env A-B=2 /usr/bin/sudo -Eu root -- env | grep A-B; sudo -u nobody id; sudo no-such-command; echo $?; sudo sh -c 'exit 7'`;
    const { code, stdout, stderr } = await exec(['--', 'sh', '-c', `KEPT="a b"; export KEPT; ${script}`]);
    expect([code, stdout], stderr).toEqual([7, '0\na b 1 /tmp\nA-B=2\n1\n']);
    expect(stderr).toContain("sudo: -u: in bpfgate's guest sudo only runs a command, as root");
    expect(stderr).toContain('sudo: no-such-command: command not found');
    expect(existsSync('/usr/bin/sudo') ? lstatSync('/usr/bin/sudo').ino : null).toBe(before);
  });

  test('exits with 127 and a message for a missing command', async () => {
    const { code, stderr } = await exec(['--', 'no-such-command']);
    expect(code).toBe(127);
    expect(stderr).toMatch(/cannot run `no-such-command`/);
  });

  test('exits with 137 for a command that deletes the whole root and kills itself, and the host loses nothing', async () => {
    const precious = temporaryFolder();
    writeFileSync(join(precious, 'file'), 'still here');
    // Ten seconds of deleting reach only part of the root; all of it would take ten minutes.
    const command = `rm -rf ${precious} /etc && test ! -e ${precious} && timeout 10 rm -rf --no-preserve-root / 2>/dev/null; kill -9 $$`;
    const { code } = await exec(['--', 'sh', '-c', command]);
    expect(code).toBe(137);
    expect(readFileSync(join(precious, 'file'), 'utf8')).toBe('still here');
    expect(existsSync('/etc/passwd')).toBe(true);
  });

  test("QEMU refuses writes of root in the guest, also after a writable remount of the host's files", async () => {
    // The one mount of the export that is not behind an overlay.
    // Forces mount(2): the newer calls, which util-linux 2.39 and newer prefer, do not change a 9p mount.
    const script = `m=/lib/modules/$(uname -r)
export LIBMOUNT_FORCE_MOUNT2=always
mount -o remount,rw $m && mount -o remount,rw,bind $m && grep -c ' 9p /dev/root rw,' /proc/self/mountinfo
touch $m/written-by-a-test; echo $?`;
    const { code, stdout, stderr } = await exec(['--', 'sh', '-c', script]);
    expect([code, stdout]).toEqual([0, '1\n1\n']);
    expect(stderr).toMatch(/written-by-a-test.*Read-only file system/);
  });

  test('gives the guest only a loopback network', async () => {
    const script = 'ls /sys/class/net; ls /sys/bus/pci/devices/*/net /sys/bus/virtio/devices/*/net 2>/dev/null; exit 0';
    const { code, stdout } = await exec(['--', 'sh', '-c', script]);
    expect([code, stdout]).toEqual([0, 'lo\n']);
  });

  test('hides variables that are not allowed, and works in a folder below the temporary folder', async () => {
    const cwd = join(temporaryFolder(), 'below');
    mkdirSync(cwd);
    const env = { GITHUB_TOKEN: 'hunter2', 'INPUT_GITHUB-TOKEN': 'hunter2', CARGO_REGISTRY_TOKEN: 'hunter2' };
    const { code, stdout } = await exec(['--', 'sh', '-c', 'pwd; env'], { env, cwd });
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe(cwd);
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toContain('hunter2');
  });

  test('with --icount, idle time passes at once, and work takes the same number of instructions', async () => {
    // Under any other clock this would take twenty minutes.
    const script = 'cut -d. -f1 /proc/uptime; sleep 1200; cut -d. -f1 /proc/uptime';
    const { code, stdout } = await exec(['--icount', '--timeout', '120', '--', 'sh', '-c', script]);
    expect(code).toBe(0);
    const [before, after] = stdout.trim().split('\n').map(Number);
    expect((after ?? 0) - (before ?? 0)).toBeGreaterThanOrEqual(1200);
  });

  test('ends a hanging guest at its time limit, with the last console lines', async () => {
    const { code, stderr } = await exec(['--timeout', '12', '--', 'sleep', 'infinity']);
    expect(code).toBe(3);
    expect(stderr).toContain('the guest of kernel 6.1 did not finish within its 12 s and was ended');
    expect(stderr).toMatch(/last console lines:\n {4}\S/);
  });

  test('ends a guest with a sparse output of a terabyte, and prints nothing of it', async () => {
    const { code, stdout, stderr } = await exec(['--', 'sh', '-c', 'echo it is up >&2; sleep infinity'], {
      env: { TMPDIR: folder },
      interruptAt: /it is up/,
      signal: 'none',
      onInterrupt: () => inRunFolders(folder, 'truncate -s 1T stdout'),
    });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('the command printed more than 1024 MiB to stdout');
  });

  test('ends a guest on SIGINT and exits with 130', async () => {
    const { code, stderr } = await exec(['--', 'sleep', 'infinity'], {
      interruptAt: /booting 6\.1/,
    });
    expect(code).toBe(130);
    expect(stderr).toContain('interrupted');
  });

  test('leaves no guest behind when it is killed', async () => {
    const seen: string[][] = [];
    const ended = await bpfgate(['exec', '--kernel', '6.1', '--', 'sh', '-c', 'echo it is up >&2; sleep infinity'], {
      env: { TMPDIR: folder },
      interruptAt: /it is up/,
      signal: 'SIGKILL',
      onInterrupt: () => seen.push(programsOf(folder)),
    });
    expect(ended.code).toBeNull();
    expect(seen.flat().join()).toMatch(/qemu/);
    await cleanUpKilled(folder);
  });

  test("reports a guest's panic", async () => {
    const { code, stderr } = await exec(['--', 'sh', '-c', 'echo c > /proc/sysrq-trigger']);
    expect(code).toBe(3);
    expect(stderr).toContain('the guest of kernel 6.1 panicked');
    expect(stderr).toMatch(/sysrq|Kernel panic/i);
  });
});

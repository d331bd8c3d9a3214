// `bpfgate exec` in real VMs: exit codes, the protected host, time limits, and nothing left behind.

import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { bpfgate, leftovers, type Options, type Outcome, temporaryFolder } from './bpfgate.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(temporaryFolder());
});

/** Runs bpfgate with a temporary folder of its own, which has to be empty again at the end. */
async function exec(args: readonly string[], options: Options = {}): Promise<Outcome> {
  const env = { ...options.env, TMPDIR: folder };
  const outcome = await bpfgate(['exec', '--kernel', '6.1', ...args], { ...options, env });
  expect(leftovers(folder)).toEqual([]);
  return outcome;
}

describe('bpfgate exec', () => {
  test("passes the command's output and exit code on, from the pinned kernel", async () => {
    const command = 'uname -r; echo to-stderr >&2; test -e package.json && modprobe veth && exit 7';
    const { code, stdout, stderr } = await exec(['--', 'sh', '-c', command]);
    expect([code, stdout]).toEqual([7, '6.1.0-50-amd64\n']);
    expect(stderr).toContain('to-stderr\n');
  });

  test('gives 127 for a command that does not exist', async () => {
    expect((await exec(['--', 'no-such-command'])).code).toBe(127);
  });

  test('gives 137 for a command killed by SIGKILL that deletes the whole root before, and the host loses nothing', async () => {
    const precious = temporaryFolder();
    writeFileSync(join(precious, 'file'), 'still here');
    // Ten seconds of deleting reach a part of the root; all of it takes ten minutes.
    const command = `rm -rf ${precious} /etc && test ! -e ${precious} && timeout 10 rm -rf --no-preserve-root / 2>/dev/null; kill -9 $$`;
    const { code } = await exec(['--', 'sh', '-c', command]);
    expect(code).toBe(137);
    expect(readFileSync(join(precious, 'file'), 'utf8')).toBe('still here');
    expect(existsSync('/etc/passwd')).toBe(true);
  });

  test('hides the environment beyond the allowed part, and works in a folder below the temporary folder', async () => {
    const cwd = join(temporaryFolder(), 'below');
    mkdirSync(cwd);
    const env = { GITHUB_TOKEN: 'hunter2', 'INPUT_GITHUB-TOKEN': 'hunter2', CARGO_REGISTRY_TOKEN: 'hunter2' };
    const { code, stdout } = await exec(['--', 'sh', '-c', 'pwd; env'], { env, cwd });
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe(cwd);
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toContain('hunter2');
  });

  test('--icount is the machine that counts: idle time passes at once, and work takes as many instructions', async () => {
    // Under any other clock this would take an hour.
    const script = 'cut -d. -f1 /proc/uptime; sleep 3600; cut -d. -f1 /proc/uptime';
    const { code, stdout } = await exec(['--icount', '--timeout', '120', '--', 'sh', '-c', script]);
    expect(code).toBe(0);
    const [before, after] = stdout.trim().split('\n').map(Number);
    expect((after ?? 0) - (before ?? 0)).toBeGreaterThanOrEqual(3600);
  });

  test('ends a guest that hangs at its time limit, with the last console lines', async () => {
    const { code, stderr } = await exec(['--timeout', '12', '--', 'sleep', 'infinity']);
    expect(code).toBe(3);
    expect(stderr).toContain('the guest of kernel 6.1 did not finish within its 12 s and was ended');
    expect(stderr).toMatch(/last console lines:\n {4}\S/);
  });

  test('ends a guest on SIGINT and exits with 130', async () => {
    const { code, stderr } = await exec(['--', 'sleep', 'infinity'], {
      interruptAt: /booting 6\.1/,
    });
    expect(code).toBe(130);
    expect(stderr).toContain('interrupted');
  });

  test('says so when the guest panics', async () => {
    const { code, stderr } = await exec(['--', 'sh', '-c', 'echo c > /proc/sysrq-trigger']);
    expect(code).toBe(3);
    expect(stderr).toContain('the guest of kernel 6.1 panicked');
    expect(stderr).toMatch(/sysrq|Kernel panic/i);
  });
});

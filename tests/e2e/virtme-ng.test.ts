// The second runner in real VMs: the same guest, and nothing left behind. gate.test.ts checks that it counts the same.

import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bpfgate, leftovers, type Options, type Outcome, temporaryFolder } from './bpfgate.ts';

/** Runs bpfgate with its own temporary folder, which must be empty again at the end. */
async function exec(args: readonly string[], options: Options = {}): Promise<Outcome> {
  const folder = realpathSync(temporaryFolder());
  const outcome = await bpfgate(['exec', '--kernel', '6.1', '--runner', 'virtme-ng', ...args], {
    ...options,
    env: { TMPDIR: folder },
  });
  expect(leftovers(folder)).toEqual([]);
  return outcome;
}

describe('bpfgate exec --runner virtme-ng', () => {
  test("passes on output and exit code, and the guest's deletions and writes do not reach the host", async () => {
    const precious = temporaryFolder();
    writeFileSync(join(precious, 'file'), 'still here');
    const command = `sudo -nE uname -r; rm ${precious}/file && echo x >${precious}/new && rm -r /etc/passwd /etc/apt && modprobe veth && exit 7`;
    const { code, stdout, stderr } = await exec(['--timing', '--', 'sh', '-c', command]);
    expect([code, stdout]).toEqual([7, '6.1.0-50-amd64\n']);
    expect(readFileSync(join(precious, 'file'), 'utf8')).toBe('still here');
    expect([existsSync(join(precious, 'new')), existsSync('/etc/passwd')]).toEqual([false, true]);
    for (const stage of ['firmware', 'kernel', 'initramfs', 'init', 'agent', 'command']) {
      expect(stderr).toMatch(new RegExp(`^ {2}${stage} +\\d`, 'm'));
    }
  });

  test('ends a hanging guest at its time limit', async () => {
    const { code, stderr } = await exec(['--timeout', '15', '--', 'sleep', 'infinity']);
    expect(code).toBe(3);
    expect(stderr).toContain('the guest of kernel 6.1 did not finish within its 15 s and was ended');
  });

  test('ends a guest on SIGINT and exits with 130', async () => {
    const command = 'echo it is up >&2; sleep infinity';
    expect((await exec(['--', 'sh', '-c', command], { interruptAt: /it is up/ })).code).toBe(130);
  });

  test("reports a guest's panic", async () => {
    const { code, stderr } = await exec(['--', 'sh', '-c', 'echo c > /proc/sysrq-trigger']);
    expect(code).toBe(3);
    expect(stderr).toContain('the guest of kernel 6.1 panicked');
  });
});

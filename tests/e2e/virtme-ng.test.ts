// The second runner in real VMs: it starts the same machine, and leaves nothing. gate.test.ts checks that it counts the same.

import { realpathSync } from 'node:fs';
import { expect, test } from 'vitest';
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

test('virtme-ng boots a guest, which passes on output and exit code', async () => {
  const { code, stdout, stderr } = await exec(['--no-snapshot', '--timing', '--', 'sh', '-c', 'uname -r; exit 7']);
  expect([code, stdout]).toEqual([7, '6.1.0-50-amd64\n']);
  for (const stage of ['firmware', 'kernel', 'initramfs', 'init', 'agent', 'command']) {
    expect(stderr).toMatch(new RegExp(`^ {2}${stage} +\\d`, 'm'));
  }
});

test('a guest of virtme-ng is ended on SIGINT', async () => {
  const command = 'echo it is up >&2; sleep infinity';
  expect((await exec(['--', 'sh', '-c', command], { interruptAt: /it is up/ })).code).toBe(130);
});

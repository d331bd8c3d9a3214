// Probe overhead: runs one command in one guest, on a machine of the caller's choice, and returns its output.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTemporaryFolder } from '../../src/adapters/temporary-folder.ts';
import { guestEnvironment } from '../../src/build/environment.ts';
import { BenchError } from '../../src/common/errors.ts';
import { parseStatus } from '../../src/vm/records.ts';
import { snapshotOf } from '../../src/vm/snapshot.ts';
import { runBoot } from '../../src/vm/start.ts';
import { startVmtest } from '../../src/vm/vmtest.ts';
import type { PreparedBoot } from '../boot/subjects.ts';
import type { Host } from '../host.ts';

export interface GuestOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * @throws BenchError when the command failed; with its last line of output
 * @throws VmError when the guest did not run it
 */
export async function runInGuest(host: Host, boot: PreparedBoot, argv: readonly string[]): Promise<GuestOutput> {
  return await withTemporaryFolder(join(host.folder, 'run-'), async (runFolder) => {
    const plan = { mode: 'exec', argv, cwd: '/', env: guestEnvironment(host.environment) };
    await writeFile(join(runFolder, 'plan.json'), JSON.stringify(plan));
    const readable = boot.readable === null ? null : [...boot.readable, ...argv.slice(0, 1)];
    const whole = { ...boot, readable, runFolder };
    const end = await runBoot(whole, startVmtest, await snapshotOf(whole, host.cache, host.versions), host.log);
    const read = (name: string) => readFile(join(runFolder, name), 'utf8');
    const output = { stdout: await read('stdout'), stderr: await read('stderr') };
    const status = parseStatus(end.status);
    if (status.outcome !== 'exited' || status.exit_code !== 0) {
      const last = output.stderr.trim().split('\n').at(-1) ?? '';
      throw new BenchError(last === '' ? `the bench ended: ${JSON.stringify(status)}` : last);
    }
    return output;
  });
}

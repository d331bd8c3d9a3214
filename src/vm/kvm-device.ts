// Guest: checks whether this user can open KVM's device, and opens it. Hosted runners close it to the user that runs
// jobs.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { run } from '../adapters/process.ts';
import type { GuestContext } from './guest.ts';

export const kvmDevice = '/dev/kvm';

export type KvmAccess = 'open' | 'closed' | 'absent';

/** The command to type. It lasts until the machine's next start and changes no settings, unlike a udev rule. */
export function describeOpening(device = kvmDevice): string {
  return `sudo chmod 0666 ${device}`;
}

/** Whether this user can open the device. `chooseAccelerator` finds out whether a guest boots under KVM. */
export async function kvmAccess(device = kvmDevice): Promise<KvmAccess> {
  try {
    await access(device, constants.R_OK | constants.W_OK);
    return 'open';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'closed';
  }
}

/**
 * Opens the device to every user of this machine, with a sudo that asks for no password. Where that fails, guests are
 * emulated as before. Only callers that prepare a machine may use this: the action, `doctor --install`.
 */
export async function openKvm(
  { log, environment, signal }: Pick<GuestContext, 'log' | 'environment' | 'signal'>,
  device = kvmDevice,
): Promise<void> {
  if ((await kvmAccess(device)) !== 'closed') return;
  if (!(await stat(device)).isCharacterDevice()) return;
  const { stderr } = await run('sudo', ['-n', 'chmod', '0666', device], {
    env: environment,
    signal,
    timeoutMs: 30_000,
  }).catch((error: Error) => {
    signal?.throwIfAborted();
    return { stderr: error.message };
  });
  if ((await kvmAccess(device)) === 'open') {
    log.progress(`opened ${device} until this machine's next start: ${describeOpening(device)}`);
  } else {
    const why = stderr.trim().split('\n')[0];
    log.progress(
      `${device} stays closed, so guests are emulated: \`${describeOpening(device)}\`: ${why || 'no effect'}`,
    );
  }
}

// Chooses KVM only where a pinned kernel has really booted under it; /dev/kvm that opens proves nothing.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { run } from '../adapters/process.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
import type { Initramfs } from './initramfs.ts';

export interface AcceleratorChoice {
  readonly accelerator: 'kvm' | 'tcg';
  /** Why not KVM; null under KVM. */
  readonly reason: string | null;
}

/** Time in which a kernel under KVM has long reached its first process, nested virtualisation included. */
const probeDeadlineMs = 15_000;

/**
 * Boots the kernel under KVM to its initramfs, with a deadline.
 *
 * @returns `kvm` when the guest said that it had booted, else `tcg` with what went wrong
 */
export async function chooseAccelerator(
  kernel: CachedKernel,
  initramfs: Initramfs,
  qemu: string,
  signal?: AbortSignal,
): Promise<AcceleratorChoice> {
  try {
    await access('/dev/kvm', constants.R_OK | constants.W_OK);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { accelerator: 'tcg', reason: missing ? 'there is no /dev/kvm' : '/dev/kvm cannot be opened by this user' };
  }
  const result = await run(
    qemu,
    [
      ...['-nodefaults', '-display', 'none', '-no-reboot', '-serial', 'stdio', '-m', '512'],
      ...['-accel', 'kvm', '-cpu', 'host', '-kernel', kernel.image, '-initrd', initramfs.file],
      ...['-append', 'console=ttyS0 panic=-1 bpfgate.probe'],
    ],
    { timeoutMs: probeDeadlineMs, signal },
  );
  if (result.stdout.includes('bpfgate-probe: booted')) return { accelerator: 'kvm', reason: null };
  if (result.timedOut) {
    return { accelerator: 'tcg', reason: `a probe boot under KVM did not finish within ${probeDeadlineMs / 1000} s` };
  }
  const said = result.stderr.trim().split('\n')[0] ?? '';
  return { accelerator: 'tcg', reason: `a probe boot under KVM failed${said === '' ? '' : `: ${said}`}` };
}

// Guest: chooses KVM only where a kernel has really booted under it. That /dev/kvm opens proves nothing.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { run } from '../adapters/process.ts';
import type { CachedKernel } from '../model/kernel.ts';
import type { GuestContext } from './guest.ts';
import type { Initramfs } from './initramfs.ts';

export interface AcceleratorChoice {
  readonly accelerator: 'kvm' | 'tcg';
  /** Why KVM is not used; null under KVM. */
  readonly reason: string | null;
}

export interface ProbeOptions {
  /** Absolute path of KVM's device. Default `/dev/kvm`. */
  readonly device?: string;
  /** Default 15 s. A kernel under KVM reaches its first process long before, even with nested virtualisation. */
  readonly deadlineMs?: number;
}

/**
 * Boots the kernel under KVM to its initramfs, with a deadline.
 *
 * @param qemu absolute path of QEMU
 * @returns `kvm` when the guest reported that it had booted, else `tcg` with the reason
 */
export async function chooseAccelerator(
  kernel: Pick<CachedKernel, 'image'>,
  initramfs: Initramfs,
  qemu: string,
  { signal }: Pick<GuestContext, 'signal'>,
  { device = '/dev/kvm', deadlineMs = 15_000 }: ProbeOptions = {},
): Promise<AcceleratorChoice> {
  const emulated = (reason: string) => ({ accelerator: 'tcg', reason }) as const;
  try {
    await access(device, constants.R_OK | constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emulated(`there is no ${device}`);
    return emulated(`this user cannot open ${device}, which \`sudo chmod 0666 ${device}\` changes`);
  }
  const result = await run(
    qemu,
    [
      ...['-nodefaults', '-display', 'none', '-no-reboot', '-serial', 'stdio', '-m', '512'],
      ...['-accel', 'kvm', '-cpu', 'host', '-kernel', kernel.image, '-initrd', initramfs.file],
      ...['-append', 'console=ttyS0 panic=-1 bpfgate.probe'],
    ],
    { timeoutMs: deadlineMs, signal },
  );
  if (result.stdout.includes('bpfgate-probe: booted')) return { accelerator: 'kvm', reason: null };
  if (result.timedOut) return emulated(`a probe boot under KVM did not finish within ${deadlineMs / 1000} s`);
  const said = result.stderr.trim().split('\n')[0] ?? '';
  return emulated(`a probe boot under KVM failed${said === '' ? '' : `: ${said}`}`);
}

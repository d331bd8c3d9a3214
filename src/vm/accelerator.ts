// Guest: chooses KVM only where a pinned kernel has really booted under it. That /dev/kvm opens proves nothing.

import { run } from '../adapters/process.ts';
import type { CachedKernel } from '../model/kernel.ts';
import type { GuestContext } from './guest.ts';
import type { Initramfs } from './initramfs.ts';
import { describeOpening, kvmAccess, kvmDevice } from './kvm-device.ts';
import { kvmFailureOf } from './kvm-failures.ts';

export interface AcceleratorChoice {
  readonly accelerator: 'kvm' | 'tcg';
  /** Why KVM is not used; null under KVM. */
  readonly reason: string | null;
}

export interface ProbeOptions {
  /**
   * Whether a boot that passed its deadline within the last hour counts as the answer. False where the value of a
   * result depends on KVM, as with times: there one slow minute of the host must not count for an hour. Default true.
   */
  readonly remembered?: boolean;
  /** Absolute path of KVM's device. Default `/dev/kvm`. */
  readonly device?: string;
  /** Default 15 s. A kernel under KVM reaches its first process long before, even with nested virtualisation. */
  readonly deadlineMs?: number;
}

/**
 * Boots the kernel under KVM to its initramfs, with a deadline.
 *
 * @param host QEMU's executable and the version it prints
 * @returns `kvm` when the guest reported that it had booted, else `tcg` with the reason
 */
export async function chooseAccelerator(
  kernel: Pick<CachedKernel, 'image' | 'imageSha256'>,
  initramfs: Initramfs,
  host: { readonly qemu: string; readonly versions: { readonly qemu: string } },
  { cache, signal }: Pick<GuestContext, 'cache' | 'signal'>,
  { remembered = true, device = kvmDevice, deadlineMs = 15_000 }: ProbeOptions = {},
): Promise<AcceleratorChoice> {
  const found = await kvmAccess(device);
  if (found === 'absent') return { accelerator: 'tcg', reason: `there is no ${device}` };
  if (found === 'closed') {
    const reason = `this user cannot open ${device}, which \`${describeOpening(device)}\` changes`;
    return { accelerator: 'tcg', reason };
  }
  const failure = await kvmFailureOf(cache, { kernel, initramfs, qemuVersion: host.versions.qemu, device });
  const tooSlow = `a probe boot under KVM did not finish within ${deadlineMs / 1000} s`;
  const until = remembered ? await failure?.keptUntil() : undefined;
  if (failure !== undefined && until !== undefined) {
    const time = until.toTimeString().slice(0, 5);
    return {
      accelerator: 'tcg',
      reason: `${tooSlow}, and is not tried again until ${time} (or \`rm -r ${failure.path}\`)`,
    };
  }
  const result = await run(
    host.qemu,
    [
      ...['-nodefaults', '-display', 'none', '-no-reboot', '-serial', 'stdio', '-m', '512'],
      ...['-accel', 'kvm', '-cpu', 'host', '-kernel', kernel.image, '-initrd', initramfs.file],
      ...['-append', 'console=ttyS0 panic=-1 bpfgate.probe'],
    ],
    { timeoutMs: deadlineMs, signal },
  );
  if (result.stdout.includes('bpfgate-probe: booted')) return { accelerator: 'kvm', reason: null };
  if (result.timedOut) {
    await failure?.keep();
    return { accelerator: 'tcg', reason: tooSlow };
  }
  const said = result.stderr.trim().split('\n')[0] ?? '';
  return { accelerator: 'tcg', reason: `a probe boot under KVM failed${said === '' ? '' : `: ${said}`}` };
}

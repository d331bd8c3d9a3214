// Guest: the runner virtme-ng. It starts vm/qemu and waits for its end.

import type { Boot } from './boot.ts';
import { qemuWrapper, type RunnerStart } from './start.ts';

/**
 * Prepares virtme-run to start vm/qemu, which starts the boot's machine and not the one that virtme-run describes. `vng`
 * would start it through a shell after adding the user's own defaults.
 */
export async function startVirtmeNg({ kernel }: Boot): Promise<RunnerStart> {
  // Without these options virtme-run prepares modules, a server of files and KVM, which this machine has no use for.
  const unused = ['--mods', 'none', '--force-9p', '--disable-kvm'];
  return { argv: ['virtme-run', '--kimg', kernel.image, ...unused, '--qemu-bin', qemuWrapper] };
}

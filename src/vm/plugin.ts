// Guest: obtains QEMU's plugin, where QEMU takes plugins.

import { runOrThrow } from '../adapters/process.ts';
import { MachineError } from '../common/errors.ts';
import { type GuestContext, prepareHost } from './guest.ts';
import { obtainProgram } from './programs.ts';

/**
 * @returns its absolute path
 * @throws MachineError when QEMU has no plugins, or it does not build
 */
export async function obtainPlugin(context: GuestContext): Promise<string> {
  const host = await prepareHost(context);
  requirePlugins(await runOrThrow(host.qemu, ['--help'], { env: context.environment }), host);
  // Guests wait for it.
  return (await obtainProgram('bpfgate-plugin', { ...context, niceness: 0 })).file;
}

/**
 * @param help output of `qemu-system-x86_64 --help`
 * @throws MachineError when this QEMU was built without plugins
 */
export function requirePlugins(help: string, { qemu, qemuVersion }: { qemu: string; qemuVersion: string }): void {
  if (/^-plugin /m.test(help)) return;
  throw new MachineError(`${qemu} (QEMU ${qemuVersion}) was built without TCG plugins, which see what runs execute`, {
    hint: "put a QEMU built with --enable-plugins first on PATH, such as Debian's qemu-system-x86",
  });
}

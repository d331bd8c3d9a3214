// Kernels: the index of a kernel's modules.

import { run } from '../adapters/process.ts';
import { fullCache, MachineError, saysFullDisk } from '../common/errors.ts';

/** Writes modules.dep and related files, which modprobe reads. */
export async function indexModules(root: string, uname: string, signal?: AbortSignal): Promise<void> {
  // An ordinary user's PATH often has no sbin.
  const variables = { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` };
  const result = await run('depmod', ['-b', root, uname], { variables, signal }).catch((error: unknown) => {
    if (!(error instanceof MachineError)) throw error;
    throw new MachineError('depmod is missing', { cause: error, hint: 'apt-get install kmod' });
  });
  if (saysFullDisk(result.stderr)) throw fullCache(`index the modules of ${uname}`);
  if (result.exitCode !== 0) throw new MachineError(`depmod failed for ${uname}:\n${result.stderr.trim()}`);
}

// Guest: checks whether this host's kernel can keep QEMU from files that no guest needs.

import type { Log } from '../adapters/log.ts';
import { runOrThrow } from '../adapters/process.ts';

/**
 * What QEMU is kept from, with the first version of Landlock that does and the first Linux that has it:
 * Documentation/userspace-api/landlock.rst, "Previous limitations".
 */
const rights = [
  { version: 1, linux: '5.13', what: 'opening files' },
  { version: 3, linux: '6.2', what: 'truncating files' },
  { version: 4, linux: '6.7', what: 'TCP' },
  { version: 5, linux: '6.10', what: 'controlling devices' },
  { version: 6, linux: '6.12', what: 'signalling processes' },
];

let warned = false;

/** Whether this kernel can confine QEMU. Warns once about what it cannot prevent, and about the consequences. */
export async function canConfine(agent: string, log: Log): Promise<boolean> {
  const version = Number((await runOrThrow(agent, ['landlock'])).trim());
  const free = rights.filter((right) => right.version > version).map(({ what, linux }) => `${what} (Linux ${linux})`);
  if (!warned && version <= 0) {
    log.warn(
      `the kernel of this host has no Landlock, so a guest can read every file that you can, and the environment of your processes, tokens included; boot Linux 5.13 or newer with \`landlock\` in its list of security modules (lsm=)`,
    );
  } else if (!warned && free.length > 0) {
    log.warn(
      `Landlock of this host's kernel (version ${version}) cannot keep QEMU from ${free.join(', ')}. Guests read no more because of that, but a program that breaks out of QEMU could do it: see docs/threat-model.md`,
    );
  }
  warned = true;
  return version > 0;
}

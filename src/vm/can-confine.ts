// Guest: checks whether this host's kernel can keep QEMU from files that no guest needs.

import type { Log } from '../adapters/log.ts';
import { runOrThrow } from '../adapters/process.ts';
import { confinementOf, landlockRemedy } from '../prerequisites/landlock.ts';

let warned = false;

/** Whether this kernel can confine QEMU. Warns once about what it cannot prevent, and about the consequences. */
export async function canConfine(agent: string, log: Log): Promise<boolean> {
  const version = Number((await runOrThrow(agent, ['landlock'])).trim());
  const { free } = confinementOf(version);
  if (!warned && version <= 0) {
    log.warn(
      `the kernel of this host has no Landlock, so a guest can read every file that you can, and the environment of your processes, tokens included; ${landlockRemedy}`,
    );
  } else if (!warned && free.length > 0) {
    log.warn(
      `Landlock of this host's kernel (version ${version}) cannot keep QEMU from ${free.join(', ')}. Guests read no more because of that, but a program that breaks out of QEMU could do it: see docs/threat-model.md`,
    );
  }
  warned = true;
  return version > 0;
}

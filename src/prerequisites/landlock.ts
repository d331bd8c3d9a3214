// Prerequisites, pure: what each version of the kernel's Landlock keeps QEMU from.
// Source: Documentation/userspace-api/landlock.rst, "Previous limitations".

/** Restrictions, with the first version that has each and the first Linux that has that version. */
const rights = [
  { version: 1, linux: '5.13', what: 'opening files' },
  { version: 3, linux: '6.2', what: 'truncating files' },
  { version: 4, linux: '6.7', what: 'TCP' },
  { version: 5, linux: '6.10', what: 'controlling devices' },
  { version: 6, linux: '6.12', what: 'signalling processes' },
] as const;

export interface Confinement {
  /** What QEMU is kept from, except on what it is given. */
  readonly confined: readonly string[];
  /** What QEMU is not kept from, each with the Linux that could do it: `TCP (Linux 6.7)`. */
  readonly free: readonly string[];
}

/** @param version version of the kernel's Landlock; 0 where it has none */
export function confinementOf(version: number): Confinement {
  return {
    confined: rights.filter((right) => right.version <= version).map(({ what }) => what),
    free: rights.filter((right) => right.version > version).map(({ what, linux }) => `${what} (Linux ${linux})`),
  };
}

/** The fix for a kernel without Landlock. */
export const landlockRemedy = 'boot Linux 5.13 or newer with `landlock` in its list of security modules (lsm=)';

// Profile, pure: the part of a result that describes the profiles of benches that ask for one.

export const profileKinds = ['base', 'head', 'difference'] as const;
export type ProfileKind = (typeof profileKinds)[number];

/** A file of a profile, among the outputs of the run. */
export interface Profile {
  /** Kernel id. */
  readonly kernel: string;
  readonly bench: string;
  /** Revision that it shows. `difference` shows head, coloured by its differences from base. */
  readonly kind: ProfileKind;
  /** Path below the output folder: `profiles/6.1/micro/head.cpu.svg`. */
  readonly file: string;
}

/** A profile and its content. */
export interface ProfileFile {
  readonly profile: Profile;
  readonly content: Buffer;
}

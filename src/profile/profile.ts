// Profiles of the benches that ask for one: what a result says of them. Pure.

export const profileKinds = ['base', 'head', 'difference'] as const;
export type ProfileKind = (typeof profileKinds)[number];

/** A file of a profile, among the outputs of the run. */
export interface Profile {
  /** Kernel id. */
  readonly kernel: string;
  readonly bench: string;
  /** Of which revision; `difference` shows head, coloured by what differs from base. */
  readonly kind: ProfileKind;
  /** Path below the output folder: `profiles/6.1/micro/head.cpu.svg`. */
  readonly file: string;
}

/** A profile and what is in it. */
export interface ProfileFile {
  readonly profile: Profile;
  readonly content: Buffer;
}

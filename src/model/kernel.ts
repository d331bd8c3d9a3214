// Model: the types of bootable kernels: pinned in kernels/kernels.json, built from a tree, or the user's own.

/** Debian archives that carry kernel images, as named in the permanent archive. */
export type DebianArchive = 'debian' | 'debian-security';

/**
 * Upstream's support of a minor version: `longterm`, `stable` (the newest ones), or none any more (`eol`). It is
 * `unknown` for the user's own kernels.
 */
export type SupportStatus = 'longterm' | 'stable' | 'eol' | 'unknown';

/**
 * Who compiled a kernel: Debian; bpfgate, from a pinned tarball; bpfgate, from a tree that its user vouches for; or
 * someone else (`own`).
 */
export type KernelOrigin = KernelPin['origin'];

interface Kernel {
  /**
   * Name of the kernel in selectors, reports and results. The kernel that a minor version boots by default has the
   * minor version: `6.1`. Others add their origin: `6.1:source`, `5.8:tree`. A kernel of the user's own has the name
   * that bpfgate.toml gives it, else its release.
   */
  readonly id: string;
  /** Minor version: `6.1`. */
  readonly minor: string;
  /** Upstream release: `6.1.176`. `own`: what `uname -r` prints in it. */
  readonly release: string;
  /**
   * SHA-256 in lower-case hexadecimal of what the kernel is made from: the package, or the packages' sums where there
   * are several (`debian`); the tarball (`source`); the image, package or files (`own`). `tree`: of the image, because
   * nothing is pinned.
   */
  readonly sha256: string;
  readonly support: SupportStatus;
}

/** An asset whose content is known. */
export interface PinnedAsset extends ReleaseAsset {
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** One file of a Debian archive. */
export interface DebianPackage {
  readonly name: string;
  /** Path below the archive's root, `pool/...`. */
  readonly poolPath: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Location of the same file in a release of bpfgate. */
  readonly asset?: ReleaseAsset | undefined;
}

/** A kernel Debian compiled. */
export interface DebianPin extends Kernel {
  readonly origin: 'debian';
  readonly archive: DebianArchive;
  /** Version of every package: `6.1.176-1`. */
  readonly version: string;
  /** A time at which the packages were current, `YYYYMMDDTHHMMSSZ`; part of their permanent address. */
  readonly snapshot: string;
  /**
   * One package; from 6.19 on three: `linux-binary-*` with the image, `linux-base-*` with the configuration and
   * `linux-modules-*`.
   */
  readonly packages: readonly DebianPackage[];
}

/** A kernel.org tarball to compile. */
export interface SourcePin extends Kernel {
  readonly origin: 'source';
  /** Permanent address of the tarball. */
  readonly url: string;
  /** Public recipes that give this checksum, as `owner/repository@commit` where that is known. */
  readonly agreeing: readonly string[];
  /** The image already built, attached to a release of bpfgate. */
  readonly asset?: PinnedAsset | undefined;
}

/** A kernel built from an unpacked tree (`kernels build --source`). It is not pinned and exists in this cache only. */
export interface TreeKernel extends Kernel {
  readonly origin: 'tree';
}

/** A `[[kernel]]` of bpfgate.toml: a package or image to fetch. */
export interface NamedKernel {
  readonly name: string;
  /** An https address. */
  readonly url: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** Version of a kernel in a package that has not been unpacked. */
export const unknownVersion = 'unknown';

/** `6.1` for `6.1.0-56-amd64`; `unknownVersion` for what is no version. */
export function minorOf(release: string): string {
  return /^\d+\.\d+/.exec(release)?.[0] ?? unknownVersion;
}

/** A kernel that the user brings. Its version is `unknownVersion` until it is in the cache, except that of an image. */
export interface OwnKernel extends Kernel {
  readonly origin: 'own';
  /** An address; or the absolute path, without links, of an image or package (`file`), or of a tree (`folder`). */
  readonly source: { readonly url: string } | { readonly file: string } | { readonly folder: string };
}

/** One bootable kernel. */
export type KernelPin = DebianPin | SourcePin | TreeKernel | OwnKernel;

/** A kernel that is in the cache, verified and unpacked or built. */
export interface CachedKernel {
  readonly pin: KernelPin;
  /** Absolute path of the bootable image. */
  readonly image: string;
  /** SHA-256 of the image. */
  readonly imageSha256: string;
  /** Output of `uname -r` in the booted kernel: `6.1.0-50-amd64`. */
  readonly uname: string;
  /** Absolute path of its configuration. Undefined for a kernel of the user's own that does not come with it. */
  readonly config: string | undefined;
  /**
   * Absolute path of a folder with `lib/modules/<uname>` and its modules.dep; undefined when everything is built in.
   */
  readonly modulesRoot: string | undefined;
}

/** A file attached to a release. */
export interface ReleaseAsset {
  /** The release's tag: `kernels-2026-11`. */
  readonly tag: string;
  /** The file's name in the release. */
  readonly name: string;
}

/** Minutes to compile a kernel on two cores, rounded up. kernels/config/README.md has measurements. */
export const compileMinutes = 5;

// Second stage: the kernels to boot, as pinned in kernels/kernels.json.

/** Debian archives that carry kernel images, as named in the permanent archive. */
export type DebianArchive = 'debian' | 'debian-security';

/** One pinned kernel: an entry of kernels/kernels.json. */
export interface KernelPin {
  /** Minor version, also the selector: `6.1`. */
  readonly id: string;
  /** Upstream release: `6.1.176`. */
  readonly release: string;
  readonly origin: 'debian';
  readonly debian: {
    readonly archive: DebianArchive;
    readonly package: string;
    readonly version: string;
    /** Path below the archive's root, `pool/...`. */
    readonly poolPath: string;
    /** A time at which the package was current, `YYYYMMDDTHHMMSSZ`, for its permanent address. */
    readonly snapshot: string;
  };
  /** SHA-256 of the package file, lower-case hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** A pinned kernel that is in the cache, verified and unpacked. */
export interface CachedKernel {
  readonly pin: KernelPin;
  /** Absolute path of the bootable image. */
  readonly image: string;
  /** What `uname -r` prints when it has booted: `6.1.0-50-amd64`. */
  readonly uname: string;
  /** Absolute path of a folder holding `lib/modules/<uname>` with modules.dep. */
  readonly modulesRoot: string;
}

// Kernel updates, pure: reads the list of checksums of a folder of kernel.org.

import type { SourcePin } from '../../src/model/kernel.ts';

/** Permanent addresses of tarballs and lists of checksums begin with this. */
export const kernelOrgRoot = 'https://cdn.kernel.org/pub/linux/kernel';

/** The folders, one per major version. */
export const kernelOrgFolders = ['v5.x', 'v6.x', 'v7.x'] as const;

/**
 * Fingerprint of the primary key of "Kernel.org checksum autosigner", which signs sha256sums.asc. Only the fingerprint
 * is trusted, wherever the key itself comes from. https://www.kernel.org/signature.html says that this key signs the
 * lists. Many public build recipes have the same fingerprint.
 */
export const autosignerFingerprint = 'B8868C80BA62A1FFFAF5FDA9632D3A06589DA6B1';

/**
 * The autosigner's key in kernel.org's Web Key Directory. The last part of the path is the hash that
 * `gpg-wks-client --print-wkd-hash autosigner@kernel.org` prints.
 */
export const autosignerAddress =
  'https://kernel.org/.well-known/openpgpkey/hu/ew8uiogxwri7d3fuioqgt7u1d5sngorx?l=autosigner';

/** A release kernel.org offers. */
export interface SourceCandidate extends Omit<SourcePin, 'id' | 'support' | 'agreeing' | 'asset'> {
  /** `kernel.org v6.x`. */
  readonly where: string;
}

/**
 * Finds the tarballs in the signed text of a sha256sums.asc. A minor version counts from its first stable release on
 * (7.4.1), because pins name releases of three numbers.
 *
 * @param folder `v6.x`
 */
export function findTarballs(text: string, folder: string): SourceCandidate[] {
  return [...text.matchAll(/^([0-9a-f]{64}) [ *](linux-((\d+\.\d+)\.\d+)\.tar\.xz)$/gm)].map(
    ([, sha256 = '', file = '', release = '', minor = '']) => ({
      origin: 'source',
      minor,
      release,
      url: `${kernelOrgRoot}/${folder}/${file}`,
      sha256,
      where: `kernel.org ${folder}`,
    }),
  );
}

// Cache: Debian packages as a source of pinned files. Finds a package's addresses; archive.ts extracts its files.

import { readFile } from 'node:fs/promises';
import { runIfPossible } from '../adapters/process.ts';
import { InputError } from '../common/errors.ts';
import type { DebianArchive } from '../model/kernel.ts';
import type { Sources } from './release-asset.ts';

export interface DebianFile {
  readonly archive: DebianArchive;
  /** Path below the archive's root, `pool/...`. */
  readonly poolPath: string;
  /** A time at which the package was current, `YYYYMMDDTHHMMSSZ`. */
  readonly snapshot: string;
}

interface PackageOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Finds the sources of a package, nearest first: this machine's own mirrors, then the permanent archive. */
export async function findPackageSources(file: DebianFile, options: PackageOptions = {}): Promise<Sources> {
  const sites = await readAptSites(options);
  const isMirrored = archiveRoots(file.archive, file.snapshot, sites).length > 0;
  return {
    addresses: packageAddresses(file, sites, permanentArchive()),
    notAsked: isMirrored ? [] : [`mirrors that apt knows: none is one of ${file.archive}`],
  };
}

/** @param sites the roots of the archives in apt's configuration; those of other archives are ignored */
export function packageAddresses(file: DebianFile, sites: readonly string[], permanent?: string): string[] {
  const path = file.poolPath.split('/').map(encodeURIComponent).join('/');
  return archiveRoots(file.archive, file.snapshot, sites, permanent).map((root) => `${root}/${path}`);
}

/**
 * Addresses of an archive, nearest first: the sites that carry it, then the permanent archive.
 *
 * @param snapshot the time as of which the permanent archive is asked, `YYYYMMDDTHHMMSSZ`
 * @param sites the roots of the archives in apt's configuration; those of other archives are ignored
 * @param permanent address of the permanent archive, if there is one
 * @returns addresses without a slash at the end, each once
 */
export function archiveRoots(
  archive: DebianArchive,
  snapshot: string,
  sites: readonly string[],
  permanent?: string,
): string[] {
  const roots = sites
    .map((site) => site.replace(/\/+$/, ''))
    .filter((site) => /^https?:/.test(site) && site.endsWith(`/${archive}`));
  return [...new Set([...roots, ...(permanent === undefined ? [] : [`${permanent}/${archive}/${snapshot}`])])];
}

/** Hint for a file that neither a mirror nor the permanent archive has. */
export const permanentArchiveHint =
  "add a mirror of Debian to apt, or set BPFGATE_DEBIAN_ARCHIVE to the address of a copy of Debian's snapshot archive, for <address>/debian/20261121T000000Z/pool/...";

/** Debian's own permanent archive, https://snapshot.debian.org. It limits rates, so it is asked last. */
const snapshotArchive = 'https://snapshot.debian.org/archive';

/**
 * Address of the archive that keeps every file Debian published, by archive and time: BPFGATE_DEBIAN_ARCHIVE where that
 * is set and not empty, without a slash at the end; else Debian's own.
 *
 * @throws InputError when BPFGATE_DEBIAN_ARCHIVE is not an http or https address
 */
export function permanentArchive(env: NodeJS.ProcessEnv = process.env): string {
  const address = env.BPFGATE_DEBIAN_ARCHIVE?.replace(/\/+$/, '');
  if (address === undefined || address === '') return snapshotArchive;
  if (/^https?:\/\/[^/]/.test(address) && URL.canParse(address)) return address;
  throw new InputError(`BPFGATE_DEBIAN_ARCHIVE is no http or https address: ${JSON.stringify(address)}`, {
    hint: "give the address of a copy of Debian's snapshot archive, or unset it",
  });
}

/** Reads the roots of the archives in the configuration of this machine's apt; none where there is no apt. */
export async function readAptSites({ signal }: PackageOptions = {}): Promise<string[]> {
  // Without release information: otherwise apt leaves out sites whose index it has not downloaded, as in a fresh
  // container.
  const list = ['indextargets', '--no-release-info', '--format', '$(SITE)'];
  const result = await runIfPossible('apt-get', list, { signal, timeoutMs: 30_000 });
  const sites = [...new Set((result?.stdout ?? '').split('\n').filter((line) => line !== ''))];
  return (await Promise.all(sites.map(readMirrorList))).flat();
}

/** Reads the sites from a file of mirrors, as in Debian's cloud images. Returns any other site unchanged. */
async function readMirrorList(site: string): Promise<string[]> {
  const file = /^mirror\+file:(?:\/\/)?(\/.+)$/.exec(site)?.[1];
  if (file === undefined) return [site];
  const text = await readFile(file, 'utf8').catch(() => '');
  // After the address a line may have settings for apt.
  return text.split('\n').flatMap((line) => /^\s*(https?:\S+)/.exec(line)?.[1] ?? []);
}

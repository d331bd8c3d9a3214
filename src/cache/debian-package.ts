// Debian packages as a source of pinned files: where one can be had, and taking files out of it.

import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { run } from '../adapters/process.ts';
import { fullCache, InputError, MachineError, saysFullDisk } from '../errors.ts';
import type { DebianArchive } from '../kernels/kernel.ts';

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

/**
 * The addresses of a package, nearest first: this machine's own mirrors, then the permanent archive.
 *
 * @throws MachineError when there is neither
 */
export async function findPackageAddresses(file: DebianFile, options: PackageOptions = {}): Promise<string[]> {
  const addresses = packageAddresses(file, await readAptSites(options), permanentArchive());
  if (addresses.length > 0) return addresses;
  throw new MachineError(
    `there is nowhere to fetch ${basename(file.poolPath)} from: apt is configured with no mirror of ${file.archive}`,
    { hint: permanentArchiveHint },
  );
}

/** @param sites the roots of the archives apt is configured with; those of other archives are passed over */
export function packageAddresses(file: DebianFile, sites: readonly string[], permanent?: string): string[] {
  const path = file.poolPath.split('/').map(encodeURIComponent).join('/');
  return archiveRoots(file.archive, file.snapshot, sites, permanent).map((root) => `${root}/${path}`);
}

/**
 * Where an archive can be had, nearest first: the sites that carry it, then the permanent archive.
 *
 * @param snapshot the time as of which the permanent archive is asked, `YYYYMMDDTHHMMSSZ`
 * @param sites the roots of the archives apt is configured with; those of other archives are passed over
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

/** What to do where apt has no mirror of Debian, or where a mirror no longer has what is asked for. */
export const permanentArchiveHint =
  'add a mirror of Debian to apt, or set BPFGATE_DEBIAN_ARCHIVE to the address of an archive that keeps every package by time, as <address>/debian/20261121T000000Z/pool/...';

/**
 * The archive that keeps every file Debian published, by archive and time: BPFGATE_DEBIAN_ARCHIVE, without a slash at
 * the end. Undefined when it is not set or empty.
 *
 * @throws InputError when it is no http or https address
 */
export function permanentArchive(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const address = env.BPFGATE_DEBIAN_ARCHIVE?.replace(/\/+$/, '');
  if (address === undefined || address === '') return undefined;
  if (/^https?:\/\/[^/]/.test(address) && URL.canParse(address)) return address;
  throw new InputError(`BPFGATE_DEBIAN_ARCHIVE is no http or https address: ${JSON.stringify(address)}`);
}

/** The roots of the archives this machine's apt is configured with; none where there is no apt. */
export async function readAptSites({ signal }: PackageOptions = {}): Promise<string[]> {
  try {
    const { stdout } = await run('apt-get', ['indextargets', '--format', '$(SITE)'], { signal, timeoutMs: 30_000 });
    return stdout.split('\n').filter((line) => line !== '');
  } catch (error) {
    if (error instanceof MachineError) return []; // No apt: not Debian's child.
    throw error;
  }
}

/** Names of the files, folders and links in a package, as tar prints them: `./boot/vmlinuz-6.1.0-50-amd64`. */
export async function listPackage(packageFile: string, options: PackageOptions = {}): Promise<string[]> {
  const listing = await pipeToTar(packageFile, ['--list'], options);
  return listing.split('\n').filter((line) => line !== '');
}

/** Takes out the files of these names, with everything below the folders among them. */
export async function extractPackage(
  packageFile: string,
  names: readonly string[],
  into: string,
  options: PackageOptions = {},
): Promise<void> {
  await mkdir(into, { recursive: true });
  const extract = ['--extract', '--directory', into, '--no-same-owner', '--no-wildcards', '--files-from', '-'];
  await pipeToTar(packageFile, extract, { ...options, input: `${names.join('\n')}\n` });
}

async function pipeToTar(
  packageFile: string,
  tarArguments: readonly string[],
  { signal, input = '' }: PackageOptions & { readonly input?: string },
): Promise<string> {
  // The names come on the script's standard input, the package on tar's: hence the third descriptor.
  const script = `command -v dpkg-deb >/dev/null || exit 127
set -o pipefail
exec 3<&0
package=$1
shift
dpkg-deb --fsys-tarfile "$package" | tar --file /dev/fd/4 "$@" 4<&0 <&3`;
  const result = await run('bash', ['-c', script, 'bpfgate', packageFile, ...tarArguments], { signal, input });
  if (result.exitCode === 0) return result.stdout;
  if (result.exitCode === 127) {
    throw new MachineError('dpkg-deb is missing; pinned files come in Debian packages', {
      hint: "apt-get install dpkg, or your distribution's package of that name",
    });
  }
  if (saysFullDisk(result.stderr)) throw fullCache(`\`${packageFile}\``);
  const how = result.timedOut ? 'ran out of time' : `exited with ${result.exitCode ?? result.signal}`;
  throw new MachineError(`unpacking \`${packageFile}\` ${how}:\n${result.stderr.trim()}`);
}

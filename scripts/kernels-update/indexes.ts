// Kernel updates: fetches the signed indexes of the origins and has their signatures checked before reading them.

import { createReadStream, existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Log } from '../../src/adapters/log.ts';
import { archiveRoots } from '../../src/cache/debian-package.ts';
import { downloadVerified } from '../../src/cache/download.ts';
import { InputError, InterruptedError, KernelError, MachineError } from '../../src/common/errors.ts';
import {
  type DebianCandidate,
  type DebianSuite,
  findKernels,
  formatSnapshot,
  openPackagesReader,
  packagesPath,
  readSuiteIndex,
} from './debian-index.ts';
import { findTarballs, type SourceCandidate } from './kernel-org-index.ts';
import { readClearSigned } from './signature.ts';
import { runTool } from './tool.ts';

/** Sources of Debian's indexes, and the keys that sign them. */
export interface DebianAccess {
  readonly suites: readonly DebianSuite[];
  /** Roots of archives, tried before the permanent archive. */
  readonly sites: readonly string[];
  /** Address of the permanent archive. */
  readonly permanent: string;
  /** Absolute path of the keyring. Any of its keys may sign. */
  readonly keyring: string;
}

/** Source of kernel.org's lists, and the key that signs them. */
export interface KernelOrgAccess {
  /** Address of the folders, without a slash at the end. */
  readonly root: string;
  /** `v6.x` and so on. */
  readonly folders: readonly string[];
  /** Address of the signing key; not used when a keyring is given. */
  readonly keyAddress: string;
  /** Fingerprint of the primary key that must sign, upper-case hexadecimal. */
  readonly fingerprint: string;
}

export interface IndexOptions {
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Time after which a source that is too slow is given up. Default 30 s. */
  readonly stallMs?: number | undefined;
  /** An existing folder for files of this run. */
  readonly scratch: string;
}

/** Error for a source that cannot be reached, as opposed to one that cannot be trusted. */
export class UnreachableError extends KernelError {}

/**
 * Downloads a small file from the first address that has it. The caller checks the signature that the file carries.
 *
 * @throws UnreachableError when no address has it
 * @throws KernelError when one sends more than `maxBytes`
 */
async function downloadSmall(
  { name, maxBytes }: { readonly name: string; readonly maxBytes: number },
  addresses: readonly string[],
  { signal, stallMs = 30_000 }: IndexOptions,
): Promise<{ readonly content: Buffer; readonly address: string }> {
  const failures: string[] = [];
  for (const address of addresses) {
    const chunks: Uint8Array[] = [];
    let received = 0;
    try {
      const slow = AbortSignal.timeout(stallMs);
      const response = await fetch(address, { signal: signal ? AbortSignal.any([signal, slow]) : slow });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      for await (const chunk of response.body ?? []) {
        received += chunk.length;
        if (received > maxBytes) throw new KernelError(`${name} is too long: ${address} sends over ${maxBytes} bytes`);
        chunks.push(chunk);
      }
      return { content: Buffer.concat(chunks), address };
    } catch (error) {
      if (signal?.aborted) throw new InterruptedError(`fetching ${name} was interrupted`, { cause: error });
      if (error instanceof KernelError) throw error;
      const { message, cause } = error as Error;
      failures.push(`  ${address}: ${message}${cause instanceof Error ? `: ${cause.message}` : ''}`);
    }
  }
  throw new UnreachableError(`cannot fetch ${name} from any source:\n${failures.join('\n')}`);
}

/** About twenty times the size of the largest suite's index. */
const maxReleaseBytes = 4 * 1024 * 1024;
/** About ten times the size of Debian's largest list of packages. */
const maxPackagesBytes = 128 * 1024 * 1024;

/**
 * Reads the kernels that a suite offers, from a current index of this suite that Debian signed.
 *
 * @throws UnreachableError when no source has it
 * @throws KernelError when a source's content cannot be trusted, or no source has the list that its index names
 * @throws MachineError when gpgv, the keyring or xz is missing
 */
export async function readSuite(
  suite: DebianSuite,
  { sites, permanent, keyring }: Omit<DebianAccess, 'suites'>,
  now: Date,
  options: IndexOptions,
): Promise<DebianCandidate[]> {
  const { log, signal, scratch } = options;
  const { archive, codename } = suite;
  if (!existsSync(keyring)) {
    throw new MachineError(`\`${keyring}\` is missing; Debian's signatures are checked with it`, {
      hint: 'apt-get install debian-archive-keyring',
    });
  }
  const archives = archiveRoots(archive, formatSnapshot(now), sites, permanent);
  const roots = archives.map((root) => `${root}/dists/${codename}`);
  log.progress(`reading the index of ${codename}`);
  const release = await downloadSmall(
    { name: `the index of ${codename}`, maxBytes: maxReleaseBytes },
    roots.map((root) => `${root}/InRelease`),
    options,
  );
  const text = await readClearSigned(release.content, { name: release.address, keyring, signal });
  const index = readSuiteIndex(text, suite, now);
  if (index.packages.sizeBytes > maxPackagesBytes) {
    throw new KernelError(`the list of packages of ${codename} is too long: ${index.packages.sizeBytes} bytes`);
  }

  // A file can be fetched by its checksum even while the mirror is being updated.
  const byHash = packagesPath.replace(/[^/]+$/, `by-hash/SHA256/${index.packages.sha256}`);
  const paths = index.byHash ? [byHash, packagesPath] : [packagesPath];
  const file = join(scratch, codename);
  await downloadVerified(
    { name: `the list of packages of ${codename}`, ...index.packages },
    roots.flatMap((root) => paths.map((path) => `${root}/${path}`)),
    `${file}.xz`,
    { ...options, ErrorClass: KernelError },
  );
  const result = await runTool('xz', ['--decompress', `${file}.xz`], { signal });
  if (result.exitCode !== 0) {
    throw new MachineError(`xz cannot unpack the list of packages of ${codename}: ${result.stderr.trim()}`);
  }
  const reader = openPackagesReader();
  for await (const line of createInterface({ input: createReadStream(file) })) reader.addLine(line);
  await rm(file);
  return findKernels(reader.end(), suite, index);
}

const maxKeyBytes = 1024 * 1024;

/**
 * Obtains a keyring with kernel.org's signing key. It need not be trusted: only the fingerprint decides.
 *
 * @param given a file with the key as `gpg --export` writes it; default: the key is fetched
 * @returns its absolute path
 * @throws InputError when the given file cannot be used
 * @throws UnreachableError when the key cannot be fetched
 */
export async function obtainKey(
  given: string | undefined,
  { keyAddress }: Pick<KernelOrgAccess, 'keyAddress'>,
  options: IndexOptions,
): Promise<string> {
  if (given !== undefined) {
    const start = await readFile(given, 'latin1').catch((cause: Error) => {
      throw new InputError(`cannot read the keyring \`${given}\`: ${cause.message}`, { cause });
    });
    if (start.startsWith('-----BEGIN')) {
      throw new InputError(`the keyring \`${given}\` is ASCII-armoured, which gpgv does not read`, {
        hint: `gpg --dearmor <${given} >autosigner.gpg`,
      });
    }
    return resolve(given);
  }
  options.log.progress("reading kernel.org's signing key");
  const { content } = await downloadSmall(
    { name: "kernel.org's signing key", maxBytes: maxKeyBytes },
    [keyAddress],
    options,
  ).catch((error: unknown) => {
    if (!(error instanceof UnreachableError)) throw error;
    const hint = 'get the key elsewhere (gpg --export) and give it with --keyring';
    throw new UnreachableError(error.message, { cause: error, hint });
  });
  const path = join(options.scratch, 'kernel-org.gpg');
  await writeFile(path, content);
  return path;
}

/** About ten times the size of the longest list. */
const maxSumsBytes = 16 * 1024 * 1024;

/**
 * Reads the releases in a folder of kernel.org, from a list of checksums that the expected key signed.
 *
 * @throws UnreachableError when it cannot be fetched
 * @throws KernelError when the content cannot be trusted
 * @throws MachineError when gpgv is missing
 */
export async function readFolder(
  folder: string,
  { root, fingerprint }: Pick<KernelOrgAccess, 'root' | 'fingerprint'>,
  keyring: string,
  options: IndexOptions,
): Promise<SourceCandidate[]> {
  options.log.progress(`reading kernel.org's checksums of ${folder}`);
  const { content, address } = await downloadSmall(
    { name: `kernel.org's checksums of ${folder}`, maxBytes: maxSumsBytes },
    [`${root}/${folder}/sha256sums.asc`],
    options,
  );
  const { signal } = options;
  return findTarballs(await readClearSigned(content, { name: address, keyring, fingerprint, signal }), folder);
}

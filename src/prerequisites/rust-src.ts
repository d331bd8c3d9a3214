// Prerequisites: the standard library's source, which cargo's -Z build-std compiles for the eBPF target.

import { constants, existsSync } from 'node:fs';
import { access, lstat, readlink, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { type RunResult, run } from '../adapters/process.ts';
import { extractArchive, listArchive } from '../cache/archive.ts';
import { type Cache, commonKinds, findEntry, publishEntry } from '../cache/cache.ts';
import { type DebianFile, findPackageSources, permanentArchiveHint } from '../cache/debian-package.ts';
import { downloadVerified } from '../cache/download.ts';
import { MachineError } from '../common/errors.ts';
import { leadsOut } from '../common/paths.ts';
import { findExecutable } from './executables.ts';
import { installFailure } from './install-failure.ts';
import { placeLink } from './place-link.ts';
import { type InstallContext, withProgress } from './progress.ts';
import { type RustToolchain, readRust } from './rust.ts';

const kind = commonKinds.rustSrc;

interface RustSrcPackage extends DebianFile {
  readonly version: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Debian's source by release of Rust, for machines that reach package mirrors and not rustup's server. */
export const rustSrcPackages: Readonly<Record<string, RustSrcPackage>> = {
  '1.95.0': {
    archive: 'debian',
    version: '1.95.0+dfsg1-2~bpo13+1',
    poolPath: 'pool/main/r/rustc/rust-src_1.95.0+dfsg1-2~bpo13+1_all.deb',
    snapshot: '20261121T000000Z',
    sha256: '7b76db5b880a77f9e52975d2baa6209d2f76d2c9c2789515c3088cb960e2c83b',
    sizeBytes: 45_097_356,
  },
};

export interface RustSrcStatus {
  /** `dangling`: a link to something that is gone is in its place. */
  readonly state: 'present' | 'missing' | 'dangling';
  /** The path at which cargo looks for it. */
  readonly path: string;
  /** Target of the link at `path`; null when it is not a link. */
  readonly target: string | null;
}

export async function checkRustSrc(sysroot: string): Promise<RustSrcStatus> {
  const path = join(sysroot, 'lib', 'rustlib', 'src', 'rust');
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  const target = isLink ? resolve(dirname(path), await readlink(path)) : null;
  if (existsSync(join(path, 'library', 'Cargo.lock')) || existsSync(join(path, 'library', 'core'))) {
    return { state: 'present', path, target };
  }
  return { state: isLink ? 'dangling' : 'missing', path, target };
}

/**
 * Adds the source to a toolchain: by rustup, else from Debian's package of the very same version, linked into the
 * sysroot.
 *
 * @param name rustup's name of a toolchain that is not the default
 * @returns which way was used, for the log
 * @throws MachineError when neither way works, or the sysroot cannot be written
 */
export async function installRustSrc(
  rust: RustToolchain,
  options: InstallContext,
  name?: string,
): Promise<'rustup' | 'debian'> {
  const status = await checkRustSrc(rust.sysroot);
  await makePlace(status, options.cache);
  const reason = await addByRustup(rust, options, name);
  if (reason === undefined) return 'rustup';
  // A nightly of the same number is another release.
  const source = rust.line.startsWith(`rustc ${rust.version} `) ? rustSrcPackages[rust.version] : undefined;
  if (source === undefined) {
    throw new MachineError(
      `cannot add rust-src to ${rust.line}: ${reason}, and Debian has no package of that release that bpfgate knows`,
      {
        hint: `run \`${['rustup', ...addArguments(name)].join(' ')}\` where rustup reaches its server, or use rustc ${Object.keys(rustSrcPackages).join(' or ')}`,
      },
    );
  }
  options.log.progress(`rustup cannot add rust-src (${reason}); taking Debian's package`);
  const entry = findEntry(options.cache, kind, source.sha256) ?? (await fetchSource(source, options));
  await placeLink(entry, status.path);
  return 'debian';
}

/** Checks that the link can be put in its place, before anything is fetched. */
async function makePlace(status: RustSrcStatus, cache: Cache): Promise<void> {
  if (status.state === 'dangling' && status.target !== null) {
    // A link into our cache, which was cleared, is ours to remove. Any other link is not.
    const ours = !leadsOut(relative(join(cache.root, kind), status.target));
    if (!ours) {
      throw new MachineError(`\`${status.path}\` is a link to \`${status.target}\`, which holds no Rust source`, {
        hint: `rm ${status.path}`,
      });
    }
    await rm(status.path);
  }
  const rustlib = dirname(dirname(status.path));
  const parent = existsSync(dirname(status.path)) ? dirname(status.path) : rustlib;
  await access(parent, constants.W_OK).catch((cause: unknown) => {
    throw new MachineError(`cannot add rust-src: \`${parent}\` cannot be written`, {
      cause,
      hint: 'run as the user who owns the Rust toolchain, or install Rust with rustup in your own home',
    });
  });
}

/**
 * Installs a rustup toolchain with the source; adds only the source where the toolchain exists.
 *
 * @throws MachineError when there is no rustup, or it fails
 */
export async function installToolchain(name: string, given: InstallContext): Promise<void> {
  const { env, log, signal } = given;
  const there = await readRust(env, name);
  if (there !== undefined) {
    await installRustSrc(there, given, name);
    return;
  }
  const args = ['toolchain', 'install', name, '--profile', 'minimal', '--component', 'rust-src', '--no-self-update'];
  const command = ['rustup', ...args].join(' ');
  const rustup = await findExecutable('rustup', env);
  if (rustup === undefined) {
    throw new MachineError(`cannot install the Rust toolchain ${name}: there is no rustup`, {
      hint: `install rustup (https://rustup.rs), then run \`${command}\``,
    });
  }
  const options = { env, signal, timeoutMs: 900_000 };
  const install = (onLine: (line: string) => void) => run(rustup, args, { ...options, onLine });
  const result = await withProgress(
    log,
    `installing the Rust toolchain ${name}`,
    install,
    ', which takes about a minute',
  );
  if (result.exitCode !== 0) throw await rustupFailure(`\`${command}\``, result, env);
}

/**
 * Makes the error for a failed rustup.
 *
 * @param what such as `installing nightly: \`rustup toolchain install nightly\``
 */
export async function rustupFailure(what: string, result: RunResult, env: NodeJS.ProcessEnv): Promise<MachineError> {
  const hint = 'run that command where rustup reaches its server, or see what it says of the network';
  return await installFailure(what, result, [rustupHome(env)], hint);
}

function rustupHome(env: NodeJS.ProcessEnv): string {
  return env.RUSTUP_HOME || join(env.HOME || homedir(), '.rustup');
}

function addArguments(name: string | undefined): string[] {
  return ['component', 'add', 'rust-src', ...(name === undefined ? [] : ['--toolchain', name])];
}

/** @returns why it failed; undefined when it succeeded */
async function addByRustup(
  rust: RustToolchain,
  { log, env, signal }: InstallContext,
  name: string | undefined,
): Promise<string | undefined> {
  const rustup = await findExecutable('rustup', env);
  if (rustup === undefined) return 'there is no rustup';
  const options = { env, signal, timeoutMs: 60_000 };
  const result = await withProgress(log, 'adding rust-src with rustup', (onLine) =>
    run(rustup, addArguments(name), { ...options, onLine }),
  );
  if (result.timedOut) return 'rustup gave no answer within 60 s';
  if (result.exitCode !== 0) return `rustup failed: ${lastError(result.stderr)}`;
  if ((await checkRustSrc(rust.sysroot)).state === 'present') return undefined;
  return 'rustup has it for another toolchain than the one in use';
}

function lastError(stderr: string): string {
  const lines = stderr.trim().split('\n');
  return (lines.find((line) => line.startsWith('error:')) ?? lines.at(-1) ?? '').replace(/^error: /, '');
}

async function fetchSource(source: RustSrcPackage, { cache, log, signal }: InstallContext): Promise<string> {
  return await publishEntry(cache, kind, source.sha256, async (dir) => {
    const packageFile = join(dir, 'package.deb');
    const file = { name: `rust-src ${source.version}`, sha256: source.sha256, sizeBytes: source.sizeBytes };
    const { addresses, notAsked } = await findPackageSources(source, { signal });
    await downloadVerified(file, addresses, packageFile, {
      log,
      signal,
      ErrorClass: MachineError,
      unreachableHint: permanentArchiveHint,
      notAsked,
    });
    log.progress(`unpacking ${file.name}`);
    // The package also holds the compiler and its tools, six times as much.
    const listing = await listArchive(packageFile, { signal });
    const library = listing.find((name) => /^\.\/usr\/src\/rustc-[^/]+\/library\/$/.test(name));
    if (library === undefined) throw new MachineError(`${file.name} holds no library folder`);
    const unpacked = join(dir, 'unpacked');
    await extractArchive(packageFile, [library], unpacked, { signal });
    await rename(join(unpacked, library), join(dir, 'library'));
    await rm(unpacked, { recursive: true });
    await rm(packageFile);
  });
}

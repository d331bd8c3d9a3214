// Guest: parts that every guest's start needs: the host's programs, a run folder, and tails of files the guest writes
// there.

import { type FileHandle, mkdtemp, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { LimitFunction } from 'p-limit';
import type { Log } from '../adapters/log.ts';
import { runOrThrow } from '../adapters/process.ts';
import { removeTree } from '../adapters/remove-tree.ts';
import type { Cache } from '../cache/cache.ts';
import { type GateError, MachineError, VmError } from '../common/errors.ts';
import { requireConfig } from '../kernels/needs.ts';
import { type Runner, runners } from '../model/inputs.ts';
import type { CachedKernel } from '../model/kernel.ts';
import { findExecutable } from '../prerequisites/executables.ts';
import { findReadable } from '../sandbox/readable-files.ts';
import type { Boot, RunnerEnd } from './boot.ts';
import { makeBootImage } from './boot-image.ts';
import { canConfine } from './can-confine.ts';
import { openGuestFile, readGuestFile } from './guest-files.ts';
import { type ObtainedProgram, obtainProgram } from './programs.ts';
import { snapshotOf } from './snapshot.ts';
import { runBoot } from './start.ts';
import { startVirtmeNg } from './virtme-ng.ts';
import { startVmtest } from './vmtest.ts';

export interface GuestContext {
  readonly cache: Cache;
  /** Environment in which QEMU, vmtest and cargo are found. */
  readonly environment: NodeJS.ProcessEnv;
  /**
   * Identities of tools that shape builds, by name, where versions do not show them; for fingerprints. Default: none.
   */
  readonly identities?: Readonly<Record<string, string>> | undefined;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Whether tools to compile a kernel may be installed. Default false. */
  readonly install?: boolean | undefined;
  /** Limits the number of a kernel's guests that run at once. Default: no limit, and one for each revision. */
  readonly guests?: LimitFunction | undefined;
  /** Number of guests among which a kernel's readings are shared. Default: one for each revision. */
  readonly shares?: number | undefined;
  /** Program that boots the guests. Default `vmtest`. */
  readonly runner?: Runner | undefined;
  /** Whether emulated guests start from saved machines, and save theirs. Default true. */
  readonly snapshots?: boolean | undefined;
  /** Whether cached builds and counts are ignored, and none are cached for later runs. Default false. */
  readonly fresh?: boolean | undefined;
  /** Share of the cached counts that are counted again and compared, from 0 to 1. Default 0.05. */
  readonly auditShare?: number | undefined;
  /** Whether all objects of head also run where QEMU's plugin sees what they execute. Default: what changed does. */
  readonly inside?: boolean | undefined;
  /** Orders the objects for a guest to load, for a test of whether the order matters. Default: by name. */
  readonly orderObjects?: (<T extends { readonly name: string }>(objects: readonly T[]) => readonly T[]) | undefined;
}

export const defaultMemoryMiB = 2048;

/** The accelerator of the instruction lane on every machine. */
export const icount = {
  accelerator: 'tcg-icount',
  reason: 'the instruction lane counts by icount, which KVM does not have',
} as const;

/**
 * A configuration that is not known is not checked; `lostGuest` then says what a guest needs.
 *
 * @throws KernelError when the kernel is configured without options that a guest, or measuring, needs
 */
export async function checkConfig(kernel: CachedKernel, { measured }: { readonly measured: boolean }): Promise<void> {
  if (kernel.config === undefined) return;
  const config = await readFile(kernel.config, 'utf8');
  requireConfig(kernel.pin, config, { hasModules: kernel.modulesRoot !== undefined, measured });
}

export interface GuestEnd extends RunnerEnd {
  /** The text of records.jsonl. Like the status, it is what the guest claims. */
  readonly records: string;
}

/** Maximum size of the agent's records. */
export const maxRecordsBytes = 64 * 1024 * 1024;

export function runnerOf(context: GuestContext): Runner {
  return context.runner ?? runners[0];
}

/** A boot without the parts that `startGuest` fills in. */
export interface GuestBoot extends Omit<Boot, 'image' | 'agent' | 'qemu' | 'readable' | 'path' | 'signal'> {
  /** Absolute paths of builds, or of the command's project. The guest can read them in addition to the tools. */
  readonly trees: readonly string[];
}

/** Absolute paths on the host that a guest can read; null, with one warning, where this kernel cannot confine QEMU. */
export async function readableIn(
  boot: Pick<Boot, 'kernel' | 'image' | 'initramfs' | 'agent' | 'qemu' | 'plugin'> & Pick<GuestBoot, 'trees'>,
  { cache, environment, log }: Pick<GuestContext, 'cache' | 'environment' | 'log'>,
): Promise<readonly string[] | null> {
  if (!(await canConfine(boot.agent, log))) return null;
  const { kernel, image, initramfs, agent, qemu, plugin, trees } = boot;
  const own = [
    kernel.image,
    kernel.modulesRoot ?? image,
    image,
    initramfs.file,
    agent,
    qemu,
    plugin?.file ?? agent,
    ...trees,
  ];
  return await findReadable({ cache, environment, own });
}

/**
 * Fills in what all guests of this host have in common, and starts the guest.
 *
 * @throws VmError when the guest failed or its time was up
 */
export async function startGuest(host: Host, context: GuestContext, { trees, ...boot }: GuestBoot): Promise<GuestEnd> {
  const { cache, environment } = context;
  const image = await makeBootImage(boot.kernel, cache, environment);
  const whole: Boot = {
    ...boot,
    image,
    readable: await readableIn({ ...boot, image, agent: host.agent.file, qemu: host.qemu, trees }, context),
    agent: host.agent.file,
    qemu: host.qemu,
    path: host.path,
    signal: context.signal,
  };
  const end = await runGuest(whole, host, context);
  return { ...end, records: await readGuestFile(join(boot.runFolder, 'records.jsonl'), maxRecordsBytes) };
}

async function runGuest(boot: Boot, host: Host, context: GuestContext): Promise<RunnerEnd> {
  // Under KVM a boot takes about a second, and a saved machine would be valid on this processor only.
  // A machine that runs for minutes, such as a build's, is not worth saving either.
  const wanted = context.snapshots !== false && boot.accelerator !== 'kvm' && boot.cpus === 1;
  const snapshot = wanted ? await snapshotOf(boot, context.cache, host.versions) : undefined;
  const prepare = { vmtest: startVmtest, 'virtme-ng': startVirtmeNg }[runnerOf(context)];
  return runBoot(boot, prepare, snapshot, context.log);
}

export interface Host {
  readonly qemu: string;
  /** `7.2.22`. */
  readonly qemuVersion: string;
  /** What the programs print as their versions. */
  readonly versions: { readonly qemu: string };
  readonly agent: ObtainedProgram;
  readonly path: string;
}

const hosts = new WeakMap<object, Promise<Host>>();

/** Finds what guests need of this host, once for each environment. */
export function prepareHost(context: GuestContext): Promise<Host> {
  const { environment } = context;
  const known = hosts.get(environment) ?? findHost(context);
  hosts.set(environment, known);
  known.catch(() => hosts.delete(environment));
  return known;
}

async function findHost(context: GuestContext): Promise<Host> {
  const { environment } = context;
  const qemu = await findExecutable('qemu-system-x86_64', environment);
  if (qemu === undefined) throw new MachineError('QEMU is not installed', { hint: 'run `bpfgate doctor --install`' });
  const versions = { qemu: await runOrThrow(qemu, ['--version'], { env: environment }) };
  const agent = await obtainProgram('bpfgate-agent', context);
  const qemuVersion = /version (\S+)/.exec(versions.qemu)?.[1] ?? 'unknown';
  return { qemu, qemuVersion, versions, agent, path: environment.PATH ?? '' };
}

/** Makes a run folder and removes it at the end. It is in the temporary folder: paths of sockets must stay short. */
export async function withRunFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await realpath(tmpdir())
    .then((parent) => mkdtemp(join(parent, 'bpfgate-run-')))
    .catch((cause: Error) => {
      throw new MachineError(`cannot make a folder in ${tmpdir()}: ${cause.message}`, { cause, hint: 'set TMPDIR' });
    });
  try {
    return await work(folder);
  } finally {
    await removeTree(folder);
  }
}

/** Options for following a file that a guest appends to. */
export interface TailOptions {
  readonly maxBytes: number;
  /** The error for a longer file. Default: one that names the file and `maxBytes`. */
  readonly tooLong?: () => GateError;
  /** Returns what to wait for before more is passed on, if anything. Default: nothing. */
  readonly untilTaken?: () => Promise<unknown> | undefined;
}

/** Follows a file that the guest appends to, even after the guest has unlinked it. */
export class FileTail {
  readonly #path: string;
  readonly #onChunk: (chunk: Buffer) => void;
  readonly #options: TailOptions;
  #bytes = 0;
  #handle: FileHandle | null = null;
  readonly #buffer = Buffer.alloc(65_536);
  /** Resolves when the last chunk has been taken. */
  #wait: Promise<void> | undefined;

  constructor(path: string, onChunk: (chunk: Buffer) => void, options: TailOptions) {
    this.#path = path;
    this.#onChunk = onChunk;
    this.#options = options;
  }

  /**
   * Passes on what has been added since, until `stop` aborts or a chunk has to be taken first. The rest waits in the
   * file, not in memory.
   *
   * @throws VmError when the file has become longer than allowed, if `tooLong` makes no other error
   */
  async read(stop: AbortSignal): Promise<void> {
    if (stop.aborted) return;
    this.#handle ??= await openGuestFile(this.#path);
    if (this.#handle === null) return;
    while (!stop.aborted && this.#wait === undefined) {
      const { bytesRead } = await this.#handle.read(this.#buffer, 0, this.#buffer.length, null);
      if (bytesRead === 0) return;
      this.#bytes += bytesRead;
      // A guest can make a file of a terabyte at no cost, at any time. Nothing of it is passed on.
      this.#checkLength(Math.max(this.#bytes, (await this.#handle.stat()).size));
      this.#onChunk(Buffer.from(this.#buffer.subarray(0, bytesRead)));
      const goOn = () => {
        this.#wait = undefined;
      };
      this.#wait = this.#options.untilTaken?.()?.then(goOn, goOn);
    }
  }

  /**
   * Passes on everything, however long that takes, unless `stop` aborts.
   *
   * @throws VmError as `read`
   */
  async finish(stop: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      stop.addEventListener('abort', () => resolve(), { once: true });
    });
    await this.read(stop);
    while (this.#wait !== undefined && !stop.aborted) {
      await Promise.race([this.#wait, stopped]);
      await this.read(stop);
    }
  }

  #checkLength(bytes: number): void {
    const { maxBytes, tooLong } = this.#options;
    if (bytes <= maxBytes) return;
    throw tooLong?.() ?? new VmError(`the guest left ${basename(this.#path)} of more than ${maxBytes} bytes`);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

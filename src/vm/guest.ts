// What starting any guest takes: the host's programs, a run folder, and following what the guest writes there.

import { type FileHandle, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { runOrThrow } from '../adapters/process.ts';
import type { Cache } from '../cache/cache.ts';
import { MachineError } from '../errors.ts';
import { type Runner, runners } from '../inputs/inputs.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
import { requireConfig } from '../kernels/needs.ts';
import { type Agent, buildAgent } from './agent.ts';
import type { Boot } from './boot.ts';
import { makeBootImage } from './boot-image.ts';
import { openGuestFile } from './guest-files.ts';
import { snapshotOf } from './snapshot.ts';
import { runVirtmeNg, type VirtmeNgEnd } from './virtme-ng.ts';
import { runVmtest, type VmtestEnd } from './vmtest.ts';

export interface GuestContext {
  readonly cache: Cache;
  /** Environment in which QEMU, vmtest and cargo are found. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** What boots the guests. Default `vmtest`. */
  readonly runner?: Runner | undefined;
  /** Whether emulated guests start from saved machines, and save theirs; under vmtest only. Default true. */
  readonly snapshots?: boolean | undefined;
  /** Whether base is not measured again where an equal result of it is kept, and kept where not. Default true. */
  readonly keepBase?: boolean | undefined;
}

export const defaultMemoryMiB = 2048;

/** The accelerator of the instruction lane, whatever else the machine has. */
export const icount = {
  accelerator: 'tcg-icount',
  reason: 'the instruction lane counts by icount, which KVM does not have',
} as const;

/** @throws KernelError when the kernel lacks what a guest needs, or what measuring needs */
export async function checkConfig(kernel: CachedKernel, { measured }: { readonly measured: boolean }): Promise<void> {
  const config = await readFile(kernel.config, 'utf8');
  requireConfig(kernel.pin, config, { hasModules: kernel.modulesRoot !== undefined, measured });
}

export type GuestEnd = VmtestEnd | VirtmeNgEnd;

export function runnerOf(context: GuestContext): Runner {
  return context.runner ?? runners[0];
}

/** Fills in what is the same for every guest of this host, and starts it. */
export async function startGuest(
  host: Host,
  context: GuestContext,
  boot: Omit<Boot, 'image' | 'agent' | 'qemu' | 'path' | 'signal'>,
): Promise<GuestEnd> {
  const whole: Boot = {
    ...boot,
    image: await makeBootImage(boot.kernel, context.cache, context.environment),
    agent: host.agent.file,
    qemu: host.qemu,
    path: host.path,
    signal: context.signal,
  };
  if (runnerOf(context) === 'virtme-ng') return runVirtmeNg(whole, context.cache);
  // Under KVM a boot takes about a second, and a saved machine would be this processor's only.
  // Nor is a machine worth keeping whose run takes minutes, such as a build's.
  const wanted = context.snapshots !== false && boot.accelerator !== 'kvm' && boot.cpus === 1;
  const snapshot = wanted ? await snapshotOf(whole, context.cache, host.versions) : undefined;
  return runVmtest(whole, snapshot, context.log);
}

export interface Host {
  readonly qemu: string;
  /** `7.2.22`. */
  readonly qemuVersion: string;
  /** What the programs say of themselves. */
  readonly versions: { readonly qemu: string; readonly vmtest: string };
  readonly agent: Agent;
  readonly path: string;
}

export async function prepareHost(context: GuestContext): Promise<Host> {
  const { environment } = context;
  const qemu = (await runOrThrow('bash', ['-c', 'command -v qemu-system-x86_64 || true'], { env: environment })).trim();
  if (qemu === '') throw new MachineError('QEMU is not installed', { hint: 'run `bpfgate doctor --install`' });
  const versions = {
    qemu: await runOrThrow(qemu, ['--version'], { env: environment }),
    vmtest: await runOrThrow('vmtest', ['--version'], { env: environment }),
  };
  const agent = await buildAgent(context.cache, environment, context.log, context.signal);
  const qemuVersion = /version (\S+)/.exec(versions.qemu)?.[1] ?? 'unknown';
  return { qemu, qemuVersion, versions, agent, path: environment.PATH ?? '' };
}

/** A fresh run folder, removed at the end. Under the temporary folder: vmtest's paths must stay short. */
export async function withRunFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await realpath(tmpdir())
    .then((parent) => mkdtemp(join(parent, 'bpfgate-run-')))
    .catch((cause: Error) => {
      throw new MachineError(`cannot make a folder in ${tmpdir()}: ${cause.message}`, { cause, hint: 'set TMPDIR' });
    });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Follows a file that the guest appends to, also when it is unlinked there meanwhile. */
export class FileTail {
  readonly #path: string;
  readonly #onChunk: (chunk: Buffer) => void;
  #handle: FileHandle | null = null;
  readonly #buffer = Buffer.alloc(65_536);

  constructor(path: string, onChunk: (chunk: Buffer) => void) {
    this.#path = path;
    this.#onChunk = onChunk;
  }

  async read(): Promise<void> {
    this.#handle ??= await openGuestFile(this.#path);
    if (this.#handle === null) return;
    for (;;) {
      const { bytesRead } = await this.#handle.read(this.#buffer, 0, this.#buffer.length, null);
      if (bytesRead === 0) return;
      this.#onChunk(Buffer.from(this.#buffer.subarray(0, bytesRead)));
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

// What the rest of bpfgate asks of a VM: run a command in a guest, or measure a plan's benches in one.

import { type FileHandle, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { packageRoot } from '../adapters/package-root.ts';
import { run, runOrThrow } from '../adapters/process.ts';
import type { Builds } from '../build/build.ts';
import type { BuildEnd, TreeBuild } from '../build/build-place.ts';
import { guestEnvironment } from '../build/environment.ts';
import type { Cache } from '../cache/cache.ts';
import { MachineError, VmError } from '../errors.ts';
import { type Runner, runners } from '../inputs/inputs.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
import { requireConfig } from '../kernels/needs.ts';
import type { Plan } from '../plan/plan.ts';
import { chooseAccelerator } from './accelerator.ts';
import { type Agent, buildAgent } from './agent.ts';
import type { Boot } from './boot.ts';
import { makeBootImage } from './boot-image.ts';
import { openGuestFile, readGuestBytes, readGuestFile } from './guest-files.ts';
import type { GuestProfile, GuestRun, Machine } from './guest-run.ts';
import { makeInitramfs } from './initramfs.ts';
import { machineArguments } from './machine.ts';
import { type AgentStatus, type GuestOutput, parseRecords, parseStatus, sortRecords } from './records.ts';
import { snapshotOf } from './snapshot.ts';
import type { StageTime } from './timing.ts';
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
}

export interface ExecRequest {
  readonly kernel: CachedKernel;
  readonly argv: readonly string[];
  /** Absolute path, seen in the guest as on the host. */
  readonly cwd: string;
  readonly memoryMiB: number;
  /** On the machine of the instruction lane instead of the fastest there is. */
  readonly icount: boolean;
  readonly timeoutMs: number;
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
  /** Called at the end with how long each stage took. */
  readonly onTiming?: (times: readonly StageTime[]) => void;
}

export const defaultMemoryMiB = 2048;
const icount = {
  accelerator: 'tcg-icount',
  reason: 'the instruction lane counts by icount, which KVM does not have',
} as const;
const accelerators = { kvm: 'KVM', tcg: 'TCG', 'tcg-icount': 'TCG with icount' } as const;
/** Of one reading's output, in bytes; more is an error, not memory. */
const maxBenchOutput = 8 * 1024 * 1024;
/** Of one file of a profile, in bytes, and of all of a boot: what the agent takes, and no more than fits in memory. */
const maxProfile = 16 * 1024 * 1024;
const maxProfiles = 64 * 1024 * 1024;
/** Of a build's output that is kept, its end, in characters. */
const maxBuildOutput = 65_536;
/** Of the agent's records, in bytes: some hundred thousand programs. */
const maxRecords = 64 * 1024 * 1024;

/**
 * Boots a kernel and runs one command in it, its output passed on as it comes.
 *
 * @returns the command's exit code; 128 + N when signal N ended it, as a shell says it
 * @throws VmError when the guest failed or its time was up
 */
export async function execInGuest(request: ExecRequest, context: GuestContext): Promise<number> {
  const { argv, cwd, onStdout, onStderr } = request;
  return withRunFolder(async (runFolder) => {
    const tails = [
      new FileTail(join(runFolder, 'stdout'), onStdout),
      new FileTail(join(runFolder, 'stderr'), onStderr),
    ];
    const end = await runCommand({ ...request, cpus: 1, runFolder, argv, cwd, tails }, context);
    request.onTiming?.(end.timing);
    return exitCodeOf(parseStatus(end.status));
  });
}

interface CommandRequest extends Pick<ExecRequest, 'kernel' | 'argv' | 'cwd' | 'memoryMiB' | 'icount' | 'timeoutMs'> {
  readonly cpus: number;
  readonly runFolder: string;
  /** Followed meanwhile, and closed at the end. */
  readonly tails: readonly FileTail[];
}

/** Runs one command in a guest of its own; stdout and stderr are in the run folder. */
async function runCommand(request: CommandRequest, context: GuestContext): Promise<GuestEnd> {
  const { kernel, argv, cwd, memoryMiB, cpus, runFolder, tails, timeoutMs } = request;
  try {
    await checkConfig(kernel, { measured: false });
    const host = await prepareHost(context);
    const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
    const choice = request.icount ? icount : await chooseAccelerator(kernel, initramfs, host.qemu, context.signal);
    context.log.progress(
      `booting ${kernel.pin.id} (${kernel.uname}) under ${accelerators[choice.accelerator]}${choice.reason === null ? '' : `: ${choice.reason}`}`,
    );
    const plan = { mode: 'exec', argv, cwd, env: guestEnvironment(context.environment) };
    await writeFile(join(runFolder, 'plan.json'), JSON.stringify(plan));
    const { accelerator } = choice;
    const onTick = async () => {
      for (const tail of tails) await tail.read();
    };
    return await start(host, context, {
      ...{ kernel, accelerator, initramfs, memoryMiB, cpus, runFolder, timeoutMs, onTick },
    });
  } finally {
    for (const tail of tails) await tail.close();
  }
}

/** Of the guest that builds, at most; and of the tree it hands back, which must fit in it. */
const buildMemoryMiB = 8192;

/**
 * Runs a build in a guest with all of the host's processors, the fastest there is, on the tree at `workDir`, and puts
 * what it made of the tree in its place. The guest has no network and harms nothing on the host; a build that fails
 * leaves the tree as it was.
 *
 * @throws VmError when the guest failed, or what it left is no tree
 */
export async function buildInGuest(
  kernel: CachedKernel,
  { command, workDir, project, timeoutMs, onLine }: TreeBuild,
  context: GuestContext,
): Promise<BuildEnd> {
  const memoryMiB = Math.min(buildMemoryMiB, Math.floor(totalmem() / 2 ** 21));
  return withRunFolder(async (runFolder) => {
    const lines = new Lines(onLine);
    const end = await runCommand(
      {
        ...{ kernel, memoryMiB, cpus: availableParallelism(), icount: false, timeoutMs, runFolder },
        // Read here: the guest has the host's bash, but not always this file's folder.
        argv: ['bash', '-c', await readFile(join(packageRoot, 'vm', 'build'), 'utf8'), 'build', workDir, command],
        cwd: project,
        tails: [new FileTail(join(runFolder, 'stderr'), (chunk) => lines.add(chunk))],
      },
      context,
    );
    const exitCode = exitCodeOf(parseStatus(end.status));
    if (exitCode !== 0) return { failure: `exited with ${exitCode}`, output: lines.last() };
    await unpackTree(join(runFolder, 'stdout'), workDir, memoryMiB);
    return { failure: undefined, output: lines.last() };
  });
}

/** Unpacks what a guest packed, beside the folder it replaces. Root in the guest can have put anything into it. */
async function unpackTree(archive: string, workDir: string, maxMiB: number): Promise<void> {
  const handle = await openGuestFile(archive);
  if (handle === null) throw new VmError('the guest left no tree');
  const unpacked = `${workDir}.guest`;
  try {
    const { size } = await handle.stat();
    if (size > maxMiB * 2 ** 20)
      throw new VmError(`the guest left a tree of ${size} bytes, more than its memory holds`);
    await rm(unpacked, { recursive: true, force: true });
    await mkdir(unpacked);
    // tar itself refuses `..`, takes a leading slash away and makes links last. Without the guest's owners and set-id bits.
    const args = ['--extract', '--file=-', `--directory=${unpacked}`, '--no-same-owner', '--no-same-permissions'];
    const tar = await run('tar', args, { stdin: handle });
    if (tar.exitCode !== 0) throw new VmError(`the guest left a tree that cannot be unpacked: ${tar.stderr.trim()}`);
    await rm(workDir, { recursive: true, force: true });
    await rename(unpacked, workDir);
  } finally {
    await handle.close();
    await rm(unpacked, { recursive: true, force: true });
  }
}

async function checkConfig(kernel: CachedKernel, { measured }: { readonly measured: boolean }): Promise<void> {
  const config = await readFile(kernel.config, 'utf8');
  requireConfig(kernel.pin, config, { hasModules: kernel.modulesRoot !== undefined, measured });
}

/** The exit code a shell would show for the command. */
export function exitCodeOf(status: AgentStatus): number {
  switch (status.outcome) {
    case 'exited':
      return status.exit_code;
    case 'signaled':
      return 128 + status.signal;
    case 'failed':
      if (typeof status.exit_code === 'number') return status.exit_code;
      throw new VmError(`the guest agent failed: ${status.message}`);
    case 'timed_out':
      throw new VmError(status.message);
    case 'measured':
      throw new VmError('the guest agent measured where it was told to run a command');
  }
}

export interface MeasureRequest {
  readonly kernel: CachedKernel;
  readonly plan: Plan;
  readonly builds: Builds;
  readonly timeoutMs: number;
}

export interface Measured {
  readonly run: GuestRun;
  readonly profiles: readonly GuestProfile[];
  readonly agent: Agent;
}

/**
 * Boots a kernel under icount and takes every reading of the plan's benches, base and head in the same boot; then the
 * profiles that benches ask for.
 *
 * @throws VmError when the guest failed or its time was up
 */
export async function measureInGuest(request: MeasureRequest, context: GuestContext): Promise<Measured> {
  const { kernel, plan, builds } = request;
  await checkConfig(kernel, { measured: true });
  const host = await prepareHost(context);
  const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
  const { accelerator } = icount;
  context.log.progress(`${kernel.pin.id}: booting ${kernel.uname} under TCG with icount`);
  return withRunFolder(async (runFolder) => {
    await mkdir(join(runFolder, 'output'));
    const agentPlan = {
      mode: 'measure',
      env: guestEnvironment(context.environment),
      work_dir: builds.workDir,
      project: builds.projectPath,
      revisions: [builds.base, builds.head].map(({ revision, dir }) => ({ name: revision, dir })),
      benches: plan.benches.map(({ name, guestCommand, observe, profileCommand, readingsWithoutPrograms }) => ({
        name,
        command: guestCommand,
        observe,
        profile: profileCommand,
        min_unobserved: readingsWithoutPrograms,
      })),
      readings: { min: 2, max: 10 },
    };
    await writeFile(join(runFolder, 'plan.json'), JSON.stringify(agentPlan));
    const records = join(runFolder, 'records.jsonl');
    const progress = new FileTail(records, reportProgress(kernel.pin.id, context.log));
    let end: GuestEnd;
    try {
      end = await start(host, context, {
        kernel,
        accelerator,
        initramfs,
        memoryMiB: defaultMemoryMiB,
        cpus: 1,
        runFolder,
        timeoutMs: request.timeoutMs,
        onTick: () => progress.read(),
      });
    } finally {
      await progress.close();
    }
    const status = parseStatus(end.status);
    if (status.outcome !== 'measured') {
      const message = 'message' in status ? status.message : status.outcome;
      throw new VmError(`the guest agent of kernel ${kernel.pin.id} failed: ${message}`);
    }
    const { profiles, ...output } = sortRecords(parseRecords(await readGuestFile(records, maxRecords)));
    const benches = [];
    for (const { stdout, stderr, ...bench } of output.benches) {
      const naming = (stream: string) => ({
        what: `a ${stream} of bench \`${bench.bench}\` (${bench.revision}, reading ${bench.reading})`,
        tooLong: 'let the bench print less, or send what is no result to a file',
      });
      const stdoutText = await readGuestFile(join(runFolder, stdout), maxBenchOutput, naming('stdout'));
      const stderrTail = (await readGuestFile(join(runFolder, stderr), maxBenchOutput, naming('stderr'))).slice(-4000);
      benches.push({ ...bench, stdoutText, stderrTail });
    }
    const machine: Machine = {
      accelerator,
      runner: runnerOf(context),
      acceleratorReason: icount.reason,
      qemuVersion: host.qemuVersion,
      cpuModel: machineArguments(accelerator).cpuModel,
      commandLine: output.guest.cmdline,
      startedFrom: end.startedFrom,
      memoryMiB: defaultMemoryMiB,
      initramfs: 'initramfs' in end ? end.initramfs : initramfs.sha256,
      agent: host.agent.version,
    };
    const read = await readProfiles(profiles, plan, runFolder);
    const warnings = [...output.warnings, ...read.warnings];
    return {
      run: { kernel: kernel.pin.id, machine, ...output, warnings, benches },
      profiles: read.profiles,
      agent: host.agent,
    };
  });
}

/** What cannot be had of the profiles is a warning: they decide nothing. */
async function readProfiles(
  files: GuestOutput['profiles'],
  plan: Plan,
  runFolder: string,
): Promise<{ readonly profiles: readonly GuestProfile[]; readonly warnings: readonly string[] }> {
  const profiles: GuestProfile[] = [];
  const warnings: string[] = [];
  let total = 0;
  for (const { file, ...profile } of files) {
    const { bench, revision, name } = profile;
    const isSame = (other: GuestProfile) => other.bench === bench && other.revision === revision && other.name === name;
    try {
      if (!plan.benches.some((planned) => planned.name === bench)) throw new VmError('there is no such bench');
      if (profiles.some(isSame)) throw new VmError('there are two of that name');
      const content = await readGuestBytes(join(runFolder, file), Math.min(maxProfile, maxProfiles - total));
      total += content.length;
      profiles.push({ ...profile, content });
    } catch (error) {
      warnings.push(`profile ${name} of bench \`${bench}\`, ${revision}, is not kept: ${(error as Error).message}`);
    }
  }
  return { profiles, warnings };
}

type GuestEnd = VmtestEnd | VirtmeNgEnd;

function runnerOf(context: GuestContext): Runner {
  return context.runner ?? runners[0];
}

/** Fills in what is the same for every guest of this host, and starts it. */
async function start(
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

interface Host {
  readonly qemu: string;
  /** `7.2.22`. */
  readonly qemuVersion: string;
  /** What the programs say of themselves. */
  readonly versions: { readonly qemu: string; readonly vmtest: string };
  readonly agent: Agent;
  readonly path: string;
}

async function prepareHost(context: GuestContext): Promise<Host> {
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
async function withRunFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
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
class FileTail {
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

/** Parts what comes in chunks into lines, and keeps the last of it. */
class Lines {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #pending = '';
  #last = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Buffer): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#last = (this.#last + text).slice(-maxBuildOutput);
    const lines = (this.#pending + text).split('\n');
    this.#pending = (lines.pop() ?? '').slice(-maxBuildOutput);
    for (const line of lines) this.#onLine(line);
  }

  last(): string {
    return this.#last;
  }
}

/** Turns the agent's progress records into lines for a person. */
function reportProgress(kernel: string, log: Log): (chunk: Buffer) => void {
  let pending = '';
  return (chunk) => {
    const lines = (pending + chunk.toString('utf8')).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      for (const record of parseRecords(line)) {
        if (record.record === 'guest') log.progress(`${kernel}: booted, measuring`);
        if (record.record === 'progress') {
          log.progress(`${kernel}: ${record.bench}, ${record.revision}, reading ${record.reading}`);
        }
        if (record.record === 'profiling') log.progress(`${kernel}: ${record.bench}, ${record.revision}, profile`);
      }
    }
  };
}

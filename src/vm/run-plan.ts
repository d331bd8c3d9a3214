// A guest whose agent carries out a plan of mode `measure`, and all that it leaves, read back.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { VmError } from '../errors.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
import {
  defaultMemoryMiB,
  FileTail,
  type GuestContext,
  type GuestEnd,
  type Host,
  runnerOf,
  startGuest,
  withRunFolder,
} from './guest.ts';
import { readGuestBytes, readGuestFile } from './guest-files.ts';
import type { Accelerator, BenchRecord, GuestProfile, Machine, RunName } from './guest-run.ts';
import type { Initramfs } from './initramfs.ts';
import { machineArguments } from './machine.ts';
import { type GuestOutput, parseRecords, parseStatus, sortRecords } from './records.ts';

/** Of one reading's output, in bytes; more is an error, not memory. */
const maxBenchOutput = 8 * 1024 * 1024;
/** Of all readings of a boot. */
const maxBootOutput = 128 * 1024 * 1024;
/** Of one file of a profile, in bytes, and of all of a boot: what the agent takes, and no more than fits in memory. */
const maxProfile = 16 * 1024 * 1024;
const maxProfiles = 64 * 1024 * 1024;
/** Of the agent's records, in bytes: some hundred thousand programs. */
const maxRecords = 64 * 1024 * 1024;

export interface PlanRequest {
  readonly kernel: CachedKernel;
  readonly initramfs: Initramfs;
  readonly accelerator: Accelerator;
  /** Why not KVM; null under KVM. */
  readonly acceleratorReason: string | null;
  /** `plan.json`, of mode `measure`. */
  readonly agentPlan: { readonly mode: 'measure'; readonly benches: readonly { readonly name: string }[] };
  readonly timeoutMs: number;
  /** Said behind each line of progress: how much time is left, say. */
  readonly note?: () => string;
}

export interface PlanRun extends Omit<GuestOutput, 'benches' | 'profiles'> {
  readonly machine: Machine;
  readonly benches: readonly BenchRecord<RunName>[];
  readonly profiles: readonly GuestProfile[];
}

/** @throws VmError when the guest failed or its time was up */
export async function runPlan(request: PlanRequest, host: Host, context: GuestContext): Promise<PlanRun> {
  const { kernel, initramfs, accelerator, acceleratorReason, agentPlan, timeoutMs } = request;
  return withRunFolder(async (runFolder) => {
    await mkdir(join(runFolder, 'output'));
    await writeFile(join(runFolder, 'plan.json'), JSON.stringify(agentPlan));
    const records = join(runFolder, 'records.jsonl');
    const progress = new FileTail(records, reportProgress(kernel.pin.id, context.log, request.note));
    let end: GuestEnd;
    try {
      end = await startGuest(host, context, {
        kernel,
        accelerator,
        initramfs,
        memoryMiB: defaultMemoryMiB,
        cpus: 1,
        runFolder,
        timeoutMs,
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
    let printed = 0;
    for (const { stdout, stderr, ...bench } of output.benches) {
      const naming = (stream: string) => ({
        what: `a ${stream} of bench \`${bench.bench}\` (${bench.revision}, reading ${bench.reading})`,
        tooLong: 'let the bench print less, or send what is no result to a file',
      });
      const stdoutText = await readGuestFile(join(runFolder, stdout), maxBenchOutput, naming('stdout'));
      const stderrTail = (await readGuestFile(join(runFolder, stderr), maxBenchOutput, naming('stderr'))).slice(-4000);
      printed += stdoutText.length;
      if (printed > maxBootOutput) {
        throw new VmError(`the benches printed more than ${maxBootOutput / 2 ** 20} MiB in one boot`, {
          hint: 'let them print less, or send what is no result to a file',
        });
      }
      benches.push({ ...bench, stdoutText, stderrTail });
    }
    const machine: Machine = {
      accelerator,
      runner: runnerOf(context),
      acceleratorReason,
      qemuVersion: host.qemuVersion,
      cpuModel: machineArguments(accelerator).cpuModel,
      commandLine: output.guest.cmdline,
      startedFrom: end.startedFrom,
      memoryMiB: defaultMemoryMiB,
      initramfs: 'initramfs' in end ? end.initramfs : initramfs.sha256,
      agent: host.agent.version,
    };
    const read = await readProfiles(profiles, agentPlan.benches, runFolder);
    const warnings = [...output.warnings, ...read.warnings];
    return { ...output, machine, benches, profiles: read.profiles, warnings };
  });
}

/** What cannot be had of the profiles is a warning: they decide nothing. */
async function readProfiles(
  files: GuestOutput['profiles'],
  benches: readonly { readonly name: string }[],
  runFolder: string,
): Promise<{ readonly profiles: readonly GuestProfile[]; readonly warnings: readonly string[] }> {
  const profiles: GuestProfile[] = [];
  const warnings: string[] = [];
  let total = 0;
  for (const { file, ...profile } of files) {
    const { bench, revision, name } = profile;
    const isSame = (other: GuestProfile) => other.bench === bench && other.revision === revision && other.name === name;
    try {
      if (!benches.some((planned) => planned.name === bench)) throw new VmError('there is no such bench');
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

/** Turns the agent's progress records into lines for a person. */
function reportProgress(kernel: string, log: Log, note = () => ''): (chunk: Buffer) => void {
  let pending = '';
  return (chunk) => {
    const lines = (pending + chunk.toString('utf8')).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      for (const record of parseRecords(line)) {
        if (record.record === 'guest') log.progress(`${kernel}: booted, measuring`);
        if (record.record === 'progress') {
          log.progress(`${kernel}: ${record.bench}, ${record.revision}, reading ${record.reading}${note()}`);
        }
        if (record.record === 'loading') log.progress(`${kernel}: loading ${record.object}, ${record.revision}`);
        if (record.record === 'profiling') log.progress(`${kernel}: ${record.bench}, ${record.revision}, profile`);
      }
    }
  };
}

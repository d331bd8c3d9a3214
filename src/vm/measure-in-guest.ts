// Every bench of a plan, base and head, in one guest under icount.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import type { Builds } from '../build/build.ts';
import { guestEnvironment } from '../build/environment.ts';
import { VmError } from '../errors.ts';
import type { CachedKernel } from '../kernels/kernel.ts';
import type { Plan } from '../plan/plan.ts';
import type { Agent } from './agent.ts';
import {
  checkConfig,
  defaultMemoryMiB,
  FileTail,
  type GuestContext,
  type GuestEnd,
  icount,
  prepareHost,
  runnerOf,
  startGuest,
  withRunFolder,
} from './guest.ts';
import { readGuestBytes, readGuestFile } from './guest-files.ts';
import type { GuestProfile, GuestRun, Machine } from './guest-run.ts';
import { makeInitramfs } from './initramfs.ts';
import { machineArguments } from './machine.ts';
import { type GuestOutput, parseRecords, parseStatus, sortRecords } from './records.ts';

/** Of one reading's output, in bytes; more is an error, not memory. */
const maxBenchOutput = 8 * 1024 * 1024;
/** Of one file of a profile, in bytes, and of all of a boot: what the agent takes, and no more than fits in memory. */
const maxProfile = 16 * 1024 * 1024;
const maxProfiles = 64 * 1024 * 1024;
/** Of the agent's records, in bytes: some hundred thousand programs. */
const maxRecords = 64 * 1024 * 1024;

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
      objects: plan.lanes.includes('verifier') ? builds.objects : [],
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
      end = await startGuest(host, context, {
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
        if (record.record === 'loading') log.progress(`${kernel}: loading ${record.object}, ${record.revision}`);
        if (record.record === 'profiling') log.progress(`${kernel}: ${record.bench}, ${record.revision}, profile`);
      }
    }
  };
}

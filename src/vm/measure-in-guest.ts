// Every bench of a plan, base and head, in one guest under icount.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import type { Builds, RevisionName } from '../build/build.ts';
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
  type Host,
  icount,
  prepareHost,
  runnerOf,
  startGuest,
  withRunFolder,
} from './guest.ts';
import { readGuestBytes, readGuestFile } from './guest-files.ts';
import type { GuestProfile, GuestRun, Machine } from './guest-run.ts';
import { type Initramfs, makeInitramfs } from './initramfs.ts';
import { dropKeptBase, findKeptBase, type KeptBase, keepBase, keptBaseKey } from './kept-base.ts';
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
 * Boots a kernel under icount and takes every reading of the plan's benches, base and head in the same boot, has every
 * program of the objects verified, and takes the profiles that benches ask for.
 *
 * What base counted is kept, and where the same is to be counted again only head is run. The empty programs are counted
 * in each boot: should they ever cost other than they did, what is kept is not believed, and all is measured.
 *
 * @throws VmError when the guest failed or its time was up
 */
export async function measureInGuest(request: MeasureRequest, context: GuestContext): Promise<Measured> {
  const { kernel } = request;
  await checkConfig(kernel, { measured: true });
  const host = await prepareHost(context);
  const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
  const guest = { host, initramfs };
  const { keepBase: isKept = true } = context;
  if (!isKept) return runPlan(request, guest, ['base', 'head'], context);

  const key = await keptBaseKey(shapingOf(request, guest, context), context.environment);
  const kept = await findKeptBase(context.cache, key);
  if (kept !== undefined) {
    const measured = await runPlan(request, guest, ['head'], context);
    const joined = joinKept(measured, kept);
    if (joined !== undefined) return joined;
    context.log.warn(`${kernel.pin.id}: this boot is not like the one in which base was measured; measuring both`);
    await dropKeptBase(context.cache, key);
  }
  const measured = await runPlan(request, guest, ['base', 'head'], context);
  await keepBase(context.cache, key, measured.run, measured.profiles);
  return measured;
}

/** What every boot of a request has in common. */
interface Guest {
  readonly host: Host;
  readonly initramfs: Initramfs;
}

/** Everything that shapes what base counts. */
function shapingOf({ kernel, plan, builds }: MeasureRequest, { host, initramfs }: Guest, context: GuestContext) {
  return {
    kernel: kernel.imageSha256,
    machine: machineArguments(icount.accelerator),
    runner: runnerOf(context),
    versions: host.versions,
    memoryMiB: defaultMemoryMiB,
    initramfs: initramfs.sha256,
    agent: host.agent.version,
    // A kept build's folder is named after all that went into it.
    build: builds.base.dir,
    plan: agentPlan(plan, builds, ['base'], context),
  };
}

/** Undefined when the two boots are not alike. */
function joinKept({ run, ...measured }: Measured, kept: KeptBase): Measured | undefined {
  const { commandLine, calibrations, profiles, ...base } = kept;
  if (commandLine !== run.machine.commandLine) return undefined;
  if (JSON.stringify(calibrations) !== JSON.stringify(run.calibrations)) return undefined;
  return {
    ...measured,
    run: {
      ...run,
      keptBase: true,
      benches: [...base.benches, ...run.benches],
      programs: [...base.programs, ...run.programs],
      objects: [...base.objects, ...run.objects],
      loads: [...base.loads, ...run.loads],
      warnings: [...base.warnings, ...run.warnings],
    },
    profiles: [...profiles, ...measured.profiles],
  };
}

/** `plan.json`. */
function agentPlan(plan: Plan, builds: Builds, revisions: readonly RevisionName[], context: GuestContext) {
  return {
    mode: 'measure',
    env: guestEnvironment(context.environment),
    work_dir: builds.workDir,
    project: builds.projectPath,
    revisions: revisions.map((name) => ({ name, dir: builds[name].dir })),
    objects: plan.lanes.includes('verifier')
      ? builds.objects.filter(({ revision }) => revisions.includes(revision))
      : [],
    benches: plan.benches.map(({ name, guestCommand, observe, profileCommand, readingsWithoutPrograms }) => ({
      name,
      command: guestCommand,
      observe,
      profile: profileCommand,
      min_unobserved: readingsWithoutPrograms,
    })),
    readings: { min: 2, max: 10 },
  };
}

async function runPlan(
  { kernel, plan, builds, timeoutMs }: MeasureRequest,
  { host, initramfs }: Guest,
  revisions: readonly RevisionName[],
  context: GuestContext,
): Promise<Measured> {
  const { accelerator } = icount;
  const kept = revisions.includes('base') ? '' : '; base is as measured before';
  context.log.progress(`${kernel.pin.id}: booting ${kernel.uname} under TCG with icount${kept}`);
  return withRunFolder(async (runFolder) => {
    await mkdir(join(runFolder, 'output'));
    await writeFile(join(runFolder, 'plan.json'), JSON.stringify(agentPlan(plan, builds, revisions, context)));
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
      run: { kernel: kernel.pin.id, machine, keptBase: false, ...output, warnings, benches },
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

// Guest: runs a guest whose agent carries out a plan of mode `measure`, and reads back everything that it leaves.

import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../adapters/log.ts';
import { BenchError, type FailedBench, VmError } from '../common/errors.ts';
import type { RevisionName } from '../model/build.ts';
import type { BenchRecord, GuestProfile, GuestWarning, Interrupts, Machine } from '../model/guest-run.ts';
import type { CachedKernel } from '../model/kernel.ts';
import {
  defaultMemoryMiB,
  FileTail,
  type GuestContext,
  type GuestEnd,
  type Host,
  icount,
  maxRecordsBytes,
  runnerOf,
  startGuest,
  withRunFolder,
} from './guest.ts';
import { readGuestBytes, readGuestEnd, readGuestFile } from './guest-files.ts';
import type { Initramfs } from './initramfs.ts';
import { LostProgramError, ObjectWatch } from './lost-programs.ts';
import { machineArguments } from './machine.ts';
import {
  checkLength,
  type GuestOutput,
  parseRecords,
  parseStatus,
  type RecordsPlan,
  requirePlanned,
  sortRecords,
} from './records.ts';
import { limitRunFolder } from './run-folder-limit.ts';

/**
 * Maximum output of one reading, in bytes; more is an error and takes no memory. The agent ends a command that prints
 * more.
 */
const maxBenchOutput = 8 * 1024 * 1024;
/** Number of characters that are kept from the end of a reading's stderr. */
const maxStderrTail = 4000;
/** Maximum output of all readings of a boot. */
const maxBootOutput = 128 * 1024 * 1024;
/**
 * Maximum size of one file of a profile, in bytes, and of all files of a boot: what the agent takes, and memory holds.
 */
const maxProfile = 16 * 1024 * 1024;
const maxProfiles = 64 * 1024 * 1024;
/** Name and maximum size of what QEMU's plugin writes, as it has them (vm/plugin). */
const pluginOutput = 'inside.txt';
const maxPluginOutput = 64 * 1024 * 1024;

export interface PlanRequest {
  readonly kernel: CachedKernel;
  readonly initramfs: Initramfs;
  /** The revision that the plan is for. */
  readonly revision: RevisionName;
  /** `plan.json`, of mode `measure`. */
  readonly agentPlan: RecordsPlan & {
    readonly mode: 'measure';
    readonly objects: readonly { readonly name: string }[];
  };
  /** Absolute paths of the built trees. */
  readonly trees: readonly string[];
  readonly timeoutMs: number;
  /** Absolute path of QEMU's plugin, which then sees what programs execute. Default: none is loaded. */
  readonly plugin?: string | undefined;
}

export interface PlanRun extends Omit<GuestOutput, 'benches' | 'profiles' | 'interrupts'> {
  readonly machine: Machine;
  readonly benches: readonly BenchRecord[];
  readonly profiles: readonly GuestProfile[];
  /** What QEMU's plugin wrote; undefined without one. Like all that a guest leaves, it can be anything. */
  readonly seen: { readonly text: string; readonly interrupts: Interrupts } | undefined;
}

const printLess = 'let the bench print less, or send what is no result to a file';

/**
 * @throws VmError when the guest failed or its time was up
 * @throws BenchError when a bench printed more than is read
 */
export async function runPlan(request: PlanRequest, host: Host, context: GuestContext): Promise<PlanRun> {
  const { kernel, initramfs, revision, agentPlan, trees, timeoutMs } = request;
  const { accelerator, reason: acceleratorReason } = icount;
  return withRunFolder(async (runFolder) => {
    await mkdir(join(runFolder, 'output'));
    // Only the agent may say what the plugin looks at.
    const plugin =
      request.plugin === undefined ? undefined : { file: request.plugin, secret: randomBytes(8).toString('hex') };
    await writeFile(join(runFolder, 'plan.json'), JSON.stringify({ ...agentPlan, inside: plugin?.secret }));
    // Objects' `__kconfig` variables are read from it: Debian's kernels do not show it.
    if (agentPlan.objects.length > 0 && kernel.config !== undefined) {
      await copyFile(kernel.config, join(runFolder, 'kernel.config'));
    }
    const watch = new ObjectWatch();
    const followed = followProgress(kernel.pin.id, revision, context.log, watch);
    const progress = new FileTail(join(runFolder, 'records.jsonl'), followed.onChunk, { maxBytes: maxRecordsBytes });
    const checkSize = limitRunFolder(runFolder, kernel.pin.id);
    let end: GuestEnd;
    try {
      end = await startGuest(host, context, {
        kernel,
        accelerator,
        initramfs,
        memoryMiB: defaultMemoryMiB,
        cpus: 1,
        trees,
        plugin,
        runFolder,
        timeoutMs,
        onTick: async (stop) => {
          await progress.read(stop);
          const stalled = watch.stalled();
          if (stalled !== undefined) throw stalled;
          await checkSize();
        },
      });
    } catch (error) {
      const doing = followed.doing();
      if (!(error instanceof VmError) || error instanceof LostProgramError || doing === undefined) throw error;
      const { message, hint, consoleTail } = error;
      const lost = error.isLost ? watch.lost(error) : undefined;
      if (lost !== undefined) throw lost;
      throw new VmError(`${message}, ${doing}`, { cause: error, consoleTail, hint, bench: followed.bench() });
    } finally {
      await progress.close();
    }
    const took = followed.end();
    const status = parseStatus(end.status);
    if (status.outcome !== 'measured') {
      const message = 'message' in status ? status.message : status.outcome;
      throw new VmError(`the guest agent of kernel ${kernel.pin.id} failed: ${message}`);
    }
    const { profiles, interrupts, ...output } = requirePlanned(
      sortRecords(parseRecords(end.records), revision),
      agentPlan,
    );
    const benches = [];
    let printed = 0;
    for (const bench of output.benches) {
      const fileOf = (stream: string) => join(runFolder, 'output', `${bench.bench}.${bench.reading}.${stream}`);
      const errorsOf = (stream: string) => ({
        what: `a ${stream} of bench \`${bench.bench}\` (${revision}, reading ${bench.reading})`,
        tooLong: () =>
          new BenchError(
            `bench \`${bench.bench}\` printed more than ${maxBenchOutput / 2 ** 20} MiB to ${stream} on ${revision}, kernel ${kernel.pin.id}, reading ${bench.reading}`,
            { hint: printLess, bench: { name: bench.bench, revision } },
          ),
      });
      const stdoutText = await readGuestFile(fileOf('stdout'), maxBenchOutput, errorsOf('stdout'));
      const stderrTail = await readGuestEnd(fileOf('stderr'), maxBenchOutput, maxStderrTail, errorsOf('stderr'));
      printed += stdoutText.length;
      if (printed > maxBootOutput) {
        throw new BenchError(
          `the benches printed more than ${maxBootOutput / 2 ** 20} MiB in one boot of kernel ${kernel.pin.id}`,
          { hint: printLess, bench: { name: bench.bench, revision } },
        );
      }
      const readings = output.benches.filter((other) => other.bench === bench.bench).length;
      const tookMs = Math.round((took.get(bench.bench) ?? 0) / readings);
      benches.push({ ...bench, stdoutText, stderrTail, tookMs });
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
      initramfs: initramfs.sha256,
      agent: host.agent.version,
    };
    const read = await readProfiles(profiles, agentPlan.benches, runFolder);
    const warnings = [...output.warnings, ...read.warnings];
    const seen = plugin && { text: await readGuestFile(join(runFolder, pluginOutput), maxPluginOutput), interrupts };
    return { ...output, machine, benches, profiles: read.profiles, seen, warnings };
  });
}

/** Reads the profiles. One that cannot be read is only a warning, because profiles decide nothing. */
async function readProfiles(
  files: GuestOutput['profiles'],
  benches: readonly { readonly name: string }[],
  runFolder: string,
): Promise<{ readonly profiles: readonly GuestProfile[]; readonly warnings: readonly GuestWarning[] }> {
  const profiles: GuestProfile[] = [];
  const warnings: GuestWarning[] = [];
  let total = 0;
  for (const profile of files) {
    const { bench, revision, name } = profile;
    const isSame = (other: GuestProfile) => other.bench === bench && other.name === name;
    try {
      if (!benches.some((planned) => planned.name === bench)) throw new VmError('there is no such bench');
      if (profiles.some(isSame)) throw new VmError('there are two of that name');
      const file = join(runFolder, 'profiles', `${name}@${bench}`);
      const content = await readGuestBytes(file, Math.min(maxProfile, maxProfiles - total));
      total += content.length;
      profiles.push({ ...profile, content });
    } catch (error) {
      const reason = `a profile is not kept: ${(error as Error).message}`;
      warnings.push({ about: [bench], bench, revision, reason, detail: name });
    }
  }
  return { profiles, warnings };
}

/** Maximum number of progress lines of a boot. */
const maxProgress = 10_000;

/**
 * Turns the agent's progress records into lines for a person, and remembers what the guest is doing and what each
 * bench took, in milliseconds.
 */
function followProgress(kernel: string, revision: RevisionName, log: Log, watch: ObjectWatch) {
  let pending = '';
  let doing: string | undefined;
  let failing: FailedBench | undefined;
  const took = new Map<string, number>();
  let running: { readonly bench: string; readonly sinceMs: number } | undefined;
  const begin = (bench: string | undefined) => {
    const sinceMs = performance.now();
    if (running !== undefined) took.set(running.bench, (took.get(running.bench) ?? 0) + sinceMs - running.sinceMs);
    running = bench === undefined ? undefined : { bench, sinceMs };
  };
  let said = 0;
  // A guest can print lines without end, and a workflow's log is limited.
  const say = (line: string) => {
    said += 1;
    if (said <= maxProgress) log.progress(`${kernel}: ${line}`);
  };
  const onChunk = (chunk: Buffer) => {
    const lines = (pending + chunk.toString('utf8')).split('\n');
    pending = lines.pop() ?? '';
    checkLength(pending);
    for (const line of lines) {
      for (const record of parseRecords(line)) {
        watch.see(record);
        if (record.record === 'guest') say('booted, measuring');
        if (record.record === 'progress') {
          begin(record.bench);
          failing = { name: record.bench, revision };
          doing = `in bench \`${record.bench}\`, ${revision}, reading ${record.reading}`;
          say(`${record.bench}, ${revision}, reading ${record.reading}`);
        }
        if (record.record === 'loading') {
          failing = undefined;
          doing = `loading ${record.object}, ${revision}`;
          say(doing);
        }
        if (record.record === 'profiling') {
          begin(record.bench);
          failing = { name: record.bench, revision };
          doing = `profiling bench \`${record.bench}\`, ${revision}`;
          say(`${record.bench}, ${revision}, profile`);
        }
      }
    }
  };
  const end = () => {
    begin(undefined);
    return took;
  };
  return { onChunk, doing: () => doing, bench: () => failing, end };
}

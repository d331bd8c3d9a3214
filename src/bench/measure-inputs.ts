// Bench: turns runs of objects' programs on inputs into instructions per run. Pure.

import { groupBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import type { InputRun, LoadRecord } from '../model/guest-run.ts';
import { measureProgram } from './measure-programs.ts';
import type { Gap, OwnWarning, PrintedValue, ProgramCount } from './measurement.ts';

/** A program of one revision. */
interface Side {
  readonly revision: RevisionName;
  readonly load: LoadRecord;
  readonly renamedFrom: string | undefined;
}

/** Name of the standard packet that has no more than an Ethernet header. */
const shortest = 'runt';

export interface InputsMeasured {
  readonly measurements: readonly (ProgramCount | PrintedValue)[];
  readonly gaps: readonly Gap[];
  /** Why it ran in no revision: on some inputs, or on any. */
  readonly idle: readonly OwnWarning[];
}

/**
 * Measures a program on each input: `<program>/<input>`. What it returns and the packet that it leaves are recorded,
 * and a difference between the revisions is a warning. A program that was attached also has `events`: how often it ran,
 * for each system call of the workload.
 */
export function measureInputs(kernel: string, program: string, sides: readonly Side[]): InputsMeasured {
  const measurements: (ProgramCount | PrintedValue)[] = [];
  const gaps: Gap[] = [];
  const runs = sides.map((side) => new Map(side.load.inputs?.runs.map((run) => [run.input, run])));
  const inputs = new Set(runs.flatMap((own) => [...own.keys()]));
  const failed: { readonly input: string; readonly reason: string }[] = [];
  for (const input of inputs) {
    const benchmark = `${program}/${input}`;
    const own = runs.map((each) => each.get(input));
    // A count at another function says nothing about one at the program's own.
    const isAtOwn = own.some((run) => run !== undefined && run.instead === null);
    const found = sides.map((side, index) => {
      const run = own[index];
      if (run !== undefined && run.instead !== null && (isAtOwn || run.error !== null))
        return { ...side, run: undefined, reason: `${run.instead.because}: ${nameIt}` };
      return { ...side, run, reason: run === undefined ? (side.load.inputs?.error ?? null) : run.error };
    });
    const ran = found.filter(({ run }) => run !== undefined && run.error === null);
    if (ran.length === 0) {
      failed.push({ input, reason: found.find(({ reason }) => reason !== null)?.reason ?? 'no reason is known' });
      continue;
    }
    const both = ran.flatMap((side) => side.run ?? []);
    for (const { revision, run, reason, load, renamedFrom } of found) {
      if (run === undefined || run.error !== null) {
        if (reason !== null) gaps.push({ kernel, lane: 'instructions', revision, benchmark, needs: null, reason });
        continue;
      }
      const other = found.find((side) => side.revision !== revision)?.run;
      const former = renamedFrom === undefined ? undefined : `${renamedFrom}/${input}`;
      const subject = { kernel, revision, benchmark, renamedFrom: former };
      const readings = toReadings(run, load);
      const empty = findEmpty(run, both);
      const count = measureProgram(subject, {
        readings,
        ran: readings,
        other: other === undefined ? [] : toReadings(other, load),
        taken: readings.length,
        type: load.prog_type,
        empty,
      });
      const changes = revision === 'head' && other !== undefined ? describeChanges(other, run) : [];
      measurements.push({
        ...count,
        ...(run.returned === null ? withCounts(count, both) : {}),
        warnings: [
          ...count.warnings,
          ...changes,
          ...(empty === null ? [describeGross(both, load.prog_type)] : []),
          ...(run.instead === null
            ? []
            : [{ reason: elsewhere, detail: `at ${run.instead.at}, because ${run.instead.because}` }]),
        ],
        ...(run.returned === null
          ? {}
          : { behavior: { returned: nameVerdict(run.returned, load.prog_type), left: run.left } }),
      });
      if (run.calls !== null) measurements.push(toEvents(count, run.calls));
    }
  }
  // The kernel makes no socket buffer of so short a packet.
  const unexpected = failed.length < inputs.size ? failed.filter(({ input }) => input !== shortest) : failed;
  const ended = sides.flatMap(({ load }) => load.inputs?.error ?? []).slice(0, 1);
  const idle = groupBy(unexpected, ({ reason }) => reason).map((group) => {
    const names = group.map(({ input }) => input).join(', ');
    return { reason: group[0].reason, ...(group.length < inputs.size ? { detail: `on ${names}` } : {}) };
  });
  const why = inputs.size === 0 ? ended.map((reason) => ({ reason })) : idle;
  return { measurements, gaps, idle: why.map(({ reason, ...own }) => ({ ...own, reason: `did not run: ${reason}` })) };
}

/**
 * The certainty of a count whose readings, or those of the other revision, have different numbers of runs: what else the
 * guest does causes some of these runs, and they may cost more or less than the others. Runs that all cost the same do
 * not depend on their number.
 */
function withCounts(count: ProgramCount, runs: readonly InputRun[]): Partial<ProgramCount> {
  const counts = runs.flatMap(({ readings }) => readings.map(({ run_cnt }) => run_cnt));
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (least === most || runs.every(isUniform)) return {};
  return { exact: false, resolution: Math.max(count.resolution, (most - least) / most) };
}

/**
 * Whether a run costs the same whole number of instructions in the lowest reading of each number of runs that was read
 * more than once. A single reading may be a little higher by chance.
 */
function isUniform({ readings }: InputRun): boolean {
  const repeated = groupBy(readings, ({ run_cnt }) => String(run_cnt)).filter((group) => group.length > 1);
  const costs = repeated.map((group) => Math.min(...group.map(({ run_time_ns }) => run_time_ns)) / group[0].run_cnt);
  return costs.length > 0 && costs.every((cost) => Number.isInteger(cost) && cost === costs[0]);
}

/** Instructions of a run of an empty program; null where it was not counted for both, whose counts then include it. */
function findEmpty(run: InputRun, runs: readonly InputRun[]): number | null {
  if (run.empty === null || runs.some(({ empty }) => empty === null)) return null;
  return run.empty.run_time_ns / run.empty.run_cnt;
}

function describeGross(runs: readonly InputRun[], type: string): OwnWarning {
  const why = runs.find(({ no_empty }) => no_empty !== null)?.no_empty;
  return { reason: `no empty ${type} program was counted (${why}), so the count includes the kernel's own` };
}

const nameIt = 'if its loader chooses the function, name it by [[program]] in bpfgate.toml';
const elsewhere = `counted at another function than the section names: ${nameIt}`;

function toReadings({ readings }: InputRun, { source }: LoadRecord) {
  return readings.map((reading) => ({ ...reading, recursion_misses: null, source }));
}

/** @param calls of the workload in each reading */
function toEvents(count: ProgramCount, calls: number): PrintedValue {
  const { kernel, revision, benchmark, renamedFrom, source, runCount } = count;
  const events = count.samples.map((sample) => sample.count);
  const spread = (Math.max(...events) - Math.min(...events)) / runCount;
  return {
    kernel,
    revision,
    benchmark,
    renamedFrom,
    source,
    lane: 'instructions',
    kind: 'benchmark',
    measure: 'events',
    unit: 'events/call',
    better: 'lower',
    value: runCount / calls,
    exact: spread === 0,
    resolution: spread,
    samples: events.map((total) => ({ count: calls, total })),
    confirmations: [],
    warnings: [],
  };
}

/** Describes what head's run left otherwise. The report compares return values itself. */
function describeChanges(base: InputRun, head: InputRun): OwnWarning[] {
  return base.left === head.left ? [] : [{ reason: 'leaves another packet than in base' }];
}

/** Names of `TC_ACT_*`, from -1 on. */
const actions = ['UNSPEC', 'OK', 'RECLASSIFY', 'SHOT', 'PIPE', 'STOLEN', 'QUEUED', 'REPEAT', 'REDIRECT', 'TRAP'];
/** Names of `enum xdp_action`, from 0 on. */
const xdpActions = ['ABORTED', 'DROP', 'PASS', 'TX', 'REDIRECT'];

/** @param returned as the kernel gives it: without a sign */
function nameVerdict(returned: number, type: string): string {
  const signed = returned | 0;
  const isAction = type === 'sched_cls' || type === 'sched_act';
  const name = type === 'xdp' ? xdpActions[signed] : isAction ? actions[signed + 1] : undefined;
  if (name === undefined) return `${signed}`;
  return type === 'xdp' ? `XDP_${name}` : `TC_ACT_${name}`;
}

// Bench: turns observed runs of BPF programs into instructions per run.

import { MachineError } from '../common/errors.ts';
import { groupBy } from '../common/group-by.ts';
import { revisionNames } from '../model/build.ts';
import type { GuestRun, ProgramRecord } from '../model/guest-run.ts';
import type { Warning } from '../model/warning.ts';
import { countEmpties } from './empties.ts';
import type { Measured, MeasuredCode, ProgramCount } from './measurement.ts';
import { findMode } from './mode.ts';
import { namePrograms, type Rename } from './program-names.ts';
import { baseResolution } from './resolution.ts';
import { ownTotals, ticks, withoutStrays } from './ticks.ts';

/**
 * Measures each program in each revision. Of the readings with the usual number of runs, the lowest total is used,
 * because timer ticks only ever add to it. The value is that total over the number of runs, less an empty program's
 * share.
 *
 * If the number of runs varies between readings, some readings have extra runs of a kind that costs more or less than
 * the others. So base and head are read at the same number, if both came to it twice. If they did not, the uncertainty
 * is how far the count varies with that number.
 */
export function measurePrograms(run: GuestRun, bench: string, renames: readonly Rename[] = []): Measured {
  const records = run.programs.filter((record) => record.bench === bench);
  const programs = namePrograms(records, renames);
  const empties = countEmpties(run);
  const measurements: ProgramCount[] = [];
  const codes: MeasuredCode[] = [];
  const warnings: Warning[] = [];
  for (const revision of revisionNames) {
    const taken = run.benches.filter((record) => record.bench === bench && record.revision === revision).length;
    for (const { benchmark, set, isMix, ownNames, renamedFrom, records } of programs) {
      const readings = records.filter((record) => record.revision === revision);
      const ran = readings.filter((record) => record.run_cnt > 0);
      const [first] = ran;
      if (first === undefined) {
        if (readings.length > 0)
          warnings.push({ about: [benchmark], revision, reason: 'loaded, but never ran: not counted' });
        continue;
      }
      const other = records.filter((record) => record.revision !== revision);
      const { prog_type: type } = first;
      const empty = empties.get(type) ?? null;
      const former = revision === 'base' ? renamedFrom : undefined;
      const subject = { kernel: run.kernel, revision, benchmark, ownName: ownNames[revision], renamedFrom: former };
      measurements.push(measureProgram(subject, { readings, ran, other, taken, type, empty }));
      if (set !== null) {
        const detail = `${set.size} programs`;
        warnings.push({ about: [set.name], reason: indistinguishable, detail });
      }
      // Lines of one program say nothing about another.
      const code = isMix ? undefined : readings.find((record) => record.machine_code)?.machine_code;
      if (code) codes.push({ kernel: run.kernel, revision, lane: 'instructions', benchmark, code });
      if (empty === null) {
        const reason = `no empty ${type} program was counted, so the count includes the kernel's own`;
        warnings.push({ about: [benchmark], reason });
      }
    }
  }
  return { measurements, codes, warnings };
}

const indistinguishable = 'programs that cannot be distinguished, so they are compared as a set, in order of cost';

type Reading = Pick<ProgramRecord, 'run_cnt' | 'run_time_ns' | 'recursion_misses' | 'source' | 'warnings'>;

interface ProgramReadings {
  readonly readings: readonly Reading[];
  /** Readings in which it ran; at least one. */
  readonly ran: readonly Reading[];
  /** Readings of the other revision. */
  readonly other: readonly Reading[];
  /** Number of readings of the revision; in some of them the program may not have been loaded. */
  readonly taken: number;
  /** The program's type, and instructions per run of an empty one; null if none was counted. */
  readonly type: string;
  readonly empty: number | null;
}

type Subject = Pick<ProgramCount, 'kernel' | 'revision' | 'benchmark' | 'ownName' | 'renamedFrom'>;

/** Measures one program of one revision: see {@link measurePrograms}. */
export function measureProgram(
  subject: Subject,
  { readings, ran, other, taken, type, empty }: ProgramReadings,
): ProgramCount {
  const usual = findSharedCount(ran, other) ?? findUsualCount(ran);
  const otherRan = other.filter((record) => record.run_cnt > 0);
  const isShared = otherRan.length === 0 || (findSharedCount(otherRan, ran) ?? findUsualCount(otherRan)) === usual;
  const totals = ran.filter((record) => record.run_cnt === usual).map((record) => record.run_time_ns);
  const total = Math.min(...totals);
  if (total === 0) {
    const { kernel, revision, benchmark } = subject;
    throw new MachineError(`kernel ${kernel} counted ${usual} runs of ${benchmark} on ${revision} and no time`, {
      hint: 'BPF statistics were off or the clock stood still; this is a fault of the VM, not of the project',
    });
  }
  const gross = total / usual;
  const net = empty === null ? null : (total - empty * usual) / usual;
  const own = ownTotals(totals);
  const clean = totals.filter((each) => each === total).length;
  const isOwnDoing = clean < ticks.clean_per_stray * (own.length - clean);
  const varying = isShared ? 0 : spreadOverCounts(ran, empty ?? 0, usual);
  const certain = clean > 1 && !isOwnDoing && varying === 0;
  const missed = readings.flatMap((record) => record.recursion_misses ?? []);
  return {
    ...subject,
    lane: 'instructions',
    measure: 'bpf-instructions',
    unit: 'instructions/run',
    better: 'lower',
    kind: 'bpf-program',
    value: net ?? gross,
    gross,
    empty,
    exact: certain,
    resolution: certain ? 0 : Math.max(baseResolution, spreadOf(withoutStrays(totals)), varying),
    samples: readings.map((record) => ({ count: record.run_cnt, total: record.run_time_ns })),
    runCount: usual,
    missedRuns: missed.length === 0 ? null : Math.max(...missed),
    warnings: [
      ...(readings.length < taken
        ? [{ reason: 'not loaded in every reading', detail: `in ${readings.length} of ${taken}` }]
        : []),
      ...(net !== null && net < 0
        ? [
            {
              reason: `counts fewer instructions per run than an empty ${type} program`,
              detail: `${gross}, not ${empty}`,
            },
          ]
        : []),
      ...(missed.some((count) => count > 0)
        ? [{ reason: skipped, detail: `up to ${Math.max(...missed)} in a reading` }]
        : []),
      ...[...new Set(readings.flatMap((record) => record.warnings ?? []))].map((reason) => ({ reason })),
    ],
    source: readings.find((record) => record.source !== null)?.source ?? null,
  };
}

/**
 * The distance of the second lowest total from the lowest, as a fraction: a tick may have added that much to the
 * lowest. If ticks do not explain some of the totals above the lowest, the highest of those is taken instead.
 */
function spreadOf(totals: readonly number[]): number {
  const own = ownTotals(totals);
  const [least = 0, next] = totals.toSorted((a, b) => a - b);
  const other = own.length > 1 ? Math.max(...own) : next;
  return other === undefined || least === 0 ? 1 : Math.min(1, (other - least) / least);
}

const skipped = 'the kernel skipped runs because the program was already running';

/** The most common number of runs; of equally common ones the largest, in which first runs weigh least. */
function findUsualCount(ran: readonly Reading[]): number {
  return -(findMode(ran.map((record) => -record.run_cnt)) ?? 0);
}

/** The number of runs that most readings of both revisions have, at least two in each; the largest in a tie. */
function findSharedCount(ran: readonly Reading[], other: readonly Reading[]): number | undefined {
  const timesIn = (records: readonly Reading[], count: number) =>
    records.filter((record) => record.run_cnt === count).length;
  const shared = [...new Set(ran.map((record) => record.run_cnt))]
    .map((count) => ({ count, times: Math.min(timesIn(ran, count), timesIn(other, count)) }))
    .filter(({ times }) => times > 1)
    .toSorted((a, b) => b.times - a.times || b.count - a.count);
  return shared[0]?.count;
}

/** The largest distance of the counts at other numbers of runs from the count at `usual` runs, as a fraction of it. */
function spreadOverCounts(ran: readonly Reading[], empty: number, usual: number): number {
  const counts = new Map(
    groupBy(ran, (record) => String(record.run_cnt)).map((group) => {
      const runs = group[0].run_cnt;
      return [runs, (Math.min(...group.map((record) => record.run_time_ns)) - empty * runs) / runs];
    }),
  );
  const value = counts.get(usual) ?? 0;
  const furthest = Math.max(...[...counts.values()].map((count) => Math.abs(count - value)));
  if (furthest === 0) return 0;
  return value === 0 ? 1 : Math.min(1, furthest / Math.abs(value));
}

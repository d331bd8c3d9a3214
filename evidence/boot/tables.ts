// Boot times: the tables of one run's samples. Pure.

import type { Row, Tables } from '../record.ts';
import { formatRatio, formatSpread, medianRatio, type Sample, spreadOf, timesOf, untilFirst } from '../statistics.ts';

/** Every subject, in the order of the tables. */
export const subjectNames = {
  floor: 'floor',
  icountFloor: 'floor under icount',
  vmtest: 'stock vmtest',
  vng: 'stock vng',
  execCold: 'bpfgate exec, cold',
  execSnapshot: 'bpfgate exec, from a snapshot',
  laneCold: 'instruction lane, cold',
  laneSnapshot: 'instruction lane, from a snapshot',
} as const;

/** Two ways in which bpfgate starts a guest, each cold and from a snapshot. */
const ways = [
  { name: 'bpfgate exec', cold: subjectNames.execCold, snapshot: subjectNames.execSnapshot },
  { name: 'instruction lane', cold: subjectNames.laneCold, snapshot: subjectNames.laneSnapshot },
] as const;

export interface SavedMachine {
  readonly kernel: string;
  readonly way: (typeof ways)[number]['name'];
  readonly bytes: number;
  /** Time in the initramfs, of the boot that saved the snapshot. */
  readonly initramfsMs?: number | undefined;
}

export interface BootRun {
  /** Ids. */
  readonly kernels: readonly string[];
  readonly samples: readonly Sample[];
  readonly saved: readonly SavedMachine[];
}

/** One requirement for the boots, and the measured ratios. */
export interface Finding {
  readonly requirement: string;
  readonly kernel: string;
  /** Ratio for each of `ways`, in their order; undefined if it was not measured. */
  readonly ratios: readonly (number | undefined)[];
  readonly limit: number;
}

/** Kernels whose boot time has a limit relative to the floor. */
const limited = ['6.1', '6.12'];

/** Compares the boots with the requirements. Every ratio is the median of the ratios within each round. */
export function findFindings({ kernels, samples }: BootRun): Finding[] {
  const compare = (start: 'cold' | 'snapshot', kernel: string, to: { kernel?: string; subject?: string }) =>
    ways.map((way) => {
      const series = { kernel, subject: way[start] };
      return medianRatio(samples, series, { ...series, ...to });
    });
  const starts = [
    ['cold', 'cold', 1.5],
    ['snapshot', 'from a snapshot', 0.5],
  ] as const;
  const findings: Finding[] = [];
  for (const [start, said, limit] of starts) {
    for (const kernel of kernels.filter((id) => limited.includes(id))) {
      const ratios = compare(start, kernel, { subject: subjectNames.floor });
      findings.push({ requirement: `${said}, at most ${limit} × the floor`, kernel, ratios, limit });
    }
  }
  for (const [start, said] of starts) {
    for (const subject of [subjectNames.vmtest, subjectNames.vng]) {
      for (const kernel of kernels) {
        const ratios = compare(start, kernel, { subject });
        findings.push({ requirement: `${said}, ahead of ${subject}`, kernel, ratios, limit: 1 });
      }
    }
  }
  if (kernels.includes('5.10') && kernels.includes('6.1')) {
    for (const [start, said] of starts) {
      const ratios = compare(start, '5.10', { kernel: '6.1' });
      findings.push({ requirement: `${said}, at most twice 6.1`, kernel: '5.10', ratios, limit: 2 });
    }
  }
  return findings;
}

export function bootTables(run: BootRun): Tables {
  return {
    times: run.kernels.flatMap((kernel) => Object.values(subjectNames).map((way) => timesRow(run, kernel, way))),
    requirements: findFindings(run).map(({ requirement, kernel, ratios, limit }) => ({
      requirement,
      kernel,
      ...Object.fromEntries(ways.map(({ name }, index) => [name, formatRatio(ratios[index])])),
      holds: ratios.every((ratio) => holds(ratio, limit)) ? 'yes' : 'no',
    })),
    'to-icount-floor': run.kernels.map((kernel) => ({
      kernel,
      cold: formatRatio(toIcountFloor(run, kernel, subjectNames.laneCold)),
      'from a snapshot': formatRatio(toIcountFloor(run, kernel, subjectNames.laneSnapshot)),
    })),
    snapshots: run.saved.map((saved) => snapshotRow(run, saved)),
    failures: run.samples.flatMap(({ kernel, subject, round, error }) =>
      error === undefined ? [] : [{ kernel, way: subject, round, error }],
    ),
  };
}

function timesRow({ samples }: BootRun, kernel: string, way: string): Row {
  const times = timesOf(samples, kernel, way);
  const floor = { kernel, subject: subjectNames.floor };
  const own = { kernel, subject: way };
  const ends = { pick: ({ endMs }: { endMs: number }) => endMs };
  return {
    kernel,
    way,
    boots: times.length,
    'to the first benchmark, s': formatSpread(times.map(untilFirst)),
    '× floor': formatRatio(medianRatio(samples, own, floor)),
    'to the end, s': formatSpread(times.map(({ endMs }) => endMs)),
    'end × floor': formatRatio(medianRatio(samples, { ...own, ...ends }, { ...floor, ...ends })),
  };
}

/** What was not measured does not hold. */
function holds(ratio: number | undefined, limit: number): boolean {
  // A limit of 1 means strictly faster.
  return ratio !== undefined && (limit === 1 ? ratio < 1 : ratio <= limit);
}

function toIcountFloor({ samples }: BootRun, kernel: string, subject: string): number | undefined {
  return medianRatio(samples, { kernel, subject }, { kernel, subject: subjectNames.icountFloor });
}

/** Saving adds the boot's time in the initramfs, less the median of boots that saved none. */
function snapshotRow({ samples }: BootRun, { kernel, way, bytes, initramfsMs }: SavedMachine): Row {
  const subject = ways.find(({ name }) => name === way)?.cold ?? '';
  const without = spreadOf(timesOf(samples, kernel, subject).flatMap((times) => times.initramfsMs ?? []))?.median;
  const adds = initramfsMs === undefined || without === undefined ? undefined : (initramfsMs - without) / 1000;
  return { kernel, of: way, 'size, MiB': Math.round(bytes / 2 ** 20), 'saving adds, s': formatRatio(adds) };
}

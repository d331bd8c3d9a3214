// Exactness: false changes in unchanged code, and missed instructions. Pure.

import type { ComparisonRecord } from '../../src/report/results.ts';
import type { Row, Tables } from '../record.ts';

/** Comparisons by the gate of one pair of revisions on one kernel. */
export interface ExactnessRun {
  readonly project: string;
  readonly kernel: string;
  readonly release: string;
  /** Number of busy-loop processes during the run. */
  readonly spinning: number;
  readonly comparisons: readonly ComparisonRecord[];
}

export interface ExactnessReport {
  /** Runs of a commit against itself. */
  readonly same: readonly ExactnessRun[];
  /** Runs whose head has one more instruction in each program. */
  readonly injected: readonly ExactnessRun[];
}

/** The largest relative difference allowed in comparisons of equal user-space code. */
const userSpaceBound = 0.001;

export function exactnessTables({ same, injected }: ExactnessReport): Tables {
  const equal = same.flatMap(({ comparisons }) => comparisons);
  const [programs, others] = [equal.filter(isProgram), equal.filter((each) => !isProgram(each))];
  const added = injected.flatMap(({ comparisons }) => comparisons.filter(isProgram));
  const count = (what: string, all: readonly ComparisonRecord[], isBad: (each: ComparisonRecord) => boolean) => ({
    what,
    comparisons: all.length,
    wrong: all.filter(isBad).length,
  });
  return {
    totals: [
      count('BPF programs of equal code', programs, isWrong),
      count('values that benches of equal code print', others, isWrong),
      count('BPF programs with one instruction more', added, (each) => !isFound(each)),
    ],
    same: same.map(sameRow),
    injected: injected.map(injectedRow),
  };
}

/** Lists the comparisons that are wrong, each with kernel and benchmark; empty if there are none. */
export function contradictions({ same, injected }: ExactnessReport): string[] {
  const name = ({ kernel, benchmark, measure }: ComparisonRecord) => `${benchmark} (${measure}) on ${kernel}`;
  return [
    ...same.flatMap(({ comparisons }) =>
      comparisons
        .filter(isWrong)
        .map((each) => `${name(each)}: ${each.verdict}, ${each.base} → ${each.head}, of equal code`),
    ),
    ...injected.flatMap(({ comparisons }) =>
      comparisons
        .filter((each) => isProgram(each) && !isFound(each))
        .map((each) => `${name(each)}: ${each.verdict}, ${each.delta}, of one instruction more`),
    ),
  ];
}

function sameRow({ project, release, spinning, comparisons }: ExactnessRun): Row {
  const programs = comparisons.filter(isProgram);
  const others = comparisons.filter((each) => !isProgram(each));
  return {
    project,
    kernel: release,
    'load added': describeLoad(spinning),
    'BPF programs': programs.length,
    differ: programs.filter(differs).length,
    others: others.length,
    'others that differ': others.filter(differs).length,
    'by at most': percent(Math.max(0, ...others.map(growthOf))),
  };
}

function injectedRow({ release, spinning, comparisons }: ExactnessRun): Row {
  const programs = comparisons.filter(isProgram);
  return {
    kernel: release,
    'load added': describeLoad(spinning),
    programs: programs.length,
    'found, exactly': programs.filter(isFound).length,
    'deltas seen': [...new Set(programs.map(({ delta }) => `${delta}`))].join(', '),
  };
}

export function describeLoad(spinning: number): string {
  return spinning === 0 ? 'none' : `${spinning} spinning`;
}

function isProgram({ kind }: ComparisonRecord): boolean {
  return kind === 'bpf-program';
}

function differs({ delta }: ComparisonRecord): boolean {
  return delta !== 0;
}

/** Whether a comparison of equal code is not equal. */
function isWrong(each: ComparisonRecord): boolean {
  return each.verdict !== 'unchanged' || (isProgram(each) ? differs(each) : growthOf(each) > userSpaceBound);
}

/** Whether one instruction more is a regression by one, exactly. */
function isFound({ verdict, delta, interval }: ComparisonRecord): boolean {
  return verdict === 'regression' && delta === 1 && interval === 'exact';
}

function growthOf({ base, delta }: ComparisonRecord): number {
  if (delta === 0) return 0;
  return delta === null || base === null || base === 0 ? Number.POSITIVE_INFINITY : Math.abs(delta / base);
}

/** Two digits: `0.36 %`. */
export function percent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(2))} %`;
}

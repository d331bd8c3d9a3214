// Exactness: renders docs/benchmarks/exactness.md: false changes in unchanged code, and missed instructions. Pure.

import { markdownTable } from 'markdown-table';
import type { Comparison } from '../../src/compare/comparison.ts';
import { escapeText } from '../../src/report/markdown-escape.ts';
import { countOf } from '../../src/report/plain-text.ts';
import type { MachineDescription } from '../host.ts';

/** Comparisons by the gate of one pair of revisions on one kernel. */
export interface ExactnessRun {
  readonly project: string;
  readonly kernel: string;
  readonly release: string;
  /** Number of busy-loop processes during the run. */
  readonly spinning: number;
  readonly comparisons: readonly Comparison[];
}

export interface ExactnessReport {
  /** Command line as typed. */
  readonly command: string;
  /** UTC, such as `2026-11-21 13:05 UTC`. */
  readonly time: string;
  readonly machine: MachineDescription;
  readonly minutes: number;
  /** Runs of a commit against itself. */
  readonly same: readonly ExactnessRun[];
  /** Runs whose head has one more instruction in each program. */
  readonly injected: readonly ExactnessRun[];
}

/** The largest relative difference allowed in comparisons of equal user-space code. */
export const userSpaceBound = 0.001;

export function renderExactnessPage({ command, time, machine, minutes, same, injected }: ExactnessReport): string {
  const programs = same.flatMap((run) => run.comparisons.filter(isProgram));
  const others = same.flatMap((run) => run.comparisons.filter((each) => !isProgram(each)));
  const added = injected.flatMap((run) => run.comparisons.filter(isProgram));
  const blocks = [
    '# How exact it is',
    `Made by \`${command}\`, ${time}, which took ${countOf(Math.round(minutes), 'minute')}; not written by hand.`,
    [
      `- machine: ${escapeText(machine.cpu)}, ${machine.cores} cores, ${machine.memoryGiB} GiB${machine.virtual ? ', a virtual machine itself' : ''}; ${escapeText(machine.system)}, QEMU ${machine.qemu}`,
      `- **the same commit against itself**: ${countOf(programs.length, 'comparison')} of BPF programs, of which ${programs.filter(differs).length} differ; ${countOf(others.length, 'comparison')} of what benches print, of which ${others.filter((each) => growthOf(each) > userSpaceBound).length} differ by more than ${percent(userSpaceBound)}. Of neither was any called a regression or an improvement: ${[...programs, ...others].every(({ verdict }) => verdict === 'unchanged') ? 'every verdict is `unchanged`' : '**no, some were**'}.`,
      `- **one instruction more**: ${countOf(added.length, 'program')}, of which ${added.filter(isFound).length} are found, as a regression of one instruction a run, exactly.`,
      '- Programs that do not do the same each time are in [varying-counts.md](varying-counts.md): for each kind, the smallest change that is found.',
    ].join('\n'),
    '## The same commit against itself',
    '`example`: the [example project](../../example-project/README.md) with all of its benches; `hundred`: the programs described below. Base and head have a guest of their own each, several kernels are run at once, on the host as it was, and with two processes for each core that do nothing but spin.',
    renderSame(same),
    '## One instruction more',
    'A hundred programs of four types and 4 to 53 steps ([source](../../scripts/exactness/injected/bench.c)); head has one `r7 += 1` more in each, at another place in each.',
    renderInjected(injected),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** Lists contradictions to the page's claims, each with kernel and benchmark; empty if there are none. */
export function contradictions({ same, injected }: Pick<ExactnessReport, 'same' | 'injected'>): string[] {
  const name = ({ kernel, benchmark, measure }: Comparison) => `${benchmark} (${measure}) on ${kernel}`;
  return [
    ...same.flatMap(({ comparisons }) =>
      comparisons
        .filter(
          (each) => each.verdict !== 'unchanged' || (isProgram(each) ? differs(each) : growthOf(each) > userSpaceBound),
        )
        .map((each) => `${name(each)}: ${each.verdict}, ${each.base} → ${each.head}, of equal code`),
    ),
    ...injected.flatMap(({ comparisons }) =>
      comparisons
        .filter((each) => isProgram(each) && !isFound(each))
        .map((each) => `${name(each)}: ${each.verdict}, ${each.delta}, of one instruction more`),
    ),
  ];
}

function renderSame(runs: readonly ExactnessRun[]): string {
  const rows = runs.map(({ project, release, spinning, comparisons }) => {
    const programs = comparisons.filter(isProgram);
    const others = comparisons.filter((each) => !isProgram(each));
    const largest = Math.max(0, ...others.map(growthOf));
    return [
      `\`${project}\``,
      release,
      spinning === 0 ? 'none' : `${spinning} spinning`,
      `${programs.length}`,
      `${programs.filter(differs).length}`,
      `${others.length}`,
      `${others.filter(differs).length}`,
      percent(largest),
    ];
  });
  const head = ['project', 'kernel', 'load added', 'BPF programs', 'differ', 'others', 'differ', 'by at most'];
  return markdownTable([head, ...rows], { align: ['l', 'l', 'l', 'r', 'r', 'r', 'r', 'r'] });
}

function renderInjected(runs: readonly ExactnessRun[]): string {
  const rows = runs.map(({ release, spinning, comparisons }) => {
    const programs = comparisons.filter(isProgram);
    return [
      release,
      spinning === 0 ? 'none' : `${spinning} spinning`,
      `${programs.length}`,
      `${programs.filter(isFound).length}`,
      [...new Set(programs.map(({ delta }) => `${delta}`))].join(', '),
    ];
  });
  const head = ['kernel', 'load added', 'programs', 'found, exactly', 'deltas seen'];
  return markdownTable([head, ...rows], { align: ['l', 'l', 'r', 'r', 'r'] });
}

function isProgram({ kind }: Comparison): boolean {
  return kind === 'bpf-program';
}

function differs({ delta }: Comparison): boolean {
  return delta !== 0;
}

function growthOf({ base, delta }: Comparison): number {
  if (delta === 0) return 0;
  return delta === null || base === null || base === 0 ? Number.POSITIVE_INFINITY : Math.abs(delta / base);
}

function isFound({ verdict, delta, interval }: Comparison): boolean {
  return verdict === 'regression' && delta === 1 && interval === 'exact';
}

function percent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(2))} %`;
}

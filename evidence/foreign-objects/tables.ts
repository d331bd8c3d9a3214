// Foreign objects: renders docs/benchmarks/foreign-objects.md: third-party objects in veristat and the lane. Pure.

import { markdownTable } from 'markdown-table';
import { groupBy } from '../../src/common/group-by.ts';
import { escapeText } from '../../src/report/markdown-escape.ts';
import { countOf } from '../../src/report/plain-text.ts';
import type { Results } from '../../src/report/results.ts';
import type { MachineDescription } from '../host.ts';
import type { Source } from './obtain.ts';
import type { Verified } from './reference.ts';

/** A program of an object, on one kernel. */
export interface Program {
  readonly source: string;
  /** `OBJECT/PROGRAM`. */
  readonly name: string;
  /** Result of veristat; null if libbpf does not open the object. */
  readonly reference: Verified | null;
  readonly ours: {
    readonly isLoaded: boolean;
    readonly instructions: number | null;
    /** Whether the kernel's verifier has seen it. */
    readonly isTried: boolean;
    /** Why it is not loaded. */
    readonly reason: string | null;
  };
}

export interface KernelRun {
  readonly kernel: string;
  readonly release: string;
  readonly programs: readonly Program[];
}

export interface ForeignReport {
  /** The command as typed. */
  readonly command: string;
  /** UTC, such as `2026-11-21 13:05 UTC`. */
  readonly time: string;
  readonly machine: MachineDescription;
  /** Time in which guests ran, summed over kernels. */
  readonly minutes: number;
  readonly rounds: number;
  /** Seed of the orders in which objects were loaded. */
  readonly seed: string;
  readonly sources: readonly Source[];
  readonly compiler: string;
  readonly kernels: readonly KernelRun[];
  /** Comparisons of the commit with itself: their number, and how many are not `unchanged`. */
  readonly verdicts: { readonly comparisons: number; readonly wrong: number };
}

type GateResults = Pick<Results, 'measurements' | 'gaps' | 'comparisons'>;

/** Counts comparisons, and those that are not `unchanged`. */
export function countVerdicts({ comparisons }: GateResults): { comparisons: number; wrong: number } {
  return {
    comparisons: comparisons.length,
    wrong: comparisons.filter(({ verdict }) => verdict !== 'unchanged').length,
  };
}

/** Pairs every program that either veristat or the lane names. */
export function pairPrograms(
  sources: readonly Source[],
  reference: ReadonlyMap<string, Verified>,
  results: GateResults,
): Program[] {
  const ofHead = results.measurements.filter(({ revision }) => revision === 'head');
  const valuesOf = (measure: string) =>
    new Map(ofHead.filter((each) => each.measure === measure).map((each) => [each.benchmark, each]));
  const loads = valuesOf('loads');
  const counts = valuesOf('verified-instructions');
  const gaps = new Map(
    results.gaps.filter(({ revision }) => revision === 'head').map(({ benchmark, reason }) => [benchmark, reason]),
  );
  const sourceOf = new Map(sources.flatMap(({ name, objects }) => objects.map((object) => [object, name])));
  const names = new Set([...reference.keys(), ...loads.keys(), ...gaps.keys()].filter((name) => !name.endsWith('/*')));
  const listed = new Set([...loads.keys(), ...gaps.keys()].map((name) => name.split('/')[0]));
  /** The lane skips an object that only repeats another's programs. Finds such a program with this one's count. */
  const copyOf = (name: string) =>
    [...loads.keys()].find(
      (each) =>
        each.split('/')[1] === name.split('/')[1] && counts.get(each)?.value === reference.get(name)?.instructions,
    );
  return [...names].sort().map((name) => {
    const [object = ''] = name.split('/');
    const shown = listed.has(object) ? name : (copyOf(name) ?? name);
    const load = loads.get(shown);
    const refusal = load?.refusal;
    const refused = refusal && [refusal.errno, refusal.message].filter((part) => part !== null).join(': ');
    const untried = gaps.get(name) ?? gaps.get(`${object}/*`) ?? 'not in the results';
    return {
      source: sourceOf.get(object) ?? '',
      name,
      reference: reference.get(name) ?? null,
      ours: {
        isLoaded: load?.value === 1,
        instructions: counts.get(shown)?.value ?? null,
        isTried: load !== undefined,
        reason: load?.value === 1 ? null : (refused ?? untried),
      },
    };
  });
}

const isLoadedByReference = ({ reference }: Program) => reference?.isLoaded === true;
const isLoadedByBoth = (program: Program) => isLoadedByReference(program) && program.ours.isLoaded;
const isOnlyReference = (program: Program) => isLoadedByReference(program) && !program.ours.isLoaded;
const isOnlyOurs = (program: Program) => !isLoadedByReference(program) && program.ours.isLoaded;
const isDifferent = (program: Program) =>
  isLoadedByBoth(program) && program.reference?.instructions !== program.ours.instructions;

/** Whether the lane was wrong: equal objects not `unchanged`, or a count that differs from veristat's. */
export function isWrong({ kernels, verdicts }: Pick<ForeignReport, 'kernels' | 'verdicts'>): boolean {
  return verdicts.wrong > 0 || kernels.some(({ programs }) => programs.some(isDifferent));
}

export function renderForeignPage(report: ForeignReport): string {
  const { command, time, machine, minutes, kernels, verdicts, rounds, seed } = report;
  const programs = kernels.flatMap((run) => run.programs);
  const count = (isWanted: (program: Program) => boolean) => programs.filter(isWanted).length;
  const releases = kernels.map(({ kernel, release }) => `${kernel} (${release})`).join(', ');
  const blocks = [
    '# Objects that are not ours',
    `Made by \`${command}\`, ${time}, whose guests ran for ${countOf(Math.round(minutes), 'minute')} in all; not written by hand.`,
    'Every program of these BPF objects, which others wrote, is loaded by veristat, which is libbpf, and by the verifier lane. A program counts once for each kernel.',
    [
      `- machine: ${escapeText(machine.cpu)}, ${machine.cores} cores, ${machine.memoryGiB} GiB${machine.virtual ? ', a virtual machine itself' : ''}; ${escapeText(machine.system)}, QEMU ${machine.qemu}`,
      `- kernels: ${releases}`,
      `- **${countOf(count(isLoadedByReference), 'program')} that veristat loads**: the lane loads ${count(isLoadedByBoth)}, with equal counts of verified instructions for ${count(isLoadedByBoth) - count(isDifferent)} and different ones for ${count(isDifferent)}. ${count(isOnlyReference)} it does not load.`,
      `- ${countOf(count(isOnlyOurs), 'program')} that only the lane loads`,
      `- **the commit against itself**, ${countOf(rounds, 'run')} for each kernel, the objects in another random order in each guest (seed ${seed}): ${countOf(verdicts.comparisons, 'comparison')}, ${countOf(verdicts.wrong, 'verdict')} other than unchanged`,
    ].join('\n'),
    '## Where they are from',
    renderSources(report),
    '## Who loads them',
    renderTotals(report),
    `## Loaded by veristat only\n\n${renderReasons(kernels, isOnlyReference)}`,
    `## Different counts\n\n${renderDifferent(kernels)}`,
    `## Loaded by neither\n\nOf ${countOf(
      count((each) => !isLoadedByReference(each) && !each.ours.isLoaded),
      'program',
    )} loaded by neither, the kernel's verifier refused ${count((each) => !isLoadedByReference(each) && !each.ours.isLoaded && each.ours.isTried)} in the lane as well, many of which are tests of just that; the others the lane does not try, and says why.`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function renderSources({ sources, compiler }: ForeignReport): string {
  const rows = sources.map(({ name, version, objects, copies, failed }) => [
    name,
    version,
    `${objects.length}`,
    `${copies}`,
    failed === null
      ? ''
      : `compiled by clang ${compiler}${failed.length === 0 ? '' : `, which refuses ${failed.join(', ')}`}`,
  ]);
  return markdownTable([['source', 'version', 'objects', 'copies left out', ''], ...rows].map(escapeRow), {
    align: ['l', 'l', 'r', 'r', 'l'],
  });
}

function escapeRow(row: readonly string[]): string[] {
  return row.map((cell) => escapeText(cell));
}

function renderTotals({ sources, kernels }: ForeignReport): string {
  const row = (source: string, kernel: string, programs: readonly Program[]) => {
    const count = (isWanted: (program: Program) => boolean) => `${programs.filter(isWanted).length}`;
    const both = programs.filter(isLoadedByBoth);
    return [
      source,
      kernel,
      `${programs.length}`,
      `${both.length}`,
      count(isOnlyReference),
      count(isOnlyOurs),
      count((each) => !isLoadedByReference(each) && !each.ours.isLoaded),
      `${both.filter((each) => !isDifferent(each)).length}`,
      count(isDifferent),
    ];
  };
  const rows = sources
    .filter(({ objects }) => objects.length > 0)
    .flatMap(({ name }) =>
      kernels.map(({ kernel, programs }) =>
        row(
          name,
          kernel,
          programs.filter(({ source }) => source === name),
        ),
      ),
    );
  const total = row(
    'all',
    '',
    kernels.flatMap(({ programs }) => programs),
  );
  const head = ['source', 'kernel', 'programs', 'both', 'veristat only', 'lane only', 'neither', 'equal', 'different'];
  return markdownTable([head, ...rows, total].map(escapeRow), {
    align: ['l', 'l', 'r', 'r', 'r', 'r', 'r', 'r', 'r'],
  });
}

const maxNamed = 4;

/** Groups programs by the lane's reason, most frequent first, ignoring numbers and quoted text in the reason. */
function renderReasons(kernels: readonly KernelRun[], isWanted: (program: Program) => boolean): string {
  const wanted = kernels.flatMap(({ kernel, programs }) =>
    programs.filter(isWanted).map((program) => ({ kernel, program, reason: program.ours.reason ?? '' })),
  );
  if (wanted.length === 0) return 'None.';
  const kindOf = (reason: string) => reason.replace(/`[^`]*`|"[^"]*"/g, '…').replace(/\d+/g, 'N');
  const found = groupBy(wanted, ({ reason }) => kindOf(reason)).toSorted((a, b) => b.length - a.length);
  const rows = found.map((group) => {
    const names = [...new Set(group.map(({ program }) => program.name))];
    const more = names.length - maxNamed;
    return [
      `${group.length}`,
      [...new Set(group.map(({ kernel }) => kernel))].join(', '),
      escapeText(group[0]?.reason ?? ''),
      `${names
        .slice(0, maxNamed)
        .map((name) => escapeText(name))
        .join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    ];
  });
  return markdownTable([['programs', 'kernels', 'reason, of the first', 'which'], ...rows], {
    align: ['r', 'l', 'l', 'l'],
  });
}

function renderDifferent(kernels: readonly KernelRun[]): string {
  const rows = kernels.flatMap(({ kernel, programs }) =>
    programs
      .filter(isDifferent)
      .map(({ name, reference, ours }) => [
        kernel,
        escapeText(name),
        `${reference?.instructions}`,
        `${ours.instructions ?? 'none'}`,
      ]),
  );
  if (rows.length === 0) return 'None.';
  return markdownTable([['kernel', 'program', 'veristat', 'lane'], ...rows], { align: ['l', 'l', 'r', 'r'] });
}

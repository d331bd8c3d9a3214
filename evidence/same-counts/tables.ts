// Same counts: renders docs/benchmarks/same-counts.md: one way's counts next to the others'. Pure.

import { markdownTable } from 'markdown-table';
import { escapeText } from '../../src/report/markdown-escape.ts';
import { countOf } from '../../src/report/plain-text.ts';
import type { Results } from '../../src/report/results.ts';
import type { MachineDescription } from '../host.ts';

/** All counts by one way of measuring. */
export interface Way {
  /** Number of busy-loop processes during the run. */
  readonly spinning: number;
  /** Results of each project measured. All kernels have been measured. */
  readonly results: readonly Pick<Results, 'kernels' | 'measurements'>[];
}

export interface SameCountsReport {
  /** Command line as typed. */
  readonly command: string;
  /** UTC, such as `2026-11-21 13:05 UTC`. */
  readonly time: string;
  readonly machine: MachineDescription;
  readonly minutes: number;
  /** The others are compared with the first. */
  readonly ways: readonly [Way, ...Way[]];
}

/** Counted values of one way, by what was counted. */
type Counts = ReadonlyMap<string, string>;

export function renderSameCountsPage({ command, time, machine, minutes, ways }: SameCountsReport): string {
  const [first, ...others] = ways;
  const compared = others.flatMap((way) => compareWays(first, way));
  const blocks = [
    '# The same counts elsewhere',
    `Made by \`${command}\`, ${time}, which took ${countOf(Math.round(minutes), 'minute')}; not written by hand.`,
    [
      `- machine: ${escapeText(machine.cpu)}, ${machine.cores} cores, ${machine.memoryGiB} GiB${machine.virtual ? ', a virtual machine itself' : ''}; ${escapeText(machine.system)}`,
      `- of ${countOf(compared.length, 'value')} that were counted again in another way, **${compared.filter(({ differs }) => differs).length} differ**`,
    ].join('\n'),
    "What is compared: instructions per run of the BPF programs, of base and head, net, gross and of the empty program: the example's macro benchmark, and the hundred programs of [exactness.md](exactness.md). Every row comes of the whole gate, several kernels at once; the first row is what the others are compared with. What a row says of its machines is what the results say. None uses KVM, with which nothing is counted, so that whether a host has it makes no difference.",
    renderWays(ways),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Each value that differs from the first way's, or that only one of the two counted. */
export function differences([first, ...others]: readonly [Way, ...Way[]]): string[] {
  return others.flatMap((way) =>
    compareWays(first, way)
      .filter(({ differs }) => differs)
      .map(({ name, expected, found }) => `${name}: ${expected} and, ${describeWay(way).join(', ')}, ${found}`),
  );
}

interface ComparedValue {
  readonly name: string;
  readonly expected: string;
  readonly found: string;
  readonly differs: boolean;
}

function compareWays(first: Way, other: Way): ComparedValue[] {
  const expected = countsOf(first);
  const found = countsOf(other);
  return [...new Set([...expected.keys(), ...found.keys()])].map((name) => {
    const values = { expected: expected.get(name) ?? 'not counted', found: found.get(name) ?? 'not counted' };
    return { name, ...values, differs: values.expected !== values.found };
  });
}

function countsOf({ results }: Way): Counts {
  const counted = results.flatMap(({ measurements }) => measurements.filter(({ kind }) => kind === 'bpf-program'));
  return new Map(
    counted.map(({ kernel, revision, benchmark, measure, value, gross, empty }) => [
      `${benchmark} (${measure}), ${revision}, on ${kernel}`,
      `${value} (${gross ?? '–'} less ${empty ?? '–'})`,
    ]),
  );
}

function renderWays([first, ...others]: readonly [Way, ...Way[]]): string {
  const rows = others.map((way) => {
    const compared = compareWays(first, way);
    return [...describeWay(way), `${compared.length}`, `${compared.filter(({ differs }) => differs).length}`];
  });
  const head = ['runner', 'QEMU', 'started from', 'load added', 'kernels', 'values', 'differ'];
  const reference = [...describeWay(first), `${countsOf(first).size}`, ''];
  return markdownTable([head, reference, ...rows], { align: ['l', 'l', 'l', 'l', 'l', 'r', 'r'] });
}

/** Describes a way from the guests' own records, not from the requested settings. */
function describeWay({ spinning, results }: Way): [string, string, string, string, string] {
  const kernels = results.flatMap((each) => each.kernels);
  const each = (value: (machine: NonNullable<(typeof kernels)[number]['machine']>) => string) =>
    [...new Set(kernels.map(({ machine }) => (machine === null ? 'unknown' : value(machine))))].join(' and ');
  return [
    each(({ runner }) => runner),
    each(({ qemuVersion }) => qemuVersion),
    each(({ startedFrom }) => startedFrom),
    spinning === 0 ? 'none' : `${spinning} spinning`,
    [...new Set(kernels.map(({ release }) => release))].join(', '),
  ];
}

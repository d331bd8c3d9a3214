// Boot times: renders docs/kernels.md: every pinned kernel, and its results on one machine. Pure.

import { markdownTable } from 'markdown-table';
import type { Measurement } from '../../src/bench/measurement.ts';
import { groupBy } from '../../src/common/group-by.ts';
import type { MissingKernel } from '../../src/kernels/pins.ts';
import type { KernelPin } from '../../src/model/kernel.ts';
import { escapeText } from '../../src/report/markdown-escape.ts';
import { formatNumber } from '../../src/report/numbers.ts';
import { countOf } from '../../src/report/plain-text.ts';
import type { MachineDescription } from '../host.ts';
import { medianRatio, type Sample, spreadOf, timesOf, untilFirst } from '../statistics.ts';

/** Names of the ways to boot each kernel. */
export const starts = { floor: 'floor', cold: 'cold', snapshot: 'from a snapshot' } as const;

/** Benchmark names of the example's programs whose counts are shown. */
const programs = ['macro/fun_xdp', 'macro/fun_xdp #2', 'macro/fun_xdp #3'] as const;

/** A kernel selected to run. */
export interface RanKernel {
  readonly pin: KernelPin;
  /** First line of the error, if any; the kernel's other results still count. */
  readonly error?: string | undefined;
}

/** A pinned kernel that was not run. */
export interface LeftOutKernel {
  readonly pin: KernelPin;
  readonly reason: string;
}

export interface KernelsRun {
  /** Command line as typed. */
  readonly command: string;
  /** UTC, such as `2026-11-21 13:05 UTC`. */
  readonly time: string;
  readonly machine: MachineDescription;
  readonly rounds: number;
  readonly seed: number;
  readonly minutes: number;
  /** Oldest first. */
  readonly ran: readonly RanKernel[];
  /** Oldest first. */
  readonly leftOut: readonly LeftOutKernel[];
  readonly missing: readonly MissingKernel[];
  readonly samples: readonly Sample[];
  /** Measurements of the example's first revision. */
  readonly measurements: readonly Measurement[];
}

export function renderKernelsPage(run: KernelsRun): string {
  const { machine, ran, leftOut, missing } = run;
  const good = ran.filter(({ pin, error }) => error === undefined && findCount(run, pin, programs[0]) !== undefined);
  const pinned = [...ran, ...leftOut].filter(({ pin }) => pin.origin !== 'tree').length;
  const blocks = [
    '# Kernels',
    `Made by \`${run.command}\`, ${run.time}, which took ${countOf(Math.round(run.minutes), 'minute')}; not written by hand. Machine: ${escapeText(machine.cpu)}, ${machine.cores} cores${machine.virtual ? ', a virtual machine itself' : ''}; ${escapeText(machine.system)}, QEMU ${machine.qemu}.`,
    `Of ${pinned} pinned kernels ${ran.filter(({ pin }) => pin.origin !== 'tree').length} could be run on this machine${countTrees(ran)}; ${good.length} of ${ran.length} booted and ran \`fun_xdp\` in the instruction lane.`,
    '## What ran',
    renderRan(run),
    [
      "- **floor**: plain QEMU with an initramfs that ends the machine at once, emulated without icount, from QEMU's start to its end; [benchmarks/boot.md](benchmarks/boot.md) has its command line.",
      "- **cold**, **from a snapshot**: the instruction lane's machine, which runs under icount, from the start of the runner until a benchmark can start; the median of its ratios to the floor of the same kernel in the same round.",
      `- ${countOf(run.rounds, 'round')}, all kernels interleaved, in an order shuffled from seed ${run.seed}.`,
      "- **`fun_xdp`**: instructions per run, net / gross, of the example's first revision, which [measurement.md](measurement.md) explains: a packet of no class, of the Fibonacci class (#2) and of the FizzBuzz class (#3). **empty**: the empty XDP program, gross. `~` marks a count that two readings did not confirm.",
    ].join('\n'),
    renderErrors(run),
    leftOut.length === 0 ? '' : renderLeftOut(leftOut),
    missing.length === 0 ? '' : renderMissing(missing),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function countTrees(ran: readonly RanKernel[]): string {
  const trees = ran.filter(({ pin }) => pin.origin === 'tree').length;
  return trees === 0 ? '' : `, and ${trees} more that ${trees === 1 ? 'was' : 'were'} built from a tree`;
}

function renderRan(run: KernelsRun): string {
  const rows = run.ran.map(({ pin }) => {
    const floor = { kernel: pin.id, subject: starts.floor };
    const ratios = [starts.cold, starts.snapshot].map((subject) => {
      const ratio = medianRatio(run.samples, { kernel: pin.id, subject }, floor);
      return ratio === undefined ? 'failed' : ratio.toFixed(2);
    });
    const seconds = spreadOf(timesOf(run.samples, pin.id, starts.floor).map(untilFirst))?.median;
    const empty = findCount(run, pin, programs[0])?.empty ?? null;
    return [
      pin.id,
      pin.release,
      pin.origin,
      pin.support,
      seconds === undefined ? 'failed' : (seconds / 1000).toFixed(1),
      ...ratios,
      ...programs.map((program) => formatCount(findCount(run, pin, program))),
      empty === null ? '' : formatNumber(empty),
    ];
  });
  const head = ['kernel', 'release', 'origin', 'support', 'floor, s', 'cold, × floor', 'from a snapshot, × floor'];
  return markdownTable([[...head, '`fun_xdp`', '`#2`', '`#3`', 'empty'], ...rows], {
    align: ['l', 'l', 'l', 'l', 'r', 'r', 'r', 'r', 'r', 'r', 'r'],
  });
}

function findCount({ measurements }: KernelsRun, pin: KernelPin, program: string): Measurement | undefined {
  return measurements.find(
    ({ kernel, benchmark, measure }) => kernel === pin.id && benchmark === program && measure === 'bpf-instructions',
  );
}

function formatCount(measurement: Measurement | undefined): string {
  if (measurement === undefined) return 'failed';
  const { value, gross, exact } = measurement;
  const both = gross === null ? formatNumber(value) : `${formatNumber(value)} / ${formatNumber(gross)}`;
  return exact ? both : `~ ${both}`;
}

function renderErrors({ ran, samples }: KernelsRun): string {
  const lines = [
    ...ran.flatMap(({ pin, error }) => (error === undefined ? [] : [`- ${pin.id}: ${escapeText(error)}`])),
    ...samples.flatMap(({ kernel, subject, round, error }) =>
      error === undefined ? [] : [`- ${kernel}, ${subject}, round ${round}: ${escapeText(error)}`],
    ),
  ];
  return lines.length === 0 ? '' : `What failed:\n\n${lines.join('\n')}`;
}

function renderLeftOut(leftOut: readonly LeftOutKernel[]): string {
  const groups = groupBy(leftOut, ({ pin, reason }) => JSON.stringify([reason, pin.origin, pin.support]));
  const rows = groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { pin, reason } = first;
    const kernels = group.map(({ pin: { id, release } }) => `${id} (${release})`);
    return [[escapeText(reason), pin.origin, pin.support, kernels.join(', ')]];
  });
  return ['## What did not run', markdownTable([['why', 'origin', 'support', 'kernels (release)'], ...rows])].join(
    '\n\n',
  );
}

function renderMissing(missing: readonly MissingKernel[]): string {
  const minorsOf = new Map<string, { readonly origin: string; readonly reason: string; readonly minors: string[] }>();
  for (const { origin, reason, minor } of missing) {
    const group = minorsOf.get(`${origin} ${reason}`) ?? { origin, reason, minors: [] };
    group.minors.push(minor);
    minorsOf.set(`${origin} ${reason}`, group);
  }
  const rows = [...minorsOf.values()].map(({ origin, reason, minors }) => [
    origin,
    escapeText(reason),
    minors.join(', '),
  ]);
  return ['## What is not pinned', markdownTable([['origin', 'why', 'of'], ...rows])].join('\n\n');
}

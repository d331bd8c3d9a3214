// Exactness: renders docs/benchmarks/varying-counts.md: false verdicts on varying counts, and found changes. Pure.

import { markdownTable } from 'markdown-table';
import type { Measurement } from '../../src/bench/measurement.ts';
import { groupBy } from '../../src/common/group-by.ts';
import { addConfirmations, compareMeasurements, countAlpha, findVaryingChanges } from '../../src/compare/compare.ts';
import type { Comparison } from '../../src/compare/comparison.ts';
import type { Config } from '../../src/model/inputs.ts';
import { escapeText } from '../../src/report/markdown-escape.ts';
import { countOf } from '../../src/report/plain-text.ts';
import type { MachineDescription } from '../host.ts';

/** One run of a commit against itself, on all kernels. */
export interface VaryingRun {
  readonly measurements: readonly Measurement[];
  readonly comparisons: readonly Comparison[];
}

export interface VaryingReport {
  /** The command as typed. */
  readonly command: string;
  /** UTC, such as `2026-11-21 13:05 UTC`. */
  readonly time: string;
  readonly machine: MachineDescription;
  readonly minutes: number;
  readonly gate: Config['gate'];
  readonly runs: readonly VaryingRun[];
}

/** Growths to try, as fractions. */
const growths = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
/** Share of pairs in which a growth must be found. */
const power = 0.95;

export function renderVaryingPage({ command, time, machine, minutes, gate, runs }: VaryingReport): string {
  const comparisons = runs.flatMap((run) => run.comparisons);
  const countVerdict = (verdict: Comparison['verdict']) =>
    comparisons.filter((each) => each.verdict === verdict).length;
  const inexact = comparisons.filter(({ interval }) => interval !== 'exact').length;
  const isAgain = ({ revision, confirmations }: Measurement) => revision === 'head' && confirmations.length > 0;
  const again = runs.flatMap((run) => run.measurements.filter(isAgain)).length;
  const blocks = [
    '# Counts that vary',
    `Made by \`${command}\`, ${time}, which took ${countOf(Math.round(minutes), 'minute')}; not written by hand.`,
    [
      `- machine: ${escapeText(machine.cpu)}, ${machine.cores} cores, ${machine.memoryGiB} GiB${machine.virtual ? ', a virtual machine itself' : ''}; ${escapeText(machine.system)}, QEMU ${machine.qemu}`,
      `- **a commit against itself**, ${countOf(runs.length, 'run')}: ${countOf(comparisons.length, 'comparison')}, of which ${inexact} are of counts that are not exact. ${countOf(countVerdict('regression'), 'false regression')}, ${countOf(countVerdict('improvement'), 'false improvement')}, ${countVerdict('inconclusive')} inconclusive, which blocks nothing, ${countVerdict('unchanged')} unchanged. Measured in further boots, because the first ones seemed to differ: ${again}.`,
      `- promised: the chance of even one false regression among the counts of a run that are not exact is at most ${percent(countAlpha)}, as far as the readings of a boot are independent`,
    ].join('\n'),
    `Each kind comes in ${countOf(4, 'size')} ([source](../../scripts/exactness/varying)); \`aya_log\` logs 1, 2, 4 and 8 messages for each packet, as a project from aya-template does. Base and head have a guest of their own, and up to ten readings each. The change that is found is the smallest of ${growths.map(percent).join(', ')} which, added to head's readings of this table, is called a regression in ${percent(power)} of the pairs. Boots of the runs that follow are the further ones there.`,
    renderKinds(runs, gate),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function renderKinds(runs: readonly VaryingRun[], gate: Config['gate']): string {
  const kindOf = ({ benchmark }: Pick<Comparison, 'benchmark'>) => benchmark.replace(/\d$/, '').replace(/^.*\//, '');
  const groups = groupBy(
    runs.flatMap((run) => run.comparisons.map((comparison) => ({ run, comparison }))),
    ({ comparison }) => JSON.stringify([kindOf(comparison), comparison.kernel]),
  );
  const rows = groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const own = group.map(({ comparison }) => comparison);
    const widest = Math.max(...own.map(({ deltaRatio }) => Math.abs(deltaRatio ?? 0)));
    const found = growths.find((growth) => findShare(group, runs, growth, gate) >= power);
    return [
      [
        `\`${kindOf(first.comparison)}\``,
        first.comparison.kernel,
        `${own.length}`,
        `${own.filter(({ interval }) => interval !== 'exact').length}`,
        `${own.filter(({ verdict }) => verdict === 'regression').length}`,
        `${own.filter(({ verdict }) => verdict === 'inconclusive').length}`,
        percent(widest),
        found === undefined ? `more than ${percent(growths.at(-1) ?? 1)}` : percent(found),
      ],
    ];
  });
  const head = [
    'kind',
    'kernel',
    'comparisons',
    'not exact',
    'false regressions',
    'inconclusive',
    'differ by at most',
    'found',
  ];
  return markdownTable([head, ...rows], { align: ['l', 'l', 'r', 'r', 'r', 'r', 'r', 'r'] });
}

/** The share of pairs in which head, grown by `growth`, is a regression. The run's other readings are unchanged. */
function findShare(
  pairs: readonly { readonly run: VaryingRun; readonly comparison: Comparison }[],
  runs: readonly VaryingRun[],
  growth: number,
  gate: Config['gate'],
): number {
  const found = pairs.filter(({ run, comparison }) => {
    const isSubject = ({ kernel, benchmark }: Pick<Comparison, 'kernel' | 'benchmark'>) =>
      kernel === comparison.kernel && benchmark === comparison.benchmark;
    const growHead = ({ measurements }: VaryingRun) =>
      measurements.map((each) => (each.revision === 'head' && isSubject(each) ? grow(each, growth) : each));
    let measurements = growHead({
      ...run,
      measurements: run.measurements.map((each) => ({ ...each, confirmations: [] })),
    });
    for (const further of [1, 2]) {
      const next = runs[(runs.indexOf(run) + further) % runs.length] ?? run;
      const changes = findVaryingChanges(measurements, [], gate).filter(isSubject);
      measurements = addConfirmations(measurements, changes, growHead(next));
    }
    return compareMeasurements(measurements, [], gate).find(isSubject)?.verdict === 'regression';
  });
  return found.length / pairs.length;
}

/** Returns the measurement as if each run cost more, by this fraction of the net count. */
function grow(measurement: Measurement, growth: number): Measurement {
  const more = measurement.value * growth;
  return {
    ...measurement,
    value: measurement.value + more,
    gross: measurement.gross === null ? null : measurement.gross + more,
    samples: measurement.samples.map(({ count, total }) => ({ count, total: total + count * more })),
  };
}

function percent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(2))} %`;
}

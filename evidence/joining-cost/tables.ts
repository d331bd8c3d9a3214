// Scaling: the table of docs/scaling.md with the cost of joining. Pure.

import { markdownTable } from 'markdown-table';
import { describeRounds, type Rounds } from '../render.ts';
import { median } from '../statistics.ts';
import type { MatrixSize } from './made-up-files.ts';

/** Steps of processing a matrix's files, in this order. */
export const steps = ['read', 'join', 'text', 'Markdown', 'HTML'] as const;
export type Step = (typeof steps)[number];

export interface JoiningSample {
  readonly size: MatrixSize;
  /** 1-based. */
  readonly round: number;
  readonly seconds: Readonly<Record<Step, number>>;
}

export interface JoiningReport extends Rounds {
  readonly node: string;
  /** Total bytes of all files for each size, in the order of `sizes`. */
  readonly bytes: readonly number[];
  readonly sizes: readonly MatrixSize[];
  readonly samples: readonly JoiningSample[];
}

export function renderJoiningSection(report: JoiningReport): string {
  return [
    `${describeRounds(report, 'medians')} Node ${report.node}; seconds of processor time.`,
    renderTable(report),
  ].join('\n\n');
}

function renderTable({ sizes, bytes, samples }: JoiningReport): string {
  const rows = sizes.map((size, index) => {
    const own = samples.filter((sample) => sample.size === size);
    const whole = samples.filter(
      (sample) =>
        sample.size.shards === 1 && sample.size.kernels === size.kernels && sample.size.benchmarks === size.benchmarks,
    );
    const ratio = median(
      own.flatMap((sample) => {
        const other = whole.find(({ round }) => round === sample.round);
        return other === undefined ? [] : [totalOf(sample) / totalOf(other)];
      }),
    );
    return [
      `${size.kernels} × ${size.benchmarks.toLocaleString('en')}`,
      `${size.shards}`,
      `${size.kernels * size.shards}`,
      `${((bytes[index] ?? Number.NaN) / 1e6).toFixed(0)} MB`,
      format(median(own.map(totalOf))),
      format(ratio),
    ];
  });
  const head = ['kernels × benchmarks', 'shards', 'files', 'in all', 'time, s', 'to 1 shard'];
  return markdownTable([head, ...rows], { align: ['l', ...Array(5).fill('r')] });
}

function totalOf({ seconds }: JoiningSample): number {
  return steps.reduce((sum, step) => sum + seconds[step], 0);
}

function format(value: number | undefined): string {
  return value === undefined ? '–' : value.toFixed(2);
}

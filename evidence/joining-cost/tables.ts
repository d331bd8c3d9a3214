// Joining cost: the time that a matrix's result files take. Pure.

import type { Row, Tables } from '../record.ts';
import { formatRatio, median } from '../statistics.ts';
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

/** @param sizes with the bytes of all of a size's files */
export function joiningTables(
  sizes: readonly { readonly size: MatrixSize; readonly bytes: number }[],
  samples: readonly JoiningSample[],
): Tables {
  const rows = sizes.map(({ size, bytes }): Row => {
    const own = samples.filter((sample) => sample.size === size);
    const isWhole = ({ size: { shards, kernels, benchmarks } }: JoiningSample) =>
      shards === 1 && kernels === size.kernels && benchmarks === size.benchmarks;
    const whole = samples.filter(isWhole);
    const ratios = own.flatMap((sample) => {
      const other = whole.find(({ round }) => round === sample.round);
      return other === undefined ? [] : [totalOf(sample) / totalOf(other)];
    });
    return {
      'kernels × benchmarks': `${size.kernels} × ${size.benchmarks.toLocaleString('en')}`,
      shards: size.shards,
      files: size.kernels * size.shards,
      'in all': `${(bytes / 1e6).toFixed(0)} MB`,
      'time, s': formatRatio(median(own.map(totalOf))),
      'to 1 shard': formatRatio(median(ratios)),
    };
  });
  return { sizes: rows };
}

function totalOf({ seconds }: JoiningSample): number {
  return steps.reduce((sum, step) => sum + seconds[step], 0);
}

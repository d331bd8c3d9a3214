// Scaling: the table of docs/scaling.md with the times of shards of one kernel's benches. Pure.

import { markdownTable } from 'markdown-table';
import { formatShard } from '../../src/inputs/shard.ts';
import type { Shard } from '../../src/model/inputs.ts';
import { describeRounds, type Rounds } from '../render.ts';

export interface ShardSample {
  /** Null for the whole run. */
  readonly shard: Shard | null;
  /** 1-based. */
  readonly round: number;
  /** Time of the whole run, in seconds. */
  readonly seconds: number;
  /** Part of it before the first bench ran. */
  readonly untilFirst: number;
}

export interface ShardingReport extends Rounds {
  readonly qemu: string;
  readonly kernel: string;
  readonly benches: number;
  /** Numbers of shards, each above 1. */
  readonly counts: readonly number[];
  readonly samples: readonly ShardSample[];
}

export function renderShardingSection(report: ShardingReport): string {
  const { kernel, benches, qemu } = report;
  return [
    `${describeRounds(report, 'the quickest')} QEMU ${qemu}, kernel ${kernel}, ${benches} benches that take equally long; everything is in the cache, and every run boots a new guest and measures base and head.`,
    renderTable(report),
  ].join('\n\n');
}

/** Shows the fastest run of each, because other work on the machine only adds time. */
function renderTable({ counts, samples }: ShardingReport): string {
  const quickest = (shard: Shard | null, pick: (sample: ShardSample) => number) =>
    Math.min(...samples.filter((sample) => nameShard(sample.shard) === nameShard(shard)).map(pick));
  const whole = quickest(null, ({ seconds }) => seconds);
  const rows = [1, ...counts].map((count) => {
    const shards = count === 1 ? [null] : shardsOf(count);
    const seconds = shards.map((shard) => quickest(shard, (sample) => sample.seconds));
    const longest = Math.max(...seconds);
    const sum = seconds.reduce((total, each) => total + each, 0);
    return [
      count === 1 ? 'none' : `${count}`,
      Math.max(...shards.map((shard) => quickest(shard, (sample) => sample.untilFirst))).toFixed(1),
      longest.toFixed(1),
      (longest / whole).toFixed(2),
      sum.toFixed(1),
      (sum / whole).toFixed(2),
    ];
  });
  const head = ['shards', 'until the first bench, s', 'longest job, s', 'to the whole', 'all jobs, s', 'to the whole'];
  return markdownTable([head, ...rows], { align: ['l', 'r', 'r', 'r', 'r', 'r'] });
}

/** All shards of one count. */
export function shardsOf(count: number): Shard[] {
  return Array.from({ length: count }, (_, position) => ({ index: position + 1, count }));
}

/** Returns `2/3`, or `the whole`. */
export function nameShard(shard: Shard | null): string {
  return shard === null ? 'the whole' : formatShard(shard);
}

// Sharding gain: the times of shards of one kernel's benches. Pure.

import { formatShard } from '../../src/inputs/shard.ts';
import type { Shard } from '../../src/model/inputs.ts';
import type { Tables } from '../record.ts';

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

/**
 * The fastest run of each, because other work on the machine only adds time.
 *
 * @param counts numbers of shards, each above 1
 */
export function shardingTables(counts: readonly number[], samples: readonly ShardSample[]): Tables {
  const quickest = (shard: Shard | null, pick: (sample: ShardSample) => number) =>
    Math.min(...samples.filter((sample) => nameShard(sample.shard) === nameShard(shard)).map(pick));
  const whole = quickest(null, ({ seconds }) => seconds);
  const shards = [1, ...counts].map((count) => {
    const own = count === 1 ? [null] : shardsOf(count);
    const seconds = own.map((shard) => quickest(shard, (sample) => sample.seconds));
    const longest = Math.max(...seconds);
    const sum = seconds.reduce((total, each) => total + each, 0);
    return {
      shards: count === 1 ? 'none' : count,
      'until the first bench, s': Math.max(...own.map((shard) => quickest(shard, (each) => each.untilFirst))).toFixed(
        1,
      ),
      'longest job, s': longest.toFixed(1),
      'to the whole': (longest / whole).toFixed(2),
      'all jobs, s': sum.toFixed(1),
      'all to the whole': (sum / whole).toFixed(2),
    };
  });
  return { shards };
}

/** All shards of one count. */
export function shardsOf(count: number): Shard[] {
  return Array.from({ length: count }, (_, position) => ({ index: position + 1, count }));
}

/** Returns `2/3`, or `the whole`. */
export function nameShard(shard: Shard | null): string {
  return shard === null ? 'the whole' : formatShard(shard);
}

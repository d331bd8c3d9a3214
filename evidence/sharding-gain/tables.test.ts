import { expect, test } from 'vitest';
import { type ShardSample, shardingTables } from './tables.ts';

test('the time of shards is that of the quickest run: the longest shard, and the sum', () => {
  const run = (index: number, count: number, round: number, seconds: number): ShardSample => ({
    shard: count === 1 ? null : { index, count },
    round,
    seconds,
    untilFirst: seconds / 4,
  });
  const samples = [
    ...[run(1, 1, 1, 40), run(1, 2, 1, 200), run(2, 2, 1, 30)],
    ...[run(1, 1, 2, 90), run(1, 2, 2, 20), run(2, 2, 2, 31)],
  ];
  expect(shardingTables([2], samples).shards?.map((row) => Object.values(row))).toEqual([
    ['none', '10.0', '40.0', '1.00', '40.0', '1.00'],
    [2, '7.5', '30.0', '0.75', '50.0', '1.25'],
  ]);
});

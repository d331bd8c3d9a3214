import { describe, expect, test } from 'vitest';
import { joinResults } from '../../src/report/join.ts';
import { parseResults, serializeResults } from '../../src/report/results-schema.ts';
import { makeFiles } from './made-up-files.ts';
import { joiningTables } from './tables.ts';

describe('made-up files', () => {
  const join = (shards: number) => {
    const files = makeFiles({ kernels: 2, benchmarks: 47, shards });
    const read = files.map((results, index) => parseResults(serializeResults(results), `${index}`));
    expect(read).toHaveLength(2 * shards);
    return joinResults(read.map((results, index) => ({ file: `${index}`, results })));
  };

  test('give the same results in any number of shards', () => {
    const whole = join(1);
    expect(whole.comparisons).toHaveLength(94);
    expect(whole.verdict).toBe('regression');
    const names = ({ comparisons }: typeof whole) => comparisons.map((each) => JSON.stringify(each)).toSorted();
    for (const shards of [2, 4, 5]) {
      const joined = join(shards);
      expect(names(joined)).toEqual(names(whole));
      expect(joined.kernels).toEqual(whole.kernels);
    }
  });
});

test('the cost of joining is given as medians, and as ratios within rounds', () => {
  const sizes = [1, 4].map((shards) => ({ kernels: 12, benchmarks: 3000, shards }));
  const seconds = (scale: number) => ({ read: scale, join: 0.1, text: 0.2, Markdown: 0.3, HTML: 0.4 });
  const samples = sizes.flatMap((size, index) =>
    // The second round is slow for both sizes, which no ratio shows.
    [1, 11, 1].map((read, round) => ({ size, round: round + 1, seconds: seconds(read * (index + 1)) })),
  );
  const bytes = [78e6, 79e6];
  const { sizes: rows } = joiningTables(
    sizes.map((size, index) => ({ size, bytes: bytes[index] ?? 0 })),
    samples,
  );
  expect(rows?.map((row) => Object.values(row))).toEqual([
    ['12 × 3,000', 1, 12, '78 MB', '2.00', '1.00'],
    ['12 × 3,000', 4, 48, '79 MB', '3.00', '1.50'],
  ]);
});

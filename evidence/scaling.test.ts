import { describe, expect, test } from 'vitest';
import { InputError } from '../src/common/errors.ts';
import { joinResults } from '../src/report/join.ts';
import { parseResults, serializeResults } from '../src/report/results-schema.ts';
import { makeFiles } from './joining-cost/made-up-files.ts';
import { renderJoiningSection } from './joining-cost/tables.ts';
import { replaceSection } from './render.ts';
import { renderShardingSection, type ShardSample } from './sharding-gain/tables.ts';

const rounds = {
  command: 'npm run x',
  time: '2026-11-21 13:05 UTC',
  machine: { cpu: 'A CPU', cores: 2, memoryGiB: 8, virtual: true, system: 'Debian GNU/Linux 12' },
  rounds: 3,
  load: { before: 1, after: 2 },
};

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

describe('a section of the page', () => {
  const page = 'a\n<!-- x: written by `npm run x`, not by hand -->\nold\n<!-- end of x -->\nb\n';

  test('is replaced repeatedly, and nothing else changes', () => {
    const once = replaceSection(page, 'x', 'new\n');
    expect(once).toBe('a\n<!-- x: written by `npm run x`, not by hand -->\n\nnew\n\n<!-- end of x -->\nb\n');
    expect(replaceSection(once, 'x', 'new')).toBe(once);
  });

  test.each([
    ['without marks', 'a\n'],
    ['with marks of another', page.replaceAll('x', 'y')],
    ['with one mark', page.replace('<!-- end of x -->', '')],
    ['with two sections', `${page}${page}`],
    ['with marks the wrong way round', page.split('old').toReversed().join('old')],
  ])('is not written %s', (_, text) => {
    expect(() => replaceSection(text, 'x', 'new')).toThrow(InputError);
  });
});

test('the cost of joining is given as medians, and as ratios within rounds', () => {
  const sizes = [1, 4].map((shards) => ({ kernels: 12, benchmarks: 3000, shards }));
  const seconds = (scale: number) => ({ read: scale, join: 0.1, text: 0.2, Markdown: 0.3, HTML: 0.4 });
  const samples = sizes.flatMap((size, index) =>
    // The second round is slow for both sizes, which no ratio shows.
    [1, 11, 1].map((read, round) => ({ size, round: round + 1, seconds: seconds(read * (index + 1)) })),
  );
  const section = renderJoiningSection({ ...rounds, node: '24.9.0', bytes: [78e6, 79e6], sizes, samples });
  expect(section).toContain('Made by `npm run x`, 2026-11-21 13:05 UTC; medians of 3 rounds, each in another order.');
  expect(section).toContain(
    'load 1.0 before the first round, 2.0 after the last. Node 24.9.0; seconds of processor time.',
  );
  const rows = section.split('\n').filter((line) => line.startsWith('| 12 '));
  expect(
    rows.map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    ),
  ).toEqual([
    ['12 × 3,000', '1', '12', '78 MB', '2.00', '1.00'],
    ['12 × 3,000', '4', '48', '79 MB', '3.00', '1.50'],
  ]);
});

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
  const section = renderShardingSection({ ...rounds, qemu: '7.2.22', kernel: '6.1', benches: 6, counts: [2], samples });
  expect(section).toContain('the quickest of 3 rounds, each in another order.');
  expect(section).toContain('QEMU 7.2.22, kernel 6.1, 6 benches');
  const rows = section.split('\n').filter((line) => /^\| (none|2) /.test(line));
  expect(
    rows.map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    ),
  ).toEqual([
    ['none', '10.0', '40.0', '1.00', '40.0', '1.00'],
    ['2', '7.5', '30.0', '0.75', '50.0', '1.25'],
  ]);
});

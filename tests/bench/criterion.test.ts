import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { looksLikeCriterion, parseCriterion } from '../../src/bench/criterion.ts';
import { BenchError } from '../../src/common/errors.ts';

const captured = readFileSync(new URL('fixtures/cargo-criterion-1.1.0.jsonl', import.meta.url), 'utf8');

function line(fields: Record<string, unknown> = {}): string {
  const message = { id: 'fib', iteration_count: [1, 2], measured_values: [10, 20], unit: 'ns', ...fields };
  return JSON.stringify({ reason: 'benchmark-complete', ...message });
}

test('reads the output of cargo-criterion 1.1.0', () => {
  const benchmarks = parseCriterion(captured, 'stdout');
  expect(benchmarks.map(({ id, samples }) => [id, samples.length])).toEqual([
    ['fib', 10],
    ['fibonacci/loop/10', 10],
    ['fibonacci/loop/1000', 10],
    ['flat/large', 10],
  ]);
  expect(benchmarks[0]?.samples[1]).toEqual({ count: 29786, total: 163433 });
  expect(looksLikeCriterion(captured)).toBe(true);
});

test('reads the samples that a bench of Criterion 0.8.2 saved', () => {
  const saved = {
    reason: 'benchmark-saved',
    benchmark: {
      group_id: 'sums',
      function_id: null,
      value_str: '10',
      throughput: null,
      full_id: 'sums/10',
      directory_name: 'sums/10',
      title: 'sums/10',
    },
    sample: { sampling_mode: 'Linear', iters: [21726.0, 43452.0], times: [172112.0, 375094.0] },
  };
  const text = `sums/10   time:   [8.1 ns 8.2 ns 8.4 ns]\n${JSON.stringify(saved)}\n`;
  expect(looksLikeCriterion(text)).toBe(true);
  expect(parseCriterion(text, 'stdout')).toEqual([
    {
      id: 'sums/10',
      samples: [
        { count: 21_726, total: 172_112 },
        { count: 43_452, total: 375_094 },
      ],
    },
  ]);
  const cut = JSON.stringify({ ...saved, sample: { ...saved.sample, iters: [1.5] } });
  expect(() => parseCriterion(cut, 'stdout')).toThrow(BenchError);
});

test('the package and target that print a benchmark are part of its id', () => {
  const text = `bpfgate: output of /v4\n${line()}\nbpfgate: output of x/v4\n${line()}\nbpfgate: output of /\n${line()}`;
  expect(parseCriterion(text, 'stdout').map(({ id }) => id)).toEqual(['v4/fib', 'x/v4/fib', 'fib']);
});

test('results of several targets that were saved in one place are an error that names them', () => {
  const saved = {
    reason: 'benchmark-saved',
    benchmark: { full_id: 'parse' },
    sample: { iters: [1], times: [2] },
  };
  const long = 'a long id of a benchmark\n                        time:   [1 ns 2 ns 3 ns]';
  const text = (printed: string) => `${printed}\n${JSON.stringify(saved)}\n`;
  const parse = 'parse                   time:   [10.976 µs 11.145 µs 11.375 µs]';
  expect(parseCriterion(text(parse), 'stdout')).toHaveLength(1);
  const changed = '                        change: [-97.544% -97.450% -97.386%] (p = 0.00 < 0.05)';
  expect(() => parseCriterion(text(`${parse}\n${parse}\n${changed}`), 'stdout')).toThrow(
    'stdout has 2 criterion results, of which 1 are saved; targets have benchmarks of one id: `parse`',
  );
  expect(() => parseCriterion(text(`${long}\n${long}`), 'stdout')).toThrow('one id: `a long id of a benchmark`');
  const ofThroughput = `${' '.repeat(17)}change:\n${' '.repeat(24)}time:   [-97.5% -97.4% -97.3%] (p = 0.00 < 0.05)`;
  expect(parseCriterion(text(`${parse}\n${ofThroughput}`), 'stdout')).toHaveLength(1);
  const bencher = 'test parse ... bench:      11,145 ns/iter (+/- 199)';
  expect(parseCriterion(text(bencher), 'stdout')).toHaveLength(1);
  expect(() => parseCriterion(text(`${bencher}\n${bencher}`), 'stdout')).toThrow('one id: `parse`');
  const libtest = 'test tests::parse ... bench:      11,145.10 ns/iter (+/- 199.00)';
  expect(parseCriterion(text(`${libtest}\n${parse}`), 'stdout')).toHaveLength(1);
});

test('reads carriage returns, and many results that were not saved, in linear time', { timeout: 5_000 }, () => {
  expect(looksLikeCriterion('\r'.repeat(1_000_000))).toBe(false);
  const text = Array.from({ length: 100_000 }, (_, index) => `b${index} time:   [1 ns`).join('\n');
  const saved = { reason: 'benchmark-saved', benchmark: { full_id: 'x' }, sample: { iters: [1], times: [2] } };
  expect(() => parseCriterion(`${text}\n${JSON.stringify(saved)}`, 'stdout')).toThrow('100000 criterion results');
});

test('skips other lines and other messages', () => {
  const text = `warning: x\r\n{"reason":"group-complete","group_name":"g"}\n${line()}\r\n{"a":1}\nGnuplot not found`;
  expect(parseCriterion(text, 'stdout')).toEqual([
    {
      id: 'fib',
      samples: [
        { count: 1, total: 10 },
        { count: 2, total: 20 },
      ],
    },
  ]);
});

test.each(['', 'fib  time:   [1 ns 2 ns 3 ns]\n', '{"fib": {"latency": {"value": 1}}}'])(
  'finds nothing in %j',
  (text) => {
    expect(parseCriterion(text, 'stdout')).toEqual([]);
    expect(looksLikeCriterion(text)).toBe(false);
  },
);

describe('an invalid message is an error that names file and line', () => {
  test.each([
    ['a cut line', `x\n${line().slice(0, 60)}`, /^stdout:2: cut or broken criterion message: \{"reason"/],
    ['an id twice', `${line()}\n\n${line()}`, /^stdout:3: criterion benchmark `fib` came twice, first at line 1$/],
    [
      'an id twice, which cargo-criterion numbers',
      `${line()}\n${line({ id: 'fib #2' })}`,
      /`fib #2` came twice, first at/,
    ],
    [
      'no iterations',
      line({ iteration_count: [0, 1] }),
      /^stdout:1: criterion message with a bad `iteration_count\.0`/,
    ],
    ['no samples', line({ iteration_count: [], measured_values: [] }), /bad `iteration_count`/],
    ['a negative time', line({ measured_values: [10, -1] }), /bad `measured_values\.1`/],
    ['a time that is not finite', line({ measured_values: [10, Number.NaN] }), /bad `measured_values\.1`/],
    ['a time beyond range', line().replace('20]', '1e999]'), /bad `measured_values\.1`/],
    ['no id', line({ id: undefined }), /bad `id`/],
    [
      'another unit',
      line({ unit: 'cycles' }),
      /^stdout:1: criterion benchmark `fib` is measured in `cycles`, not in `ns`$/,
    ],
    ['lists of two lengths', line({ iteration_count: [1] }), /has 1 iteration counts for 2 totals$/],
  ])('with %s', (_, text, message) => {
    expect(() => parseCriterion(text, 'stdout')).toThrow(BenchError);
    expect(() => parseCriterion(text, 'stdout')).toThrow(message);
  });
});

test('more results than a report can show are refused', () => {
  const message = (id: number) =>
    `{"reason":"benchmark-complete","id":"${id}","iteration_count":[1],"measured_values":[1],"unit":"ns"}\n`;
  const text = Array.from({ length: 20_001 }, (_, index) => message(index));
  expect(parseCriterion(text.slice(1).join(''), 'stdout')).toHaveLength(20_000);
  expect(() => parseCriterion(text.join(''), 'stdout')).toThrow('stdout printed more than 20000 results');
});

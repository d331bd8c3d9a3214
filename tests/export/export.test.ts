import { describe, expect, test } from 'vitest';
import { parseBmf } from '../../src/bench/bmf.ts';
import { InputError } from '../../src/common/errors.ts';
import { type ExportFormat, exportResults } from '../../src/export/export.ts';
import type { Results } from '../../src/report/results.ts';
import { fixtures, kernelResult, pair, resultsOf } from '../report/results-fixtures.ts';

const kernels = ['5.10', '6.1'].map((id) => kernelResult(id));
const printed = { benchmark: 'micro/probe', kind: 'benchmark' } as const;
const mixed = resultsOf(
  kernels.flatMap(({ id }) => [
    ...pair(160, 188, { kernel: id }),
    ...pair(211, 239, { kernel: id, measure: 'latency', unit: 'instructions', kind: 'benchmark' }),
    ...pair(240, 240, { kernel: id, benchmark: 'macro/fun_xdp #2' }),
    ...pair(113, 141, { ...printed, kernel: id, measure: 'net-latency', unit: 'instructions' }),
    ...pair(990, 940, { ...printed, kernel: id, measure: 'net-throughput', unit: 'net-throughput', better: 'higher' }),
    ...pair(6037, 6050.5, {
      kernel: id,
      benchmark: 'micro/parse header-8',
      measure: 'instructions',
      unit: 'instructions/iteration',
      kind: 'benchmark',
      exact: false,
      resolution: 0.001,
      samples: [
        { count: 14, total: 84_629 },
        { count: 28, total: 169_147 },
      ],
    }),
  ]),
  kernels,
);
const extension = { bmf: 'json', go: 'txt', 'github-action-benchmark': 'json' } as const;

describe.each(Object.keys(extension) as (keyof typeof extension)[])('%s', (format) => {
  test('of head', async () => {
    const text = exportResults(mixed, format);
    expect(text).toBe(exportResults(mixed, format, 'head'));
    await expect(text).toMatchFileSnapshot(`golden/mixed.${format}.${extension[format]}`);
  });

  test('of base has the names of head and other values', () => {
    const [base, head] = (['base', 'head'] as const).map((revision) => exportResults(mixed, format, revision));
    expect(base).not.toBe(head);
    expect(base?.replace(/[\d.]+/g, '0')).toBe(head?.replace(/[\d.]+/g, '0'));
  });

  test('of hostile names', async () => {
    const text = exportResults(fixtures['hostile-names'] as Results, format);
    await expect(text).toMatchFileSnapshot(`golden/hostile-names.${format}.${extension[format]}`);
  });

  test('a result without measurements is refused', () => {
    expect(() => exportResults(resultsOf([], kernels), format)).toThrow(InputError);
  });

  test('two values with the same name are refused', () => {
    const twice = { ...mixed, measurements: [...mixed.measurements, ...mixed.measurements] };
    expect(() => exportResults(twice, format)).toThrow('would have the same name');
  });
});

test('exported BMF is read back unchanged', () => {
  const metrics = parseBmf(exportResults(mixed, 'bmf'), 'the export');
  expect(metrics).toHaveLength(12);
  expect(metrics).toContainEqual({ benchmark: 'macro/fun_xdp (6.1)', measure: 'bpf-instructions', value: 188 });
  expect(metrics).toContainEqual({ benchmark: 'macro/fun_xdp (6.1)', measure: 'latency-instructions', value: 239 });
  expect(metrics).toContainEqual({ benchmark: 'micro/probe (6.1)', measure: 'net-latency-instructions', value: 141 });
});

test('bounds beyond the range of numbers are left out', () => {
  const results = resultsOf(pair(1e306, 1e306, { exact: false, resolution: 1000 }), [kernelResult('6.1')]);
  expect(JSON.parse(exportResults(results, 'bmf'))).toEqual({
    'macro/fun_xdp (6.1)': { 'bpf-instructions': { value: 1e306 } },
  });
});

test('hostile names are read back unchanged from BMF', () => {
  const results = fixtures['hostile-names'] as Results;
  const metrics = parseBmf(exportResults(results, 'bmf'), 'the export');
  const heads = results.measurements.filter(({ revision }) => revision === 'head');
  expect(metrics.map(({ benchmark }) => benchmark)).toEqual(heads.map(({ benchmark }) => `${benchmark} (6.1)`));
});

test('a benchmark with the name of an inherited property is one like any other', () => {
  const results = resultsOf(pair(1, 2, { benchmark: '__proto__', measure: '__proto__', unit: '' }), [
    kernelResult('6.1'),
  ]);
  expect(exportResults(results, 'bmf')).toContain('"__proto__ (6.1)"');
});

describe('Go', () => {
  const lines = (results: Results, format: ExportFormat = 'go') => exportResults(results, format).trim().split('\n');

  test.each(Object.entries(fixtures))('every line of %s has the format', (_name, results) => {
    for (const line of lines(results)) {
      expect(line).toMatch(
        /^(Benchmark[^\s\p{Ll}]\S*\/kernel=\S+ [1-9]\d* -?[\d.e+-]+ \S+|Unit \S+ better=(?:lower|higher)( assume=exact)?|[a-z]+: \S+)$/u,
      );
    }
  });

  test('a value that is not exact has a line for each sample, minus the empty program', () => {
    const samples = [
      { count: 10, total: 500 },
      { count: 20, total: 1040 },
    ];
    const results = resultsOf(pair(1, 2, { exact: false, resolution: 0.1, empty: 49, samples }), [kernelResult('6.1')]);
    expect(lines(results).filter((line) => line.startsWith('Benchmark'))).toEqual([
      'BenchmarkMacro/fun_xdp/kernel=6.1 10 1 instructions/run',
      'BenchmarkMacro/fun_xdp/kernel=6.1 20 3 instructions/run',
    ]);
    expect(lines(results)).toContain('Unit instructions/run better=lower');
  });

  test('two measures with the same unit stay separate', () => {
    const results = resultsOf(
      ['p50', 'p99'].flatMap((measure) => pair(1, 2, { measure, unit: 'ns/iter' })),
      [kernelResult('6.1')],
    );
    expect(lines(results).slice(-2)).toEqual([
      'BenchmarkMacro/fun_xdp/kernel=6.1 1000 2 p50-ns/iter',
      'BenchmarkMacro/fun_xdp/kernel=6.1 1000 2 p99-ns/iter',
    ]);
  });

  test('names that differ only in characters that the format cannot hold are refused', () => {
    const results = resultsOf(
      ['a b', 'a_b'].flatMap((benchmark) => pair(1, 2, { benchmark })),
      [kernelResult('6.1')],
    );
    expect(() => exportResults(results, 'go')).toThrow(/"a b".*"a_b".*same name/);
  });
});

describe('a measure for which higher is better', () => {
  const throughput = { measure: 'throughput', unit: 'throughput', better: 'higher' } as const;
  const only = [kernelResult('6.1')];

  test('is marked for benchstat', () => {
    const text = exportResults(resultsOf(pair(5, 6, throughput), only), 'go');
    expect(text).toContain('Unit throughput better=higher assume=exact\n');
  });

  test('is left out if the format only supports smaller is better', () => {
    const both = resultsOf([...pair(1, 2), ...pair(5, 6, throughput)], only);
    const entries = JSON.parse(exportResults(both, 'github-action-benchmark')) as { name: string }[];
    expect(entries.map(({ name }) => name)).toEqual(['bpf-instructions of macro/fun_xdp (6.1)']);
    expect(() => exportResults(resultsOf(pair(5, 6, throughput), only), 'github-action-benchmark')).toThrow(InputError);
  });
});

test('measures whose names contain the unit keep their names', () => {
  const results = resultsOf(
    ['total-bytes', 'peak-bytes'].flatMap((measure) => pair(1, 2, { measure, unit: 'bytes' })),
    [kernelResult('6.1')],
  );
  expect(parseBmf(exportResults(results, 'bmf'), 'the export').map(({ measure }) => measure)).toEqual([
    'total-bytes',
    'peak-bytes',
  ]);
  expect(exportResults(results, 'go')).toContain('BenchmarkMacro/fun_xdp/kernel=6.1 1000 2 peak-bytes\n');
});

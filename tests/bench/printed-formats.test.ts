import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findPrintedFormats, parsePrinted } from '../../src/bench/printed-formats.ts';
import { BenchError } from '../../src/common/errors.ts';
import type { PrintedFormat } from '../../src/model/inputs.ts';

const read = (name: string) => readFileSync(new URL(`fixtures/formats/${name}`, import.meta.url), 'utf8');

const outputs: Readonly<Record<Exclude<PrintedFormat, 'bmf'>, string>> = {
  go: read('go.txt'),
  libtest: read('libtest.txt'),
  divan: read('divan.txt'),
  'google-benchmark': read('google-benchmark.json'),
  hyperfine: read('hyperfine.json'),
  gungraun: read('gungraun.jsonl'),
};
const formats = Object.keys(outputs) as (keyof typeof outputs)[];

const parse = (format: PrintedFormat, text: string) => parsePrinted(format, text, 'bench `x`');
/** `BENCHMARK MEASURE VALUE`. */
const results = (format: PrintedFormat, text: string) =>
  parse(format, text).metrics.map(({ benchmark, measure, value }) => `${benchmark} ${measure} ${value}`);
const names = (format: PrintedFormat, text: string) => parse(format, text).metrics.map(({ benchmark }) => benchmark);

test.each(formats)('output of %s is recognized, also between lines of others', (format) => {
  const text = `starting\n{"level":"info"}\n${outputs[format]}\n{"level":"info"}\ndone\n`;
  expect(findPrintedFormats(outputs[format])).toEqual([format]);
  expect(findPrintedFormats(text)).toEqual([format]);
  expect(results(format, text)).toEqual(results(format, outputs[format]));
});

test('Go: the fewest nanoseconds, bytes, allocations and own units; rates follow from them', () => {
  expect(results('go', outputs.go)).toEqual([
    'example.org/formats/Parse latency 657',
    'example.org/formats/Parse fields/op 3',
    'example.org/formats/Parse allocated-bytes 48',
    'example.org/formats/Parse allocations 1',
    'example.org/formats/Sizes/small latency 124',
    'example.org/formats/Sizes/small allocated-bytes 0',
    'example.org/formats/Sizes/small allocations 0',
    'example.org/formats/Sizes/large latency 124',
    'example.org/formats/Sizes/large allocated-bytes 0',
    'example.org/formats/Sizes/large allocations 0',
  ]);
});

test('Go: benchmarks are named with their package, whether it is one of several or not', () => {
  const [first] = read('go-packages.txt').split('PASS');
  expect(names('go', first ?? '')).toEqual(['example.org/formats/a/Parse', 'example.org/formats/a/Parse']);
  expect(results('go', read('go-packages.txt'))).toEqual([
    'example.org/formats/a/Parse latency 5.91',
    'example.org/formats/a/Parse hits 3',
    'example.org/formats/b/Parse latency 2.305',
    'example.org/formats/b/Parse hits 3',
  ]);
});

test('Go: a line says of which own unit more is better', () => {
  const text = `Unit fields/op assume=exact better=higher\nUnit ns/op better=higher\nUnit x better=lower\n${outputs.go}`;
  const higher = parse('go', text).metrics.filter(({ better }) => better === 'higher');
  expect(higher.map(({ measure }) => measure)).toEqual(['fields/op']);
});

test('Go: a rate is read where the benchmark leaves out the duration that it follows from', () => {
  const text = 'BenchmarkX \t 1\t 400.5 mgas/s\t 12.0 ms/ggas\nBenchmarkY \t 1\t 3.0 ns/op\t 9.0 MB/s\n';
  expect(results('go', text)).toEqual(['X mgas/s 400.5', 'X ms/ggas 12', 'Y latency 3']);
  const directions = (output: string) => parse('go', output).metrics.map(({ better }) => better);
  expect(directions(text)).toEqual(['higher', undefined, undefined]);
  expect(directions(`Unit mgas/s better=lower\n${text}`)[0]).toBeUndefined();
});

test('Go: a benchmark that prints is read, as are units that begin with a digit and values below 0', () => {
  const { metrics, warnings } = parse('go', read('go-prints.txt'));
  const latencies = metrics.filter(({ measure }) => measure === 'latency');
  expect(latencies.map(({ benchmark, value }) => `${benchmark.replace('example.org/prints/', '')} ${value}`)).toEqual([
    'a/Lookup-2 75.56',
    'a/Sizes/size=1-2 37.76',
    'a/Sizes/size=1#01-2 132.7',
    'a/Sizes/size=2-2 43.02',
    'a/Ratio-2 2.1',
    'a/Logs-2 56.98',
    'b/Lookup-2 1.65',
  ]);
  const others = metrics.filter(({ measure }) => measure !== 'latency');
  expect(others.map(({ measure, value }) => [measure, value])).toEqual([
    ['99p-ns', 300],
    ['delta', -5],
  ]);
  const ratio = 'hit-ratio of `example.org/prints/a/Ratio-2` is no number and is left out';
  expect(warnings).toEqual([`${ratio} (line 17)`, `${ratio} (line 18)`]);
});

test('Go: `-json` is read, whose events mix packages and cut lines', () => {
  const text = read('go-test.jsonl');
  expect(findPrintedFormats(text)).toEqual(['go']);
  expect(new Set(names('go', text))).toEqual(
    new Set(
      [
        ...['Lookup', 'Sizes/size=1', 'Sizes/size=1#01', 'Sizes/size=2', 'Ratio', 'Logs'].map((name) => `a/${name}`),
        'b/Lookup',
      ].flatMap((name) => [`example.org/prints/${name}`, `example.org/prints/${name}-2`]),
    ),
  );
  // Packages run side by side.
  const [a, b] = ['a', 'b'].map((name) => text.split('\n').filter((line) => line.includes(`/${name}"`)));
  const mixed = (a ?? []).flatMap((line, index) => [line, b?.[index] ?? '']).join('\n');
  expect(results('go', mixed).toSorted()).toEqual(results('go', text).toSorted());
});

test.each([
  ['a line that is cut', 'BenchmarkX \t     200\t       4.0 ns/op\t  12\n', 2],
  ['numbers without a name', '     200\t       4.0 ns/op\n', 2],
  ['a name without numbers', 'BenchmarkX \tattached\nBenchmarkY \t     200\t       4.0 ns/op\n', 2],
])('Go: %s is a warning with its line', (_, text, line) => {
  const warning = expect.stringMatching(`^line ${line} looks like a Go result: `);
  expect(parse('go', `BenchmarkRead 1 2 ns/op\n${text}`).warnings).toEqual([warning]);
});

test('Go: what a benchmark prints is not taken for its numbers', () => {
  const text = 'BenchmarkX \t3 5 apples\nBenchmarking on\nBenchmarkX: attached\n     200\t       4.0 ns/op\n';
  expect(parse('go', text)).toEqual({ metrics: [expect.objectContaining({ benchmark: 'X', value: 4 })], warnings: [] });
});

test('libtest: JSON lines as well', () => {
  const text = read('libtest.jsonl');
  expect(findPrintedFormats(text)).toEqual(['libtest']);
  expect(results('libtest', text)).toEqual([
    'copies latency 109.05340073529412',
    'sum_small latency 55.297722977229775',
  ]);
  const damaged = text.replace(/"median": [\d.]+/, '"median": null');
  expect(() => results('libtest', damaged)).toThrow('printed damaged results of libtest: `median`');
});

test('libtest: nanoseconds of an iteration, with separators', () => {
  expect(results('libtest', outputs.libtest)).toEqual([
    'copies latency 779.85',
    'sum_large latency 14024.86',
    'sum_small latency 82.15',
  ]);
});

test('libtest: cargo says which target prints, and a target may print between name and result', () => {
  expect(results('libtest', read('libtest-targets.txt'))).toEqual([
    'first_bencher/parse latency 279',
    'first_bencher/quiet latency 279',
    'second_bencher/parse latency 278',
    'second_bencher/quiet latency 279',
  ]);
  const unread = 'bench:  12 ns/iter (cut\n';
  expect(parse('libtest', outputs.libtest + unread).warnings).toEqual([
    'line 9 looks like a result of libtest: bench:  12 ns/iter (cut',
  ]);
});

test('divan: the fastest sample, named by its target and its place in the tree', () => {
  expect(results('divan', outputs.divan)).toEqual([
    'sums/sized/100 latency 720.7',
    'sums/sized/2000 latency 14020',
    'sums/small latency 87.69',
    'sums/group/copy latency 746.3',
  ]);
  expect(results('divan', outputs.divan.replaceAll('720.7 ns', '1.5 m'))[0]).toBe('sums/sized/100 latency 90000000000');
  const other = outputs.divan.replace(/^sums/, 'more');
  expect(names('divan', outputs.divan + other)).toHaveLength(8);
});

test('divan: threads are part of the name, and a benchmark may print between name and result', () => {
  expect(results('divan', read('divan-prints.txt'))).toEqual([
    'threads/attach/10 latency 971.2',
    'threads/attach/2000 latency 1411',
    'threads/bytes latency 4.728',
    'threads/glued latency 159.7',
    'threads/parse/t=1 latency 278.2',
    'threads/parse/t=2 latency 278.1',
  ]);
});

test('Google Benchmark: the real time of an iteration', () => {
  expect(results('google-benchmark', outputs['google-benchmark'])).toEqual([
    'gbench/Sum/10/iterations:1000 latency 82.79399997945802',
    'gbench/Sum/2000/iterations:1000 latency 14044.200000000728',
  ]);
  const inUnits = outputs['google-benchmark'].replace('"time_unit": "ns"', '"time_unit": "us"');
  expect(results('google-benchmark', inUnits)[0]).toBe('gbench/Sum/10/iterations:1000 latency 82793.99997945802');
});

test('Google Benchmark: the shortest repetition, or the median where only sums are printed', () => {
  const { metrics, warnings } = parse('google-benchmark', read('google-repetitions.json'));
  expect(metrics.map(({ benchmark }) => benchmark)).toEqual(
    [
      'Sum<int>/10/iterations:1000',
      'Sum<long>/10/iterations:1000/threads:2',
      'Ratio/iterations:1000',
      'Repeated/iterations:1000/repeats:3',
      'Summed/iterations:1000/repeats:3',
    ].map((name) => `parser_bench/${name}`),
  );
  // NaN and Infinity, which JSON has not.
  expect(warnings).toEqual(
    ['hit_ratio', 'most'].map(
      (name) => `counter \`${name}\` of \`Ratio/iterations:1000\` is no number and is left out`,
    ),
  );
});

test('Google Benchmark: documents of several programs are read, and a skipped benchmark is absent', () => {
  const text = outputs['google-benchmark'];
  const skipped = text.replaceAll('./gbench', '/build/other').replace('"run_type"', '"skipped": true, "run_type"');
  expect(names('google-benchmark', `${text}\n${skipped}`)).toEqual([
    'gbench/Sum/10/iterations:1000',
    'gbench/Sum/2000/iterations:1000',
    'other/Sum/2000/iterations:1000',
  ]);
});

test('hyperfine: the shortest run', () => {
  expect(results('hyperfine', outputs.hyperfine)).toEqual(['sh -c true latency 13249584']);
});

test('hyperfine: parameters are part of the name', () => {
  expect(results('hyperfine', read('hyperfine-parameters.json'))).toEqual([
    'load (maps = 10) latency 866000',
    'load (maps = 1000) latency 851588',
  ]);
});

test('gungraun: what callgrind counts, without what is computed from it', () => {
  const events = ['D1mr', 'D1mw', 'DLmr', 'DLmw', 'Dr', 'Dw', 'I1mr', 'ILmr', 'Ir'];
  const found = results('gungraun', outputs.gungraun);
  expect(found.filter((each) => each.startsWith('sums::group::sums/small ')).map((each) => each.split(' ')[1])).toEqual(
    events,
  );
  expect(found.filter((each) => / Ir /.test(each))).toEqual([
    'sums::group::sums/small Ir 78',
    'sums::group::sums/large Ir 14008',
  ]);
});

test('gungraun: tools that name their counts alike have them under names of their own', () => {
  const text = outputs.gungraun.split('\n')[0] ?? '';
  const { profiles, ...line } = JSON.parse(text);
  const named = (tool: string) => JSON.parse(JSON.stringify(profiles).replaceAll('Callgrind', tool));
  const both = {
    ...line,
    profiles: [...profiles, ...named('Cachegrind').map((each: object) => ({ ...each, tool: 'Cachegrind' }))],
  };
  const measures = parse('gungraun', JSON.stringify(both)).metrics.map(({ measure }) => measure);
  expect(measures.filter((measure) => measure.endsWith('Ir'))).toEqual(['Ir', 'cachegrind-Ir']);
});

test.each([
  ['a Go benchmark that failed', 'go', `--- FAIL: BenchmarkParse\n${outputs.go}`, 'Go benchmark `Parse` failed'],
  [
    'a Go package that failed, whose exit code a pipe hides',
    'go',
    `${outputs.go}FAIL\texample.org/b [build failed]\n`,
    'line 12 says that `go test` failed: FAIL example.org/b [build failed]',
  ],
  ['a Go program that failed', 'go', `${outputs.go}FAIL\n`, 'line 12 says that `go test` failed: FAIL'],
  [
    'a Google benchmark that failed',
    'google-benchmark',
    outputs['google-benchmark'].replace(
      '"run_type"',
      '"error_occurred": true, "error_message": "no device", "run_type"',
    ),
    'benchmark `Sum/10/iterations:1000` failed: no device',
  ],
  ['a cut document', 'google-benchmark', outputs['google-benchmark'].slice(0, 1200), 'printed damaged results of'],
  ['another type', 'hyperfine', outputs.hyperfine.replace(/"times": \[[^\]]*\]/, '"times": 1'), '`results.0.times`'],
  ['no results', 'libtest', 'running 0 tests\n', 'printed no results of format libtest'],
  [
    'one name twice, of two programs',
    'go',
    `${outputs.go}\n${outputs.go}`,
    '`example.org/formats/Parse` twice: line 6 and line 17',
  ],
  [
    'one name twice, of two programs whose packages are cut off',
    'go',
    'BenchmarkX 1 4 ns/op\nBenchmarkY 1 4 ns/op\nBenchmarkX 1 40 ns/op\n',
    'latency of `X` twice: line 1 and line 3',
  ],
  ['one name twice, of two targets', 'libtest', outputs.libtest.repeat(2), 'of `copies` twice: line 3 and line 11'],
  ['one name twice, of two trees', 'divan', outputs.divan.repeat(2), 'of `sums/sized/100` twice: line 3 and line 11'],
  [
    'one name twice, of two documents',
    'google-benchmark',
    `${outputs['google-benchmark']}\n`.repeat(2),
    '`gbench/Sum/10/iterations:1000` twice: result 1 of document 1 and result 1 of document 2',
  ],
  [
    'one name twice, that is no repetition',
    'google-benchmark',
    outputs['google-benchmark'].replaceAll('Sum/2000', 'Sum/10'),
    'twice: result 1 of document 1 and result 2 of document 1',
  ],
  [
    'one command twice',
    'hyperfine',
    read('hyperfine-parameters.json').replace('"1000"', '"10"'),
    '`load (maps = 10)` twice: result 1',
  ],
  [
    'one name twice, of two files',
    'gungraun',
    outputs.gungraun.repeat(2),
    'of `sums::group::sums/small` twice: line 1 and',
  ],
  ['a time below 0', 'go', 'BenchmarkX 1 -4 ns/op\n', 'a latency of `X` that is negative: -4'],
  ['a time that is no number', 'go', 'BenchmarkX 1 NaN ns/op\n', 'a latency of `X` that is no number: NaN'],
] as const)('%s is an error', (_, format, text, message) => {
  expect(() => parsePrinted(format, text, 'bench `x`')).toThrow(BenchError);
  expect(() => parsePrinted(format, text, 'bench `x`')).toThrow(message);
});

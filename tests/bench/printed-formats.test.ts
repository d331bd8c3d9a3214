import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findPrintedFormat, parsePrinted } from '../../src/bench/printed-formats.ts';
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

/** `BENCHMARK MEASURE VALUE`. */
const results = (format: PrintedFormat, text: string) =>
  parsePrinted(format, text, 'bench `x`').map(({ benchmark, measure, value }) => `${benchmark} ${measure} ${value}`);

test.each(formats)('output of %s is recognized, also between lines of others', (format) => {
  expect(findPrintedFormat(outputs[format])).toBe(format);
  expect(findPrintedFormat(`starting\n${outputs[format]}\ndone\n`)).toBe(format);
  expect(results(format, `starting\n${outputs[format]}\ndone\n`)).toEqual(results(format, outputs[format]));
});

test('Go: the fewest nanoseconds, bytes, allocations and own units; rates follow from them', () => {
  expect(results('go', outputs.go)).toEqual([
    'Parse latency 657',
    'Parse fields/op 3',
    'Parse allocated-bytes 48',
    'Parse allocations 1',
    'Sizes/small latency 124',
    'Sizes/small allocated-bytes 0',
    'Sizes/small allocations 0',
    'Sizes/large latency 124',
    'Sizes/large allocated-bytes 0',
    'Sizes/large allocations 0',
  ]);
});

test('Go: of several packages, benchmarks are named with theirs', () => {
  expect(results('go', read('go-packages.txt'))).toEqual([
    'example.org/formats/a/Parse latency 5.91',
    'example.org/formats/a/Parse hits 3',
    'example.org/formats/b/Parse latency 2.305',
    'example.org/formats/b/Parse hits 3',
  ]);
});

test('Go: a line says of which own unit more is better', () => {
  const text = `Unit fields/op assume=exact better=higher\nUnit ns/op better=higher\nUnit x better=lower\n${outputs.go}`;
  const higher = parsePrinted('go', text, 'bench `x`').filter(({ better }) => better === 'higher');
  expect(higher.map(({ measure }) => measure)).toEqual(['fields/op']);
});

test('libtest: JSON lines as well', () => {
  const text = read('libtest.jsonl');
  expect(findPrintedFormat(text)).toBe('libtest');
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

test('divan: the fastest sample, named by its place in the tree', () => {
  expect(results('divan', outputs.divan)).toEqual([
    'sized/100 latency 720.7',
    'sized/2000 latency 14020',
    'small latency 87.69',
    'group/copy latency 746.3',
  ]);
});

test('Google Benchmark: the real time of an iteration', () => {
  expect(results('google-benchmark', outputs['google-benchmark'])).toEqual([
    'Sum/10/iterations:1000 latency 82.79399997945802',
    'Sum/2000/iterations:1000 latency 14044.200000000728',
  ]);
  const inUnits = outputs['google-benchmark'].replace('"time_unit": "ns"', '"time_unit": "us"');
  expect(results('google-benchmark', inUnits)[0]).toBe('Sum/10/iterations:1000 latency 82793.99997945802');
});

test('hyperfine: the shortest run', () => {
  expect(results('hyperfine', outputs.hyperfine)).toEqual(['sh -c true latency 13249584']);
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

test.each([
  ['a Go benchmark that failed', 'go', `--- FAIL: BenchmarkParse\n${outputs.go}`, 'Go benchmark `Parse` failed'],
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
  ['a time that is no number', 'go', 'BenchmarkX 1 NaN ns/op\n', 'a latency of `X` that is no number: NaN'],
] as const)('%s is an error', (_, format, text, message) => {
  expect(() => parsePrinted(format, text, 'bench `x`')).toThrow(BenchError);
  expect(() => parsePrinted(format, text, 'bench `x`')).toThrow(message);
});

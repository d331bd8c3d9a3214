import { expect, test } from 'vitest';
import { findObjects, prefixOf, readLines } from '../../src/bench/output.ts';
import { findPrintedFormats } from '../../src/bench/printed-formats.ts';

test('a line of bpfgate or of cargo says which program printed those below it', () => {
  const text = [
    'before',
    'bpfgate: output of x/v4',
    'a\r',
    '     Running benches/d-4.rs (target/release/deps/d_4-d4024a937e65eebc)',
    'b',
    '     Running unittests src/lib.rs (/t/deps/lib-d4024a937e65eebc)',
    'c',
    '     Running late (no program)',
    'd',
  ].join('\n');
  const lines = readLines(text).filter(({ text: line }) => /^(before|[a-d])$/.test(line));
  expect(lines.map((line) => [line.number, line.text, line.package, line.target])).toEqual([
    [1, 'before', '', ''],
    [3, 'a', 'x', 'v4'],
    [5, 'b', '', 'd_4'],
    [7, 'c', '', 'lib'],
    [9, 'd', '', 'lib'],
  ]);
});

test('a package and a target are part of a name where the tool itself does not print them', () => {
  const program = { package: 'x', target: 'v4' };
  const prefixes = (['criterion', 'libtest', 'divan', 'gungraun', 'go', 'bmf'] as const).map((each) =>
    prefixOf(program, each),
  );
  expect(prefixes).toEqual(['x/v4/', 'x/v4/', 'x/', 'x/', '', '']);
  expect(prefixOf({ package: '', target: '' }, 'criterion')).toBe('');
});

test('objects are found between other lines, also those that are objects', () => {
  const found = findObjects('{"a":1}\nx\n{\n  "b": {"c": 2}\n}\n{"a":3}\n', (json) =>
    json.startsWith('{\n') ? json : undefined,
  );
  expect(found).toEqual(['{\n  "b": {"c": 2}\n}']);
});

test.each([
  ...[' (', ' Running (', '{"', '{\n', '"\\', '1\t', '5 ns/op\t', '│ ', '9', ' ', '"module_path":'],
  ...['Benchmark', 'bench: 1 ns/iter ', 'test x ... ', '"library_build_type":', '"exit_codes":'],
])('output of many %j is read in linear time', (part) => {
  const text = part.repeat(50_000);
  for (const begin of ['', '     Running ', '{', 'BenchmarkX \t', 'test x ... ', '├─ x  ']) {
    readLines(begin + text);
    findPrintedFormats(begin + text);
  }
});

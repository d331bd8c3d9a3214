import { describe, expect, test } from 'vitest';
import { looksLikeBmf, parseBmf } from '../../src/bench/bmf.ts';
import { BenchError } from '../../src/common/errors.ts';

const parse = (text: string) => parseBmf(text, 'bench `macro` (head)');
const one = '{"fun_xdp": {"latency": {"value": 164}}}';

describe('finds the JSON object in other output', () => {
  const metrics = [{ benchmark: 'fun_xdp', measure: 'latency', value: 164 }];
  test.each([
    ['alone', one],
    ['pretty', JSON.stringify(JSON.parse(one), null, 2)],
    ['between lines', `running 1 test\n{oops}\n${one}\r\ndone {}\n`],
    ['pretty between lines', `start\n${JSON.stringify(JSON.parse(one), null, 2)}\n{"done":true}\n`],
    ['behind an open brace', `{ not json\n${one}`],
  ])('%s', (_, text) => {
    expect(parse(text)).toEqual(metrics);
    expect(looksLikeBmf(text)).toBe(true);
  });
});

test('reads bounds, several measures and names with quotes and braces', () => {
  const text = JSON.stringify({
    'a {"b": 1}': { latency: { value: 1.5, lower_value: 1, upper_value: null }, throughput: { value: -2 } },
    c: { latency: { value: 0 } },
  });
  expect(parse(text)).toEqual([
    { benchmark: 'a {"b": 1}', measure: 'latency', value: 1.5 },
    { benchmark: 'a {"b": 1}', measure: 'throughput', value: -2 },
    { benchmark: 'c', measure: 'latency', value: 0 },
  ]);
});

describe('an invalid document is an error', () => {
  test.each([
    ['nothing', ' \n', 'bench `macro` (head) printed nothing'],
    ['text', 'hello', 'bench `macro` (head) printed no Bencher Metric Format; its output ends with: hello'],
    ['an empty object', '{}', 'bench `macro` (head) printed no Bencher Metric Format; its output ends with: {}'],
    ['a cut object', one.slice(0, -2), /printed no Bencher Metric Format; its output ends with: \{"fun_xdp"/],
    ['two objects', `${one}\n${one}`, 'bench `macro` (head) printed 2 Bencher Metric Format objects'],
    [
      'a benchmark twice',
      `{"a":{"latency":{"value":1}},"a":{"latency":{"value":2}}}`,
      'bench `macro` (head) printed `a` twice',
    ],
    [
      'a measure twice',
      `{"a":{"latency":{"value":1},"\\u006catency":{"value":2}}}`,
      'bench `macro` (head) printed `a.latency` twice',
    ],
    ['no value', '{"a":{"latency":{"lower_value":1}}}', /printed a bad `a\.latency\.value`/],
    ['a value as text', '{"a":{"latency":{"value":"1"}}}', /printed a bad `a\.latency\.value`/],
    ['a value beyond range', '{"a":{"latency":{"value":1e999}}}', /printed a bad `a\.latency\.value`/],
    ['a value beyond range below', '{"a":{"latency":{"value":-1e999}}}', /printed a bad `a\.latency\.value`/],
    ['no number', '{"a":{"latency":{"value":NaN}}}', /printed no Bencher Metric Format; .* "?\{"a".*NaN/],
    ['a negative infinity', '{"a":{"latency":{"value":-Infinity}}}', /printed no Bencher Metric Format/],
    ['an unknown key', '{"a":{"latency":{"value":1,"unit":"ns"}}}', /printed a bad `a\.latency\.unit`/],
    ['a measure that is a number', '{"a":{"latency":{"value":1},"x":3}}', /printed a bad `a\.x`/],
    [
      'a negative size',
      '{"a":{"peak-bytes":{"value":-1}}}',
      'bench `macro` (head) printed a negative `a.peak-bytes.value`: -1',
    ],
    [
      'a negative latency',
      '{"a":{"latency":{"value":-1}}}',
      'bench `macro` (head) printed a negative `a.latency.value`: -1',
    ],
  ])('%s', (_, text, message) => {
    expect(() => parse(text)).toThrow(BenchError);
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).toThrow(expect.objectContaining({ hint: expect.any(String) }));
  });
});

test.each(['NaN', 'Infinity', '-Infinity'])('JSON with %s is an error', (value) => {
  const hint = 'JSON has no NaN and no Infinity: leave out what has no value';
  expect(() => parse(`{"a":{"latency":{"value":${value}}}}`)).toThrow(expect.objectContaining({ hint }));
});

test('other JSON is not read as results', () => {
  expect(looksLikeBmf('{"reason":"benchmark-complete","id":"x","mean":{"estimate":1}}')).toBe(false);
  expect(looksLikeBmf('[1]')).toBe(false);
  expect(looksLikeBmf('null')).toBe(false);
});

test('reads a long output in linear time', () => {
  const noise = `${'{"a": {"b": 1}\n}'.repeat(2)}\n{ x }\n`.repeat(5000);
  expect(parse(`${noise}${one}`)).toHaveLength(1);
});

test('more results than a report can show are refused before each is checked', () => {
  const print = (count: number) =>
    JSON.stringify(
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`b${index}`, { latency: { value: 1 } }])),
    );
  expect(parseBmf(print(20_000), 'stdout')).toHaveLength(20_000);
  expect(() => parseBmf(print(20_001), 'stdout')).toThrow('stdout printed 20001 results, more than 20000');
});

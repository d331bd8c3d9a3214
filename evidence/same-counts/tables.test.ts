import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import type { Machine } from '../../src/model/guest-run.ts';
import { kernelResult, pair, resultsOf } from '../../tests/report/results-fixtures.ts';
import { differences, sameCountsTables, type Way } from './tables.ts';

const fun = (base: number, head: number) => pair(base, head, { benchmark: 'macro/fun_xdp', gross: base, empty: 50 });
const { machine } = kernelResult('6.1');
const way = (counted: Measurement[], on: Partial<Machine> = {}, spinning = 0): Way => ({
  spinning,
  results: [resultsOf(counted, [kernelResult('6.1', { machine: machine && { ...machine, ...on } })])],
});
const booted = way(fun(77, 145), { startedFrom: 'boot' });

test('a row says what the guests say of themselves', () => {
  const others = [
    way(fun(77, 145), { startedFrom: 'boot' }, 4),
    way(fun(77, 145), { startedFrom: 'snapshot', runner: 'virtme-ng', qemuVersion: '10.0.2' }),
  ];
  const { ways = [] } = sameCountsTables([booted, ...others]);
  expect(ways.map((row) => Object.values(row).slice(0, 4))).toEqual([
    ['vmtest', '7.2.22', 'boot', 'none'],
    ['vmtest', '7.2.22', 'boot', '4 spinning'],
    ['virtme-ng', '10.0.2', 'snapshot', 'none'],
  ]);
  expect(ways.map(({ values, differ }) => [values, differ])).toEqual([
    [2, ''],
    [2, 0],
    [2, 0],
  ]);
  expect(differences([booted, ...others])).toEqual([]);
});

describe('a difference is reported', () => {
  test.each([
    ['a value', way(fun(77, 146)), 1],
    ['one that the other way did not count', way([]), 2],
    ['one that the first way did not count', way([...fun(77, 145), ...pair(1, 1, { benchmark: 'macro/new' })]), 2],
  ])('%s', (_, other, count) => {
    expect(differences([booted, other])).toHaveLength(count);
    expect(sameCountsTables([booted, other]).ways?.[1]?.differ).toBe(count);
  });

  test('with name, both values and where they are', () => {
    const [line] = differences([booted, way(fun(77, 146), { qemuVersion: '10.0.2' })]);
    expect(line).toMatch(/^macro\/fun_xdp \(bpf-instructions\), head, on 6\.1: 145 .* and, .*10\.0\.2.*, 146 /);
  });
});

import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import { recordComparison } from '../../src/report/results.ts';
import { pair, strictGate } from '../../tests/report/results-fixtures.ts';
import { contradictions, type ExactnessReport, type ExactnessRun, exactnessTables } from './tables.ts';

const userSpace: Partial<Measurement> = {
  benchmark: 'micro/call',
  kind: 'benchmark',
  measure: 'latency',
  exact: false,
  resolution: 0.001,
};
const run = (spinning: number, ...pairs: Measurement[][]): ExactnessRun => ({
  project: 'example',
  kernel: '6.1',
  release: '6.1.176',
  spinning,
  comparisons: compareMeasurements(pairs.flat(), [], strictGate).map(recordComparison),
});
const program = (base: number, head: number, benchmark = 'macro/fun_xdp') => pair(base, head, { benchmark });
const wrongOf = (report: ExactnessReport) => exactnessTables(report).totals?.map(({ wrong }) => wrong);

describe('correct results', () => {
  const same = [run(0, program(160, 160), pair(1000, 1000.5, userSpace)), run(4, program(160, 160))];
  const injected = [run(0, program(7, 8, 'a'), program(20, 21, 'b'))];

  test('are all in the tables', () => {
    const tables = exactnessTables({ same, injected });
    expect(tables.totals?.map(({ comparisons, wrong }) => [comparisons, wrong])).toEqual([
      [2, 0],
      [1, 0],
      [2, 0],
    ]);
    expect(tables.same?.[0]).toMatchObject({ 'others that differ': 1, 'by at most': '0.05 %' });
    expect(tables.same?.[1]).toMatchObject({ 'load added': '4 spinning' });
    expect(tables.injected?.[0]).toMatchObject({ programs: 2, 'found, exactly': 2, 'deltas seen': '1' });
  });

  test('contradicts nothing', () => expect(contradictions({ same, injected })).toEqual([]));
});

describe('a contradiction is reported', () => {
  test.each([
    ['a program that differs from itself', run(0, program(160, 159)), 'macro/fun_xdp'],
    ['user space that differs by more than 0.1 %', run(0, pair(1000, 1002, userSpace)), 'micro/call'],
  ])('%s', (_, same, name) => {
    expect(contradictions({ same: [same], injected: [] })).toEqual([expect.stringContaining(name)]);
    expect(wrongOf({ same: [same], injected: [] })).toContain(1);
  });

  test.each([
    ['an added instruction that is missed', 0],
    ['one that counts twice', 2],
  ])('%s', (_, delta) => {
    const injected = [run(0, program(20, 20 + delta))];
    expect(contradictions({ same: [], injected })).toEqual([expect.stringContaining(`, ${delta}, `)]);
    expect(wrongOf({ same: [], injected })).toEqual([0, 0, 1]);
  });
});

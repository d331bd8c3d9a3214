import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import { compareMeasurements } from '../../src/compare/compare.ts';
import { pair, strictGate } from '../../tests/report/results-fixtures.ts';
import { contradictions, type ExactnessRun, renderExactnessPage } from './tables.ts';

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
  comparisons: compareMeasurements(pairs.flat(), [], strictGate),
});
const program = (base: number, head: number, benchmark = 'macro/fun_xdp') => pair(base, head, { benchmark });
const page = (same: ExactnessRun[], injected: ExactnessRun[]) =>
  renderExactnessPage({
    command: 'npm run exactness',
    time: '2026-11-21 13:05 UTC',
    machine: { cpu: 'A CPU', cores: 2, memoryGiB: 8, virtual: true, system: 'Debian GNU/Linux 12', qemu: '7.2.22' },
    minutes: 25.4,
    same,
    injected,
  });

describe('correct results', () => {
  const same = [run(0, program(160, 160), pair(1000, 1000.5, userSpace)), run(4, program(160, 160))];
  const injected = [run(0, program(7, 8, 'a'), program(20, 21, 'b'))];

  test('looks as expected', async () => {
    await expect(page(same, injected)).toMatchFileSnapshot('golden/exactness.md');
  });

  test('contradicts nothing', () => expect(contradictions({ same, injected })).toEqual([]));
});

describe('a contradiction of the page is reported', () => {
  test.each([
    ['a program that differs from itself', run(0, program(160, 159)), 'macro/fun_xdp'],
    ['user space that differs by more than 0.1 %', run(0, pair(1000, 1002, userSpace)), 'micro/call'],
  ])('%s', (_, same, name) => {
    expect(contradictions({ same: [same], injected: [] })).toEqual([expect.stringContaining(name)]);
    expect(page([same], [])).toContain('of which 1 differ');
    expect(page([same], [])).toContain('**no, some were**');
  });

  test.each([
    ['an added instruction that is missed', 0],
    ['one that counts twice', 2],
  ])('%s', (_, delta) => {
    const injected = [run(0, program(20, 20 + delta))];
    expect(contradictions({ same: [], injected })).toEqual([expect.stringContaining(`, ${delta}, `)]);
    expect(page([], injected)).toContain('1 program, of which 0 are found');
  });
});

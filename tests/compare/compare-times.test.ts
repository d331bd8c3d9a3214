import { describe, expect, test } from 'vitest';
import type { TimedBenchmark, TimedRound } from '../../src/bench/measure-times.ts';
import { compareTimes, type KernelTimes } from '../../src/compare/compare-times.ts';
import { recordComparison } from '../../src/report/results.ts';
import { strictGate } from '../report/results-fixtures.ts';

/** Noise that is the same in every run of the test, of about 2 %. */
const noise = (seed: number) => 1 + 0.02 * Math.sin(seed * 12.9898);

function roundsOf(count: number, growth: number, control = 1): TimedRound[] {
  return Array.from({ length: count }, (_, round) => ({
    boot: round % 3,
    base: 100 * noise(3 * round),
    head: 100 * growth * noise(3 * round + 1),
    control: 100 * control * noise(3 * round + 2),
  }));
}

function timed(rounds: readonly TimedRound[], fields: Partial<TimedBenchmark> = {}): TimedBenchmark {
  return {
    kernel: '6.1',
    benchmark: 'x/probe',
    measure: 'bpf-time',
    unit: 'ns/run',
    better: 'lower',
    kind: 'bpf-program',
    source: null,
    rounds,
    warnings: [],
    ...fields,
  };
}

function compare(benchmarks: readonly TimedBenchmark[], fields: Partial<KernelTimes> = {}, gate = strictGate) {
  const kernel: KernelTimes = { kernel: '6.1', isReal: true, benchmarks, controls: [], gaps: [], ...fields };
  return compareTimes([kernel], gate).comparisons.map(recordComparison);
}

describe('under a real clock', () => {
  test('a growth beyond the limit is a regression, with its interval and corrected p-value', () => {
    const [found] = compare([timed(roundsOf(30, 1.25))]);
    expect(found).toMatchObject({ lane: 'time', verdict: 'regression', limit: 0.05, roundsNeeded: null, warnings: [] });
    expect(found?.deltaRatio).toBeCloseTo(0.25, 1);
    expect(found?.pValue).toBeLessThan(0.01);
    expect(found?.interval?.[0]).toBeGreaterThan(5);
    expect(found?.interval?.[0]).toBeLessThan(found?.delta ?? 0);
  });

  test('equal times are unchanged if there are enough rounds', () => {
    expect(compare([timed(roundsOf(30, 1))])).toMatchObject([{ verdict: 'unchanged' }]);
  });

  test('too few rounds are inconclusive, with the number of rounds needed', () => {
    const [found] = compare([timed(roundsOf(4, 1.25))]);
    expect(found?.verdict).toBe('inconclusive');
    expect(found?.roundsNeeded).toBeGreaterThan(4);
    expect(found?.warnings.join()).toMatch(/^4 rounds are too few to decide; about \d+ would be/);
  });

  test('a lower throughput is worse', () => {
    const printed = { measure: 'throughput', unit: 'throughput', better: 'higher' } as const;
    expect(compare([timed(roundsOf(30, 0.8), printed)])).toMatchObject([{ verdict: 'regression' }]);
    const [faster] = compare([timed(roundsOf(30, 1.25), printed)]);
    expect(faster?.verdict).toBe('improvement');
    expect(faster?.deltaRatio).toBeCloseTo(0.25, 1);
  });

  test('all comparisons are one family: with many others, the same rounds prove less', () => {
    const one = compare([timed(roundsOf(9, 1.25))]);
    const many = Array.from({ length: 100 }, (_, index) => timed(roundsOf(9, 1), { benchmark: `x/${index}` }));
    expect(one).toMatchObject([{ verdict: 'regression' }]);
    expect(compare([timed(roundsOf(9, 1.25)), ...many])[0]?.verdict).toBe('inconclusive');
  });

  test('a benchmark on one side only is added or removed', () => {
    const only = (side: 'base' | 'head') => timed([{ boot: 0, [side]: 5 }], { benchmark: `x/${side}` });
    expect(compare([only('base'), only('head')]).map(({ verdict }) => verdict)).toEqual(['removed', 'added']);
  });

  test('a limit of off is unchanged, and not part of the family', () => {
    const off = { ...strictGate, overrides: [{ benchmark: 'x/*', limit: 'off' }] } as const;
    expect(compare([timed(roundsOf(30, 2))], {}, off)).toMatchObject([{ verdict: 'unchanged', pValue: null }]);
  });
});

describe('a control that moves', () => {
  test('makes every verdict of its kernel inconclusive', () => {
    const found = compare([timed(roundsOf(30, 1.25)), timed(roundsOf(30, 1, 1.1), { benchmark: 'x/other' })]);
    expect(found.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'inconclusive']);
    expect(found[0]?.warnings[0]).toMatch(
      /^base against base again, `x\/other` moved by \d+\.\d %, so times of this run/,
    );
  });

  test('can be the fixed program', () => {
    const rounds = roundsOf(30, 1.2);
    const found = compare([timed(roundsOf(30, 1.25))], { controls: [{ kernel: '6.1', bench: 'x', rounds }] });
    expect(found).toMatchObject([{ verdict: 'inconclusive' }]);
    expect(found[0]?.warnings[0]).toMatch(/^the control program of `x` moved by/);
  });

  test('with too few rounds to move makes changes inconclusive', () => {
    const short = { kernel: '6.1', bench: 'x', rounds: roundsOf(3, 1) };
    const found = compare([timed(roundsOf(30, 1.25)), timed(roundsOf(30, 1), { benchmark: 'x/same' })], {
      controls: [short],
    });
    expect(found.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'unchanged']);
    expect(found[0]?.warnings).toEqual([
      'the control program of `x` has 3 rounds, too few to show whether the machine is steady',
    ]);
  });

  test('on one kernel does not affect the others', () => {
    const other = {
      kernel: '5.10',
      isReal: true,
      gaps: [],
      controls: [],
      benchmarks: [timed(roundsOf(30, 1.25), { kernel: '5.10' })],
    };
    const moving = { kernel: '6.1', isReal: true, gaps: [], controls: [], benchmarks: [timed(roundsOf(30, 1, 1.1))] };
    const { comparisons } = compareTimes([moving, other], strictGate);
    expect(comparisons.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'regression']);
  });
});

test('under emulation a change of time is only advice', () => {
  const [found] = compare([timed(roundsOf(30, 1.25))], { isReal: false });
  expect(found).toMatchObject({ verdict: 'unchanged', limit: 'off' });
  expect(found?.warnings[0]).toMatch(/^it is slower by 2\d\.\d %; under emulation that is advice/);
});

describe('under emulation an inconclusive result is reported as under a real clock, and fails nothing', () => {
  const emulated = (benchmarks: readonly TimedBenchmark[], fields: Partial<KernelTimes> = {}) =>
    compare(benchmarks, { isReal: false, ...fields });

  test('too few rounds', () => {
    const [found] = emulated([timed(roundsOf(4, 1.25))]);
    expect(found?.verdict).toBe('unchanged');
    expect(found?.roundsNeeded).toBeGreaterThan(4);
    expect(found?.warnings.join()).toMatch(/^4 rounds are too few to decide/);
  });

  test('a control that moved', () => {
    const found = emulated([timed(roundsOf(30, 1.25)), timed(roundsOf(30, 1, 1.1), { benchmark: 'x/other' })]);
    expect(found.map(({ verdict }) => verdict)).toEqual(['unchanged', 'unchanged']);
    for (const { warnings } of found) expect(warnings).toEqual([expect.stringMatching(/`x\/other` moved by/)]);
  });

  test('a control that could not have moved', () => {
    const controls = [{ kernel: '6.1', bench: 'x', rounds: roundsOf(3, 1) }];
    const [found] = emulated([timed(roundsOf(30, 1.25))], { controls });
    expect(found?.warnings).toEqual([expect.stringMatching(/^the control program of `x` has 3 rounds, too few/)]);
  });
});

test('medians of both sides are measurements, with every round', () => {
  const { measurements } = compareTimes(
    [{ kernel: '6.1', isReal: true, gaps: [], controls: [], benchmarks: [timed(roundsOf(9, 2))] }],
    strictGate,
  );
  expect(measurements.map(({ revision, lane, samples }) => [revision, lane, samples.length])).toEqual([
    ['base', 'time', 9],
    ['head', 'time', 9],
  ]);
});

test('a time of 0 is inconclusive, and does not affect other benchmarks', () => {
  const odd = timed([{ boot: 0, base: 1, head: 0 }], { benchmark: 'x/odd' });
  expect(compare([odd, timed(roundsOf(30, 1.25))]).map(({ verdict }) => verdict)).toEqual([
    'inconclusive',
    'regression',
  ]);
});

test('rounds without both sides are inconclusive', () => {
  const apart = timed([
    { boot: 0, base: 100 },
    { boot: 0, head: 300 },
  ]);
  expect(compare([apart])).toMatchObject([{ verdict: 'inconclusive' }]);
});

test('a benchmark that needs a newer kernel only in head is a regression if time is judged', () => {
  const gap = { kernel: '6.1', lane: 'time', revision: 'head', benchmark: 'x/probe', needs: '6.6' } as const;
  const only = timed([{ boot: 0, base: 5 }]);
  expect(compare([only], { gaps: [gap] })).toMatchObject([{ verdict: 'regression', needs: { kernel: '6.6' } }]);
  expect(compare([only], { gaps: [gap], isReal: false })).toMatchObject([{ verdict: 'unchanged' }]);
});

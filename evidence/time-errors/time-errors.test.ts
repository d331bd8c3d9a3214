import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { parseData } from './data.ts';
import { dataOf, kernelOf, type RunShape, runOf } from './fixtures.ts';
import { scheduleRuns } from './schedule.ts';
import { boundRate, judgeRun } from './verdicts.ts';

describe('scheduleRuns', () => {
  test('has the wanted number of each, in an order given by the seed', () => {
    fc.assert(
      fc.property(fc.nat(80), fc.nat(30), fc.nat(2 ** 32 - 1), (runs, powerRuns, seed) => {
        const order = scheduleRuns(runs, powerRuns, seed);
        const count = (head: string) => order.filter((each) => each === head).length;
        expect([count('base'), count('slower-10'), count('slower-25')]).toEqual([runs, powerRuns, powerRuns]);
        expect(scheduleRuns(runs, powerRuns, seed)).toEqual(order);
      }),
    );
    expect(scheduleRuns(59, 20, 1)).not.toEqual(scheduleRuns(59, 20, 2));
  });
});

describe('parseData', () => {
  const linesOf = ({ start, growths, runs, end }: ReturnType<typeof dataOf>) => [start, ...growths, ...runs, end];
  const textOf = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

  test('reads what was written', () => {
    const data = dataOf([runOf(1, 'base'), runOf(2, 'slower-25')]);
    expect(parseData(textOf(linesOf(data)), 'x.jsonl')).toEqual(data);
  });

  test('reads the output of a process that was lost', () => {
    const data = dataOf([runOf(1, 'base')]);
    expect(parseData(textOf(linesOf(data).slice(0, -1)), 'x.jsonl')).toEqual({ ...data, end: undefined });
  });

  test('the first record is the start', () => {
    expect(() => parseData('', 'x.jsonl')).toThrow(new InputError('x.jsonl: it does not begin with a `start` record'));
  });
});

describe('judgeRun', () => {
  const judge = (shape: RunShape) => judgeRun({ number: 1, kernels: [kernelOf(shape)] }, 0.05);

  test('judges each benchmark in every way', () => {
    const [program, benchmark] = judge({ growth: 1.25 });
    const common = {
      kernel: '6.1',
      rounds: 20,
      verdict: 'regression',
      undecided: null,
      moreRounds: null,
      isAdvised: true,
    };
    expect(program).toMatchObject({ ...common, benchmark: 'work/add', kind: 'bpf-program', criterion: null });
    expect(benchmark).toMatchObject({ ...common, benchmark: 'work/mix', kind: 'benchmark', criterion: 'regressed' });
    for (const judged of [program, benchmark]) {
      expect(judged?.growth).toBeCloseTo(0.25, 1);
      expect(judged?.ratio).toBeCloseTo(1.25, 1);
    }
  });

  test('equal times are unchanged, without advice', () => {
    expect(judge({})).toMatchObject([
      { verdict: 'unchanged', isAdvised: false, criterion: null },
      { verdict: 'unchanged', isAdvised: false, criterion: 'unchanged' },
    ]);
  });

  // These check that the time lane's messages still have the words that are looked for.
  test.each([
    ['rounds', { rounds: 7, growth: 1.06 }],
    ['control moved', { growth: 1.25, control: 1.25 }],
    ['control blind', { rounds: 9, growth: 1.5 }],
  ] as const)('undecided because of %s', (undecided, shape) => {
    expect(judge(shape)).toMatchObject([
      { verdict: 'inconclusive', undecided },
      { verdict: 'inconclusive', undecided },
    ]);
  });

  test('inconclusive because boots differ', () => {
    const kernel = kernelOf({ rounds: 60 });
    const benchmarks = kernel.benchmarks.map((benchmark) => ({
      ...benchmark,
      rounds: benchmark.rounds.map((round) => ({
        ...round,
        head: round.head && round.head * (round.boot === 0 ? 1 : 1.3),
      })),
    }));
    const [judged] = judgeRun({ number: 1, kernels: [{ ...kernel, benchmarks }] }, 0.05);
    expect(judged).toMatchObject({ verdict: 'inconclusive', undecided: 'boots differ', moreRounds: null });
  });

  test('has the number of rounds still needed', () => {
    const [judged] = judge({ rounds: 7, growth: 1.06 });
    expect(judged?.moreRounds).toBeGreaterThan(0);
  });
});

test.each([
  // For none, 1 - 0.05^(1/n). For one, the p at which (1 - p)^n + n p (1 - p)^(n - 1) is 0.05.
  [0, 59, 0.0495076],
  [1, 59, 0.0778979],
  [0, 1, 0.95],
  [3, 3, 1],
  [0, 0, 1],
])('of %i in %i, the rate is at most %f', (found, trials, bound) => {
  expect(boundRate(found, trials)).toBeCloseTo(bound, 4);
});

import { describe, expect, test } from 'vitest';
import { dataOf, runOf } from './fixtures.ts';
import { timeErrorsRecord } from './tables.ts';

const steady = [runOf(1, 'base'), runOf(2, 'slower-10', { growth: 1.1 }), runOf(3, 'slower-25', { growth: 1.25 })];

test('each kind of run is judged by each rule', () => {
  const runs = [
    ...steady,
    runOf(4, 'base', { rounds: 6 }),
    runOf(5, 'slower-10', { growth: 1.1, control: 1.2 }),
    runOf(6, 'slower-25', { rounds: 7, growth: 1.25 }),
  ];
  const { tables, conditions } = timeErrorsRecord(dataOf(runs));
  expect(tables.verdicts).toMatchObject([
    { head: 'itself', runs: 2, blocked: 0, 'at most, 95 %': '78 %', unchanged: 2, inconclusive: 2 },
    { head: '10 % more work', runs: 2, blocked: 1, regression: 2, inconclusive: 2, 'runs that warned': 1 },
    { head: '25 % more work', runs: 2, blocked: 1 },
  ]);
  expect(tables.undecided?.[1]).toMatchObject({ inconclusive: '2 of 4 (50 %)', 'control moved': 2 });
  expect(tables.rules?.find((row) => row.rule === 'a ratio above 2')).toMatchObject({
    benchmarks: 'all',
    '25 % more work: runs': '0 of 2 (0 %)',
  });
  expect(tables.benchmarks).toHaveLength(6);
  expect(tables.work?.[1]).toEqual({ benchmark: 'work/add on 6.1', head: 'slower-25', instructions: '+24.99 %' });
  expect(tables.effort).toMatchObject([{ 'boots of a kernel': '3 (3 to 3)' }]);
  expect(conditions?.runs).toBe('6 of 6');
});

test('a commit against itself that is blocked bounds the rate of false blocks', () => {
  const others = Array.from({ length: 58 }, (_, index) => runOf(index, 'base'));
  const blockedAtMost = (...runs: typeof others) => timeErrorsRecord(dataOf(runs)).tables.verdicts?.[0];
  expect(blockedAtMost(...others, runOf(59, 'base'))).toMatchObject({ blocked: 0, 'at most, 95 %': '5 %' });
  expect(blockedAtMost(...others, runOf(59, 'base', { growth: 1.25 }))).toMatchObject({
    blocked: 1,
    'at most, 95 %': '7.8 %',
  });
});

describe('missing data is reported', () => {
  test('runs that were not made, with the reason', () => {
    const data = dataOf(steady, { runs: 59 });
    const end = { record: 'end', minutes: 3, stopped: 'interrupted by SIGINT' } as const;
    expect(timeErrorsRecord({ ...data, end }).conditions?.runs).toBe('3 of 61, then interrupted by SIGINT');
    expect(timeErrorsRecord({ ...data, end: undefined }).conditions?.runs).toContain('the process was lost');
  });

  test('failed runs, which are not counted', () => {
    const failed = { ...runOf(4, 'base'), kernels: [], error: '6.1: the guest was lost' };
    const { tables } = timeErrorsRecord(dataOf([...steady, failed]));
    expect(tables.failures).toEqual([{ run: 4, head: 'base', error: '6.1: the guest was lost' }]);
    expect(tables.verdicts?.[0]).toMatchObject({ runs: 1 });
  });

  test('a missing kind of run', () => {
    const { tables } = timeErrorsRecord(dataOf(steady.slice(0, 1), { powerRuns: 1 }));
    expect(tables.verdicts?.[1]).toMatchObject({ head: '10 % more work', runs: 0, comparisons: 0 });
  });
});

import { describe, expect, test } from 'vitest';
import { dataOf, runOf } from './fixtures.ts';
import { renderTimeErrorsPage } from './tables.ts';

const steady = [runOf(1, 'base'), runOf(2, 'slower-10', { growth: 1.1 }), runOf(3, 'slower-25', { growth: 1.25 })];

test('looks as expected', async () => {
  const runs = [
    ...steady,
    runOf(4, 'base', { rounds: 6 }),
    runOf(5, 'slower-10', { growth: 1.1, control: 1.2 }),
    runOf(6, 'slower-25', { rounds: 7, growth: 1.25 }),
  ];
  await expect(renderTimeErrorsPage(dataOf(runs))).toMatchFileSnapshot('golden/time-errors.md');
});

describe('a commit against itself', () => {
  test('that is never blocked meets the requirement', () => {
    const page = renderTimeErrorsPage(dataOf(steady));
    expect(page).toContain('**0 of 1 run would have been blocked falsely**, so at most 95 % of such runs are');
    expect(page).toContain('which holds');
  });

  test('that is blocked once in 59 still does, and twice does not', () => {
    const others = (count: number) => Array.from({ length: 59 - count }, (_, index) => runOf(index, 'base'));
    const blocked = runOf(60, 'base', { growth: 1.25 });
    expect(renderTimeErrorsPage(dataOf([...others(1), blocked]))).toContain('1 in 59, which holds');
    expect(renderTimeErrorsPage(dataOf([...others(2), blocked, blocked]))).toContain('which **does not hold**');
  });
});

describe('missing data is reported', () => {
  test('runs that were not made, with the reason', () => {
    const data = dataOf(steady, { runs: 59 });
    const end = { record: 'end', minutes: 3, load: { before: 1, after: 1 }, stopped: 'interrupted by SIGINT' } as const;
    expect(renderTimeErrorsPage({ ...data, end })).toContain(
      '**It ended early**: 3 of 61 runs were made. interrupted by SIGINT',
    );
    expect(renderTimeErrorsPage({ ...data, end: undefined })).toContain('The process was lost.');
    expect(renderTimeErrorsPage(dataOf(steady))).not.toContain('ended early');
  });

  test('failed runs, which are not counted', () => {
    const failed = { ...runOf(4, 'base'), kernels: [], error: '6.1: the guest <was> lost' };
    const page = renderTimeErrorsPage(dataOf([...steady, failed]));
    expect(page).toContain('- run 4 (`base`): 6.1: the guest');
    expect(page).not.toContain('<was>');
    expect(page).toContain('0 of 1 run would');
  });

  test('a missing kind of run', () => {
    expect(renderTimeErrorsPage(dataOf(steady.slice(0, 1), { powerRuns: 1 }))).toContain('**10 % more work**: not run');
  });
});

import { expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { makeMatrix } from '../../src/plan/make-matrix.ts';

test('one job for each kernel, without a shard in its name if there is only one', () => {
  expect(makeMatrix(['5.8:source', '6.1'], 1)).toEqual([
    { kernel: '5.8:source', name: '5.8-source' },
    { kernel: '6.1', name: '6.1' },
  ]);
});

test('a job for each shard of each kernel', () => {
  expect(makeMatrix(['5.8:source', '6.1'], 2)).toEqual([
    { kernel: '5.8:source', shard: '1/2', name: '5.8-source-1-of-2' },
    { kernel: '5.8:source', shard: '2/2', name: '5.8-source-2-of-2' },
    { kernel: '6.1', shard: '1/2', name: '6.1-1-of-2' },
    { kernel: '6.1', shard: '2/2', name: '6.1-2-of-2' },
  ]);
});

test("GitHub's maximum of jobs, each with its own name, and no more", () => {
  const kernels = Array.from({ length: 16 }, (_, index) => `6.${index}`);
  const jobs = makeMatrix(kernels, 16);
  expect(jobs).toHaveLength(256);
  expect(new Set(jobs.map(({ name }) => name)).size).toBe(256);
  const more = () => makeMatrix(kernels, 17);
  expect(more).toThrow(InputError);
  expect(more).toThrow('16 kernels in 17 shards each are 272 jobs, and GitHub starts at most 256 of a matrix');
  try {
    more();
  } catch (error) {
    expect(error).toMatchObject({ hint: 'choose fewer kernels, or at most 16 shards' });
  }
});

test('two kernels whose artifacts would have one name are refused', () => {
  expect(() => makeMatrix(['6.1.7+', '6.1', '6.1.7~'], 1)).toThrow(
    'kernel 6.1.7~ and another would both name their artifacts `6.1.7-`',
  );
});

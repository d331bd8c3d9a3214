import { expect, test } from 'vitest';
import { InterruptedError } from '../src/common/errors.ts';
import { runRounds } from './rounds.ts';

const quiet = { progress: () => {}, warn: () => {} };
const times = { firstMs: 1, endMs: 2 };

test('boots every subject once a round, and the slow ones in the first rounds only', async () => {
  const booted: string[] = [];
  const subject = (name: string, rounds?: number) => ({
    kernel: '6.1',
    name,
    ...(rounds === undefined ? {} : { rounds }),
    boot: async () => {
      booted.push(name);
      return times;
    },
  });
  const samples = await runRounds([subject('a'), subject('b'), subject('slow', 1)], { rounds: 3, seed: 1, log: quiet });
  expect(samples.map(({ subject, round }) => `${subject} ${round}`).sort()).toEqual([
    ...['a 1', 'a 2', 'a 3', 'b 1', 'b 2', 'b 3', 'slow 1'],
  ]);
  expect(booted).toEqual(samples.map(({ subject }) => subject));
});

test('continues after a failed boot, and keeps the first line of the reason', async () => {
  const boot = async () => {
    throw new Error('it panicked\nand said more');
  };
  const samples = await runRounds(
    [
      { kernel: '6.1', name: 'bad', boot },
      { kernel: '6.1', name: 'good', boot: async () => times },
    ],
    { rounds: 1, seed: 1, log: quiet },
  );
  expect(samples).toHaveLength(2);
  expect(samples.find(({ subject }) => subject === 'bad')).toMatchObject({ times: undefined, error: 'it panicked' });
});

test('stops when it is interrupted', async () => {
  const boot = async () => {
    throw new InterruptedError('interrupted by SIGINT');
  };
  await expect(runRounds([{ kernel: '6.1', name: 'a', boot }], { rounds: 1, seed: 1, log: quiet })).rejects.toThrow(
    InterruptedError,
  );
});

// The recorded Go benchmark as rounds; fixtures/README.md says how it was made.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Round } from '../../src/statistics/rounds.ts';

export const fixtures = join(import.meta.dirname, 'fixtures');

/** Times in nanoseconds, in the order of the rounds. */
export function readFixtureTimes(side: 'base' | 'head', benchmark: string): number[] {
  const text = readFileSync(join(fixtures, `${side}.txt`), 'utf8');
  return [...text.matchAll(/^Benchmark(\w+)\s+\d+\s+([\d.]+) ns\/op$/gm)].flatMap(([, name, time]) =>
    name === benchmark ? [Number(time)] : [],
  );
}

export function readFixtureRounds(benchmark: string): Round[] {
  const heads = readFixtureTimes('head', benchmark);
  return readFixtureTimes('base', benchmark).map((base, index) => ({
    boot: 0,
    base,
    head: heads[index] ?? Number.NaN,
  }));
}

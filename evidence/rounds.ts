// Boots subjects in rounds, each in another order, so that the host's load affects all subjects alike.

import type { Log } from '../src/adapters/log.ts';
import { InterruptedError } from '../src/common/errors.ts';
import { type BootTimes, randomFrom, type Sample, shuffle, untilFirst } from './statistics.ts';

export interface Subject {
  /** Kernel id. */
  readonly kernel: string;
  readonly name: string;
  /** Number of rounds it takes part in, from the first. Default: all. */
  readonly rounds?: number;
  /** Boots once. */
  readonly boot: () => Promise<BootTimes>;
}

/**
 * Boots every subject once in each round. A failed boot does not stop the others.
 *
 * @throws InterruptedError when a boot is interrupted
 */
export async function runRounds(
  subjects: readonly Subject[],
  { rounds, seed, log }: { readonly rounds: number; readonly seed: number; readonly log: Log },
): Promise<Sample[]> {
  const random = randomFrom(seed);
  const samples: Sample[] = [];
  for (let round = 1; round <= rounds; round++) {
    const taking = subjects.filter((subject) => round <= (subject.rounds ?? rounds));
    for (const { kernel, name, boot } of shuffle(taking, random)) {
      const said = `round ${round} of ${rounds}: ${kernel}, ${name}`;
      try {
        const times = await boot();
        log.progress(`${said}: ${(untilFirst(times) / 1000).toFixed(2)} s`);
        samples.push({ kernel, subject: name, round, times });
      } catch (error) {
        if (error instanceof InterruptedError) throw error;
        const line = firstLine(error);
        log.warn(`${said}: ${line}`);
        samples.push({ kernel, subject: name, round, times: undefined, error: line });
      }
    }
  }
  return samples;
}

export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

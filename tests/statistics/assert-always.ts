// Property tests with a fixed seed, so that a run of the tests is the same everywhere.

import fc, { type IPropertyWithHooks } from 'fast-check';

/** FAST_CHECK_SEED and FAST_CHECK_RUNS widen it: `FAST_CHECK_SEED=$RANDOM FAST_CHECK_RUNS=10000 npx vitest ...` */
export function assertAlways<T>(property: IPropertyWithHooks<T>): void {
  const { FAST_CHECK_SEED: seed = '1', FAST_CHECK_RUNS: numRuns = '100' } = process.env;
  fc.assert(property, { seed: Number(seed), numRuns: Number(numRuns) });
}

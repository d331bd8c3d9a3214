// As many files as there are cores are run at once. Those below tests/e2e boot real VMs, for counts that do not depend on
// what else the machine does. `npm test` runs the projects unit and e2e, `npm run test:all` slow as well.

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Second tier: what takes long, and seldom breaks alone. */
const slow = [
  'build-in-guest',
  'criterion',
  'example-project',
  'faults',
  'hostile-tree',
  'incremental-builds',
  'varying-counts',
  'virtme-ng',
].map((name) => `tests/e2e/${name}.test.ts`);

const inGuests = {
  setupFiles: ['tests/e2e/tell-outcomes.ts'],
  testTimeout: 1_800_000,
  hookTimeout: 1_800_000,
  maxWorkers: availableParallelism(),
  maxConcurrency: availableParallelism(),
};

export default defineConfig({
  test: {
    // `npm run test:hostile`: what somebody has tried, or may try, with a tree, a guest, a cache or an artifact of theirs.
    tags: [{ name: 'hostile' }],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/e2e/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // By default one core is left free.
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...inGuests,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          exclude: slow,
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...inGuests, name: 'slow', include: slow, sequence: { groupOrder: 1 } } },
    ],
  },
});

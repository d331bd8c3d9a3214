// Runs as many files at once as there are cores. Tests below tests/e2e boot real VMs, whose counts do not depend on the
// machine's load. `npm test` runs the projects unit and e2e; `npm run test:all` also runs slow.

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that take long, or that few changes can break. */
const slow = [
  'boot',
  'build-in-guest',
  'criterion',
  'example-project',
  'faults',
  'foreign-objects',
  'hostile-tree',
  'incremental-builds',
  'isolation',
  'observing',
  'own-kernels',
  'resume',
  'shards',
  'varying-counts',
  'virtme-ng',
].map((name) => `tests/e2e/${name}.test.ts`);

const inGuests = {
  setupFiles: ['tests/e2e/report-outcomes.ts'],
  testTimeout: 1_800_000,
  hookTimeout: 1_800_000,
  maxWorkers: availableParallelism(),
  maxConcurrency: availableParallelism(),
};

export default defineConfig({
  test: {
    // `npm run test:hostile`: attacks, seen or conceivable, by a malicious tree, guest, cache or artifact.
    tags: [{ name: 'hostile' }],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{tests,evidence}/**/*.test.ts'],
          exclude: ['tests/e2e/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Vitest's default leaves one core free.
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

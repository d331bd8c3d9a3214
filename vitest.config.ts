// Runs as many files at once as there are cores. Tests below tests/e2e boot real VMs or a browser; counts do not depend on the
// load. `npm test` runs the projects unit and e2e; `npm run test:all` also runs slow.

import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that take long, or that few changes can break. */
const slow = [
  'bisect',
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
  'page',
  'own-kernels',
  'resume',
  'shards',
  'strangers',
  'trend-page',
  'virtme-ng',
].map((name) => `tests/e2e/${name}.test.ts`);

/** Starts the demo's tests first: they take longest, and the other core has enough to do meanwhile. */
class DemoFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isDemo = ({ moduleId }: TestSpecification) => moduleId.endsWith('/tests/e2e/gate.test.ts');
    return [...sorted.filter(isDemo), ...sorted.filter((file) => !isDemo(file))];
  }
}

/** What Node has compiled of the sources. With it a process that a test starts takes nearly half as long. */
const env = { NODE_COMPILE_CACHE: join(tmpdir(), 'bpfgate-test-compile-cache') };

const inGuests = {
  env,
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
    sequence: { sequencer: DemoFirst },
    projects: [
      {
        test: {
          env,
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
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...inGuests, name: 'slow', include: slow, sequence: { groupOrder: 1 } } },
    ],
  },
});

// Setup of every e2e file. Few guest failures can be reproduced, so a failed test's message includes bpfgate's output.
// Also checks that no guest leaves anything in /tmp.

import { afterAll, afterEach, expect, vi } from 'vitest';
import { findOrphans, lastRuns } from './bpfgate.ts';

const orphansBefore = new Set(findOrphans());

// Tests of other files that kill guests remove their leftovers within a minute.
afterAll(async () => {
  const left = () => findOrphans().filter((name) => !orphansBefore.has(name));
  await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 120_000, interval: 500 });
}, 180_000);

/** The number of last lines shown of one run's stderr. */
const keptLines = 40;

afterEach(({ task }) => {
  for (const error of task.result?.errors ?? []) {
    const runs = lastRuns.map(({ args, outcome: { code, stderr } }) => {
      const lines = stderr.trimEnd().split('\n');
      return [`bpfgate ${args.join(' ')}: exit code ${code}`, ...lines.slice(-keptLines)].join('\n  ');
    });
    error.message = [error.message, ...runs].join('\n\n');
  }
});

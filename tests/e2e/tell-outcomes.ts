// Set up for every e2e file. Few failures of a guest can be had a second time: what bpfgate said of one is part of the
// failed test's message. And no guest leaves anything in /tmp.

import { afterAll, afterEach, expect, vi } from 'vitest';
import { findOrphans, lastRuns } from './bpfgate.ts';

const orphansBefore = new Set(findOrphans());

// What a test of another file that kills guests has not yet removed goes within a minute.
afterAll(async () => {
  const left = () => findOrphans().filter((name) => !orphansBefore.has(name));
  await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 120_000, interval: 500 });
}, 180_000);

/** Of what one run said, its end. */
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

// Set up for every e2e file. Few failures of a guest can be had a second time: what bpfgate said of one is part of the
// failed test's message.

import { afterEach } from 'vitest';
import { lastRuns } from './bpfgate.ts';

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

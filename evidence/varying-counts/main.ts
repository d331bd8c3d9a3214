// `npm run varying-counts`: compares programs with varying counts with themselves, round after round, and writes
// docs/benchmarks/varying-counts.md: how often that was called a change, and which change would be found.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { openCache } from '../../src/cache/cache.ts';
import { runGate } from '../../src/gate.ts';
import { makeVarying } from '../exactness/injected.ts';
import { describeMachine, exampleGroups, formatTime, withHost } from '../host.ts';
import { commandOf, readPositive } from '../options.ts';
import { renderVaryingPage, type VaryingRun } from './tables.ts';

const defaults = { kernels: '5.10,6.1,6.12', rounds: '11' };
const { values: given } = parseArgs({
  options: {
    kernels: { type: 'string', default: defaults.kernels },
    rounds: { type: 'string', default: defaults.rounds },
    out: { type: 'string', default: join(packageRoot, 'docs', 'benchmarks', 'varying-counts.md') },
  },
});

const log = openLog();
await runScript(log, async () => {
  const cache = openCache();
  const startedAt = performance.now();
  await withHost(exampleGroups, { cache, log }, async (host) => {
    const project = await makeVarying(host.folder);
    const pair = { project, kernels: given.kernels, base: 'base', head: 'base', lanes: 'instructions' };
    const inputs = await readInputs(pair, (option) => `--${option}`);
    const runs: VaryingRun[] = [];
    for (let round = 1; round <= readPositive('rounds', given.rounds); round++) {
      const { results } = await runGate(inputs, { ...host, fresh: true });
      const failed = results.kernels.find(({ error }) => error !== null);
      if (failed !== undefined) throw new Error(`${failed.id}: ${failed.error?.message}`);
      runs.push(results);
      log.progress(`round ${round} of ${given.rounds}`);
    }
    const page = renderVaryingPage({
      command: commandOf('varying-counts', { kernels: given.kernels, rounds: given.rounds }, defaults),
      time: formatTime(new Date()),
      machine: describeMachine(host.versions.qemu),
      minutes: (performance.now() - startedAt) / 60_000,
      gate: inputs.config.gate,
      runs,
    });
    const file = resolve(given.out);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, page);
    log.clear();
    process.stdout.write(page);
  });
});

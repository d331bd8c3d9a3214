// `npm run varying-counts`: compares programs with varying counts with themselves, round after round.
// docs/benchmarks/varying-counts.md shows how often that was called a change, and which change would be found.

import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { openCache } from '../../src/cache/cache.ts';
import { runGate } from '../../src/gate.ts';
import { makeVarying } from '../exactness/injected.ts';
import { exampleGroups, withHost } from '../host.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions, readPositive } from '../options.ts';
import { type VaryingRun, varyingTables } from './tables.ts';

const { given, command } = readOptions('varying-counts', { kernels: '5.10,6.1,6.12', rounds: '11' });

const log = openLog();
await runScript(log, async () => {
  const cache = openCache();
  await withHost(exampleGroups, { cache, log }, async (host) => {
    const project = await makeVarying(host.folder);
    const pair = { project, kernels: given.kernels, base: 'base', head: 'base', lanes: 'instructions' };
    const inputs = await readInputs(pair);
    const runs: VaryingRun[] = [];
    for (let round = 1; round <= readPositive('rounds', given.rounds); round++) {
      const { results } = await runGate(inputs, { ...host, fresh: true });
      const failed = results.kernels.find(({ error }) => error !== null);
      if (failed !== undefined) throw new Error(`${failed.id}: ${failed.error?.message}`);
      runs.push(results);
      log.progress(`round ${round} of ${given.rounds}`);
    }
    await keepMeasured('varying-counts', {
      command,
      qemu: host.versions.qemu,
      tables: varyingTables(runs, inputs.config.gate),
      out: given.out,
      log,
    });
  });
});

// `npm run varying-counts`: compares programs whose counts vary with the same programs, round after round, and with those
// that execute an instruction or a call more. docs/benchmarks/varying-counts.md shows the verdicts.

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
    const { project, heads } = await makeVarying(host.folder, readPositive('rounds', given.rounds));
    const runs: VaryingRun[] = [];
    for (const { tag, more } of heads) {
      const pair = { project, kernels: given.kernels, base: 'base', head: tag, lanes: 'instructions' };
      const run = await runGate(await readInputs(pair), host);
      const failed = run.results.kernels.find(({ error }) => error !== null);
      if (failed !== undefined) throw new Error(`${failed.id}: ${failed.error?.message}`);
      runs.push({ ...run, more });
      log.progress(`${runs.length} of ${heads.length}: ${tag}`);
    }
    await keepMeasured('varying-counts', {
      command,
      qemu: host.versions.qemu,
      tables: varyingTables(runs),
      out: given.out,
      log,
    });
  });
});

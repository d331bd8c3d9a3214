// `npm run exactness`: compares a commit with itself and with one that has one more instruction in every program, on an
// idle host and on a busy one. docs/benchmarks/exactness.md shows it.

import { availableParallelism } from 'node:os';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { openCache } from '../../src/cache/cache.ts';
import { demoBase, makeDemoRepository } from '../../src/commands/demo-project.ts';
import { runGate } from '../../src/gate.ts';
import { exampleGroups, type Host, withHost } from '../host.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions } from '../options.ts';
import { spin } from '../spin.ts';
import { makeInjected } from './injected.ts';
import { contradictions, type ExactnessRun, exactnessTables } from './tables.ts';

const { given, command } = readOptions('exactness', { kernels: '5.10,6.1,6.12' });

const log = openLog();
await runScript(log, async () => {
  const cache = openCache();
  await withHost(exampleGroups, { cache, log }, async (host) => {
    const example = await makeDemoRepository(cache);
    const injected = await makeInjected(host.folder);
    const sameRuns: ExactnessRun[] = [];
    const injectedRuns: ExactnessRun[] = [];
    for (const spinning of [0, 2 * availableParallelism()]) {
      const stop = spin(spinning);
      try {
        const pair = { kernels: given.kernels, spinning };
        sameRuns.push(
          ...(await compare(host, { ...pair, name: 'example', project: example, base: demoBase, head: demoBase })),
          ...(await compare(host, { ...pair, name: 'hundred', project: injected, base: 'base', head: 'base' })),
        );
        injectedRuns.push(
          ...(await compare(host, { ...pair, name: 'hundred', project: injected, base: 'base', head: 'head' })),
        );
      } finally {
        stop();
      }
    }
    const report = { same: sameRuns, injected: injectedRuns };
    await keepMeasured('exactness', {
      command,
      qemu: host.versions.qemu,
      tables: exactnessTables(report),
      out: given.out,
      log,
    });
    const wrong = contradictions(report);
    for (const line of wrong) log.warn(line);
    if (wrong.length > 0) process.exitCode = 1;
  });
});

interface Pair {
  /** Name of the project in the table. */
  readonly name: string;
  readonly project: string;
  readonly base: string;
  readonly head: string;
  readonly kernels: string;
  readonly spinning: number;
}

/** Runs the gate as `bpfgate run --fresh` does. */
async function compare(host: Host, { name, spinning, ...pair }: Pair): Promise<ExactnessRun[]> {
  const inputs = await readInputs({ ...pair, lanes: 'instructions' });
  const { results } = await runGate(inputs, { ...host, fresh: true });
  return results.kernels.map(({ id, release, error }) => {
    if (error !== null) throw new Error(`${id}: ${error.message}`);
    return {
      project: name,
      kernel: id,
      release,
      spinning,
      comparisons: results.comparisons.filter(({ kernel }) => kernel === id),
    };
  });
}

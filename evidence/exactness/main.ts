// `npm run exactness`: compares a commit with itself and with one that has one more instruction in every program, on an
// idle host and on a busy one, and writes docs/benchmarks/exactness.md.

import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { openCache } from '../../src/cache/cache.ts';
import { demoBase, makeDemoRepository } from '../../src/commands/demo-project.ts';
import { runGate } from '../../src/gate.ts';
import { describeMachine, exampleGroups, formatTime, type Host, withHost } from '../host.ts';
import { commandOf } from '../options.ts';
import { spin } from '../spin.ts';
import { makeInjected } from './injected.ts';
import { contradictions, type ExactnessRun, renderExactnessPage } from './tables.ts';

const defaults = { kernels: '5.10,6.1,6.12' };
const { values: given } = parseArgs({
  options: {
    kernels: { type: 'string', default: defaults.kernels },
    out: { type: 'string', default: join(packageRoot, 'docs', 'benchmarks', 'exactness.md') },
  },
});

const log = openLog();
await runScript(log, async () => {
  const cache = openCache();
  const startedAt = performance.now();
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
    const page = renderExactnessPage({
      command: commandOf('exactness', { kernels: given.kernels }, defaults),
      time: formatTime(new Date()),
      machine: describeMachine(host.versions.qemu),
      minutes: (performance.now() - startedAt) / 60_000,
      same: sameRuns,
      injected: injectedRuns,
    });
    const file = resolve(given.out);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, page);
    log.clear();
    process.stdout.write(page);
    const wrong = contradictions({ same: sameRuns, injected: injectedRuns });
    for (const line of wrong) log.warn(line);
    if (wrong.length > 0) process.exitCode = 1;
  });
});

interface Pair {
  /** Name of the project on the page. */
  readonly name: string;
  readonly project: string;
  readonly base: string;
  readonly head: string;
  readonly kernels: string;
  readonly spinning: number;
}

/** Runs the gate as `bpfgate run --fresh` does. */
async function compare(host: Host, { name, spinning, ...pair }: Pair): Promise<ExactnessRun[]> {
  const inputs = await readInputs({ ...pair, lanes: 'instructions' }, (option) => `--${option}`);
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

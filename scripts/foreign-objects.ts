// `npm run foreign-objects`: loads third-party objects in veristat and in the gate's verifier lane, and writes
// docs/benchmarks/foreign-objects.md: which programs each loads, whether the counts are equal, and why the lane loads
// fewer. Exits with 1 if a count differs or a comparison of equal objects is not `unchanged`.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mersenne } from 'pure-rand/generator/mersenne';
import { openLog } from '../src/adapters/log.ts';
import { packageRoot } from '../src/adapters/package-root.ts';
import { openCache } from '../src/cache/cache.ts';
import { readInputs } from '../src/inputs/read-inputs.ts';
import { runGate } from '../src/main.ts';
import { shuffle } from '../src/statistics/balanced-orders.ts';
import { describeMachine, formatTime, withHost } from './boot-times/host.ts';
import { commandOf, readPositive, runScript } from './boot-times/options.ts';
import { groups, makeProject, obtainCorpus } from './foreign-objects/obtain.ts';
import { countVerdicts, isWrong, type KernelRun, pairPrograms, renderForeignPage } from './foreign-objects/page.ts';
import { askReference } from './foreign-objects/reference.ts';

const defaults = { kernels: '5.10,6.1,6.12', rounds: '1', seed: '1', only: groups.join(',') };
const { values: given } = parseArgs({
  options: {
    kernels: { type: 'string', default: defaults.kernels },
    rounds: { type: 'string', default: defaults.rounds },
    /** Seed of the orders in which objects are loaded. */
    seed: { type: 'string', default: defaults.seed },
    /** Groups of sources to use. */
    only: { type: 'string', default: defaults.only },
    /** Folder that keeps downloads and builds for the next run. Default: none. */
    folder: { type: 'string' },
    out: { type: 'string', default: join(packageRoot, 'docs', 'benchmarks', 'foreign-objects.md') },
  },
});
const kernelTimeoutMs = 3 * 3_600_000;

const log = openLog();
await runScript(log, async () => {
  const cache = openCache();
  const startedAt = performance.now();
  await withHost(['checkout'], { cache, log }, async (host) => {
    const folder = given.folder === undefined ? join(host.folder, 'corpus') : resolve(given.folder);
    await mkdir(folder, { recursive: true });
    const corpus = await obtainCorpus(folder, given.only.split(','), host);
    const objects = corpus.sources.flatMap((source) => source.objects);
    const project = join(host.folder, 'project');
    await makeProject(corpus, objects, project);
    const kernels: KernelRun[] = [];
    const random = mersenne(readPositive('seed', given.seed));
    const orderObjects = <T>(items: readonly T[]) => shuffle(items, random);
    const verdicts = { comparisons: 0, wrong: 0 };
    for (const kernel of given.kernels.split(',')) {
      const reference = await askReference(corpus, objects, kernel, host);
      const pair = { project, kernels: kernel, base: 'base', head: 'base', lanes: 'verifier' };
      const inputs = await readInputs(pair, (option) => `--${option}`);
      for (let round = 1; round <= readPositive('rounds', given.rounds); round++) {
        log.progress(`the gate on ${kernel}, round ${round}`);
        const { results } = await runGate(inputs, { ...host, fresh: true, orderObjects }, { kernelTimeoutMs });
        const failed = results.kernels.find(({ error }) => error !== null);
        if (failed !== undefined) throw new Error(`${failed.id}: ${failed.error?.message}`);
        const { comparisons, wrong } = countVerdicts(results);
        verdicts.comparisons += comparisons;
        verdicts.wrong += wrong;
        if (round === 1) {
          const release = results.kernels[0]?.release ?? kernel;
          kernels.push({ kernel, release, programs: pairPrograms(corpus.sources, reference, results) });
        }
      }
      await writeFile(join(folder, 'programs.json'), JSON.stringify(kernels, null, 1));
    }
    const { kernels: selectors, rounds, seed, only } = given;
    const page = renderForeignPage({
      command: commandOf('foreign-objects', { kernels: selectors, rounds, seed, only }, defaults),
      time: formatTime(new Date()),
      machine: describeMachine(host.versions.qemu),
      minutes: (performance.now() - startedAt) / 60_000,
      rounds: readPositive('rounds', rounds),
      seed,
      sources: corpus.sources,
      compiler: corpus.compiler,
      kernels,
      verdicts,
    });
    const file = resolve(given.out);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, page);
    log.clear();
    process.stdout.write(page);
    if (isWrong({ kernels, verdicts })) process.exitCode = 1;
  });
});

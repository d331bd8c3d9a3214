// `npm run foreign-objects`: loads third-party objects in veristat and in the gate's verifier lane, and writes
// docs/benchmarks/foreign-objects.md: which programs each loads, whether the counts are equal, and why the lane loads
// fewer. Exits with 1 if a count differs or a comparison of equal objects is not `unchanged`.

import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { openCache } from '../../src/cache/cache.ts';
import { describeMachine, formatTime, withHost } from '../host.ts';
import { commandOf, readPositive } from '../options.ts';
import { measureForeign } from './measure.ts';
import { groups, makeProject, obtainCorpus } from './obtain.ts';
import { isWrong, renderForeignPage } from './tables.ts';

const defaults = { kernels: '5.10,6.1,6.12', rounds: '1', seed: '1', only: groups.join(',') };
const { values: given } = parseArgs({
  options: {
    kernels: { type: 'string', default: defaults.kernels },
    rounds: { type: 'string', default: defaults.rounds },
    /** Seed of the orders in which objects are loaded. */
    seed: { type: 'string', default: defaults.seed },
    /** Groups of sources to use. */
    only: { type: 'string', default: defaults.only },
    /** Folder that keeps downloads, builds and what was measured for the next run. Default: none. */
    folder: { type: 'string' },
    out: { type: 'string', default: join(packageRoot, 'docs', 'benchmarks', 'foreign-objects.md') },
  },
});
const log = openLog();
await runScript(log, async () => {
  const cache = openCache();
  await withHost(['checkout'], { cache, log }, async (host) => {
    const folder = given.folder === undefined ? join(host.folder, 'corpus') : resolve(given.folder);
    await mkdir(folder, { recursive: true });
    const corpus = await obtainCorpus(folder, given.only.split(','), host);
    const project = await makeProject(corpus, join(host.folder, 'project'));
    const rounds = readPositive('rounds', given.rounds);
    const limit = pLimit(availableParallelism());
    const measured = await Promise.all(
      given.kernels.split(',').map((kernel, index) =>
        limit(async () => {
          const seed = 1000 * readPositive('seed', given.seed) + 100 * index;
          return await measureForeign(corpus, project, { kernel, rounds, seed }, host);
        }),
      ),
    );
    const kernels = measured.map(({ run }) => run);
    const verdicts = {
      comparisons: sum(measured.map((each) => each.verdicts.comparisons)),
      wrong: sum(measured.map((each) => each.verdicts.wrong)),
    };
    await writeFile(join(folder, 'programs.json'), JSON.stringify(kernels, null, 1));
    const { kernels: selectors, seed, only } = given;
    const page = renderForeignPage({
      command: commandOf('foreign-objects', { kernels: selectors, rounds: given.rounds, seed, only }, defaults),
      time: formatTime(new Date()),
      machine: describeMachine(host.versions.qemu),
      minutes: sum(measured.map(({ minutes }) => minutes)),
      rounds,
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

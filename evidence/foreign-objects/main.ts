// `npm run foreign-objects`: loads third-party objects in veristat and in the gate's verifier lane: which programs each
// loads, whether the rows of both CSVs are equal, and why the lane loads fewer. docs/benchmarks/foreign-objects.md shows
// it. Exits with 1 if a row differs by more than its duration, or a comparison of equal objects is not `unchanged`.

import { mkdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { runOrThrow } from '../../src/adapters/process.ts';
import { openCache } from '../../src/cache/cache.ts';
import { InputError } from '../../src/common/errors.ts';
import { withHost } from '../host.ts';
import { keepMeasured } from '../keep.ts';
import { commandOf, readPositive } from '../options.ts';
import { formatTime } from '../record.ts';
import { type KernelMeasured, measureForeign, readMeasured } from './measure.ts';
import { type Corpus, groups, makeProject, obtainCorpus } from './obtain.ts';
import { foreignTables, isWrong } from './tables.ts';

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
    /** Measures nothing: writes the record of what the folder has, whichever version of bpfgate measured it. */
    measured: { type: 'boolean', default: false },
    /** Commit that measured it, with `--measured`. Default: the one that is checked out. */
    commit: { type: 'string' },
    out: { type: 'string' },
  },
});
const log = openLog();
const rounds = readPositive('rounds', given.rounds);
const kernelOptions = given.kernels.split(',').map((kernel, index) => {
  return { kernel, rounds, seed: 1000 * readPositive('seed', given.seed) + 100 * index };
});

await runScript(log, async () => {
  if (given.measured) {
    if (given.folder === undefined) throw new InputError('--measured needs a --folder');
    const folder = resolve(given.folder);
    const corpus = JSON.parse(await readFile(join(folder, 'corpus.json'), 'utf8')) as Corpus;
    const measured = await Promise.all(kernelOptions.map((options) => readMeasured(folder, options)));
    const endedAt = new Date(Math.max(...measured.map((each) => Number(each.endedAt))));
    await keep(corpus, measured, await runOrThrow('qemu-system-x86_64', ['--version']), formatTime(endedAt));
    return;
  }
  const cache = openCache();
  await withHost(['checkout'], { cache, log }, async (host) => {
    const folder = given.folder === undefined ? join(host.folder, 'corpus') : resolve(given.folder);
    await mkdir(folder, { recursive: true });
    const corpus = await obtainCorpus(folder, given.only.split(','), host);
    const project = await makeProject(corpus, join(host.folder, 'project'));
    const limit = pLimit(availableParallelism());
    const measured = await Promise.all(
      kernelOptions.map((options) => limit(() => measureForeign(corpus, project, options, host))),
    );
    await keep(corpus, measured, host.versions.qemu);
  });
});

async function keep(corpus: Corpus, measured: readonly KernelMeasured[], qemu: string, time?: string): Promise<void> {
  const sum = (numberOf: (each: KernelMeasured) => number) => measured.reduce((all, each) => all + numberOf(each), 0);
  const kernels = measured.map(({ run }) => run);
  const verdicts = {
    comparisons: sum((each) => each.verdicts.comparisons),
    wrong: sum((each) => each.verdicts.wrong),
  };
  const { kernels: selectors, seed, only } = given;
  await keepMeasured('foreign-objects', {
    command: commandOf('foreign-objects', { kernels: selectors, rounds: given.rounds, seed, only }, defaults),
    ...(time === undefined ? {} : { time }),
    ...(given.commit === undefined ? {} : { commit: given.commit }),
    minutes: sum(({ minutes }) => minutes),
    qemu,
    conditions: {
      kernels: kernels.map(({ kernel, release }) => `${kernel} (${release})`).join(', '),
      'runs a kernel': rounds,
      seed,
    },
    tables: foreignTables({ corpus, kernels, verdicts }),
    out: given.out,
    log,
  });
  if (isWrong({ kernels, verdicts })) process.exitCode = 1;
}

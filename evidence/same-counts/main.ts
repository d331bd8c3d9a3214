// `npm run same-counts`: counts the same programs in booted guests and in guests from snapshots, on an idle host and on
// a busy one, by both runners, and under another QEMU. docs/benchmarks/same-counts.md shows it.

import { availableParallelism } from 'node:os';
import { basename, delimiter, dirname, resolve } from 'node:path';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { openCache } from '../../src/cache/cache.ts';
import { demoBase, demoHead, makeDemoRepository } from '../../src/commands/demo-project.ts';
import { InputError } from '../../src/common/errors.ts';
import { runGate } from '../../src/gate.ts';
import type { Runner } from '../../src/model/inputs.ts';
import { makeInjected } from '../exactness/injected.ts';
import { exampleGroups, type Host, withHost } from '../host.ts';
import { keepMeasured } from '../keep.ts';
import { commandOf, readOptions } from '../options.ts';
import { spin } from '../spin.ts';
import { differences, sameCountsTables, type Way } from './tables.ts';

const qemuName = 'qemu-system-x86_64';

const defaults = { kernels: '5.10,6.1,6.12', qemu: '' };
const { given } = readOptions('same-counts', defaults);

/** Requested settings; the results contain the actual ones. */
interface Wish {
  readonly runner: Runner;
  readonly snapshots: boolean;
  readonly spinning: number;
  /** Folder of another QEMU; undefined for the machine's own. */
  readonly qemuFolder?: string;
}

const log = openLog();
await runScript(log, async () => {
  const qemuFolder = given.qemu === '' ? undefined : folderOf(given.qemu);
  const cache = openCache();
  await withHost([...exampleGroups, 'virtme-ng'], { cache, log }, async (host) => {
    const projects: Project[] = [
      { project: await makeDemoRepository(cache), base: demoBase, head: demoHead, bench: 'macro' },
      { project: await makeInjected(host.folder), base: 'base', head: 'head' },
    ];
    const booted: Wish = { runner: 'vmtest', snapshots: false, spinning: 0 };
    const count = (wish: Wish) => countAll(wish, projects, host);
    const ways: [Way, ...Way[]] = [await count(booted)];
    const others: Wish[] = [
      { ...booted, spinning: 2 * availableParallelism() },
      { ...booted, snapshots: true },
      { ...booted, runner: 'virtme-ng' },
      ...(qemuFolder === undefined
        ? []
        : [
            { ...booted, qemuFolder },
            { ...booted, qemuFolder, snapshots: true },
          ]),
    ];
    for (const wish of others) ways.push(await count(wish));

    await keepMeasured('same-counts', {
      // The other QEMU's path is specific to this machine; the table shows its version.
      command: commandOf('same-counts', { kernels: given.kernels, qemu: given.qemu && 'FILE' }, defaults),
      tables: sameCountsTables(ways),
      out: given.out,
      log,
    });
    const wrong = differences(ways);
    for (const line of wrong) log.warn(line);
    if (wrong.length > 0) process.exitCode = 1;
  });
});

/** The folder of a program, because programs are found by name. */
function folderOf(file: string): string {
  if (basename(file) === qemuName) return dirname(resolve(file));
  throw new InputError(`--qemu ${file}: a file called ${qemuName} is needed`, {
    hint: 'put a link or script of that name into a folder of its own',
  });
}

interface Project {
  readonly project: string;
  readonly base: string;
  readonly head: string;
  /** The only bench to measure; undefined for all. */
  readonly bench?: string;
}

async function countAll(
  { runner, snapshots, spinning, qemuFolder }: Wish,
  projects: readonly Project[],
  host: Host,
): Promise<Way> {
  const { PATH = '' } = host.environment;
  const environment =
    qemuFolder === undefined ? host.environment : { ...host.environment, PATH: `${qemuFolder}${delimiter}${PATH}` };
  const stop = spin(spinning);
  try {
    const results: Way['results'][number][] = [];
    for (const { bench, ...pair } of projects) {
      const inputs = await readInputs({ ...pair, kernels: given.kernels, lanes: 'instructions', runner });
      const benches = inputs.config.benches.filter(({ name }) => bench === undefined || name === bench);
      const config = { ...inputs.config, benches };
      const run = await runGate({ ...inputs, config }, { ...host, environment, snapshots, fresh: true });
      for (const { id, error } of run.results.kernels) {
        if (error !== null) throw new Error(`${id}: ${error.message}`);
      }
      results.push(run.results);
    }
    return { spinning, results };
  } finally {
    stop();
  }
}

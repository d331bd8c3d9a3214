// `npm run counted-objects`: counts the programs of third-party objects, as `bpfgate count` does, with nothing written
// for them, and prints how many load and are counted, and why the others are not.

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { openCache } from '../../src/cache/cache.ts';
import { VmError } from '../../src/common/errors.ts';
import { runGate } from '../../src/gate.ts';
import { groups, obtainCorpus } from '../foreign-objects/obtain.ts';
import { withHost } from '../host.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions } from '../options.ts';
import { countedTables } from './tables.ts';

// The kernel's own tests are left out by default: most of them test how a load fails.
const { given, command } = readOptions(
  'counted-objects',
  {
    kernel: '6.12',
    /** Groups of sources to use. */
    only: groups.filter((group) => group !== 'selftests').join(','),
  },
  /** The folder keeps downloads and builds for the next run. Default: none. */
  ['folder'],
);
const kernelTimeoutMs = 3 * 3_600_000;

const log = openLog();
await runScript(log, async () => {
  await withHost([], { cache: openCache(), log }, async (host) => {
    const folder = given.folder === undefined ? join(host.folder, 'corpus') : resolve(given.folder);
    await mkdir(folder, { recursive: true });
    const { sources } = await obtainCorpus(folder, given.only.split(','), host);
    const isWanted = (name: string) => given.only.includes('selftests') || !name.startsWith('linux-source');
    const wanted = sources.filter(({ name }) => isWanted(name));
    const paths = wanted.flatMap(({ objects }) => objects.map((name) => join(folder, 'objects', `${name}.bpf.o`)));
    const inputs = await readInputs({ headObjects: `${paths.join('\n')}\n`, kernels: given.kernel, out: host.folder });
    const { results, stages } = await runGate(inputs, { ...host, fresh: true }, { kernelTimeoutMs });
    const [kernel] = results.kernels;
    const [run] = stages.guestRuns;
    if (kernel === undefined || run === undefined) throw new VmError(`kernel ${given.kernel} was not measured`);
    await keepMeasured('counted-objects', {
      command,
      qemu: host.versions.qemu,
      conditions: { kernel: `${kernel.id} (${kernel.release})` },
      tables: countedTables(
        wanted,
        run.loads.filter(({ revision }) => revision === 'head'),
      ),
      out: given.out,
      log,
    });
  });
});

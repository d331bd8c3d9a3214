// `npm run strangers`: runs `init`, `doctor` and `run` on public projects that do not know bpfgate, with code that did
// not change and with a planted cost. docs/benchmarks/strangers.md shows it. Exits with 1 on a false verdict, on a cost
// that is not found or is at another line, and where nothing was compared, unless the project is a known failure.

import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import pLimit from 'p-limit';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { openCache } from '../../src/cache/cache.ts';
import { InputError } from '../../src/common/errors.ts';
import { exampleGroups, withHost } from '../host.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions } from '../options.ts';
import { formatLoad, readLoad } from '../record.ts';
import { strangers } from './projects.ts';
import { findFaults, isWrong, nameOf, strangerTables } from './tables.ts';
import { openRegistries, tryOnce } from './try-project.ts';

const { given, command } = readOptions(
  'strangers',
  {
    kernel: '6.1',
    /** Names of projects, or `all`. */
    only: 'all',
  },
  /** The folder keeps the projects, what the command line printed, and what was found for the next run. Default: none. */
  ['folder'],
);
const log = openLog();
const load = readLoad();
await runScript(log, async () => {
  const names = given.only.split(',');
  const wanted = strangers.filter(({ name }) => given.only === 'all' || names.includes(name));
  if (wanted.length === 0) throw new InputError(`--only ${given.only}: no project has this name`);
  await withHost(exampleGroups, { cache: openCache(), log }, async (host) => {
    const folder = given.folder === undefined ? join(host.folder, 'strangers') : resolve(given.folder);
    await mkdir(folder, { recursive: true });
    const registries = await openRegistries(wanted, folder, host);
    const limit = pLimit(availableParallelism());
    const tried = await Promise.all(
      wanted.map((stranger) =>
        limit(async () => {
          const each = await tryOnce(stranger, given.kernel, registries, host);
          log.progress(`${nameOf(stranger)}: ${findFaults(each).join('; ') || 'right'}`);
          return each;
        }),
      ),
    );
    await keepMeasured('strangers', {
      command,
      qemu: host.versions.qemu,
      conditions: { kernel: given.kernel, load: formatLoad(load) },
      tables: strangerTables(tried),
      out: given.out,
      log,
    });
    if (tried.some(isWrong)) process.exitCode = 1;
  });
});

// `npm run kernels:update -- [SELECTOR...] [--origin debian|source] [--keyring FILE] [--out FILE]`: proposes newer pins
// from the origins' signed indexes. It prints a patch of kernels.json, or writes it to a file, and changes no pin.
// Default: all kernels, and new minor versions.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLog } from '../src/adapters/log.ts';
import { packageRoot } from '../src/adapters/package-root.ts';
import { InputError } from '../src/common/errors.ts';
import { readMissing, readPins } from '../src/kernels/pins.ts';
import { selectKernels } from '../src/kernels/select.ts';
import { runScript } from './boot-times/options.ts';
import { renderChange } from './kernels-update/propose.ts';
import { pinsFile, updateOrigins, updatePins } from './kernels-update/update.ts';

const { values: given, positionals: selectors } = parseArgs({
  allowPositionals: true,
  options: {
    origin: { type: 'string' },
    /** kernel.org's signing key, as gpg --export writes it. Default: fetched. */
    keyring: { type: 'string' },
    out: { type: 'string' },
  },
});
const log = openLog();
await runScript(log, async () => {
  const origins = updateOrigins.filter((origin) => given.origin === undefined || given.origin === origin);
  if (origins.length === 0) throw new InputError(`--origin is one of ${updateOrigins.join(', ')}`);
  const chosen = selectors.length === 0 ? undefined : selectKernels(selectors, readPins(), readMissing());
  const update = await updatePins(await readFile(join(packageRoot, pinsFile), 'utf8'), {
    log,
    origins,
    minors: chosen && new Set(chosen.map(({ minor }) => minor)),
    keyring: given.keyring,
  });
  log.clear();
  for (const { index, error } of update.unreachable) {
    log.warn(`${index} is left out: ${error.message}\n  hint: ${error.hint}`);
  }
  process.stderr.write(`${update.changes.map(renderChange).join('\n') || 'no index has a newer release'}\n`);
  if (given.out !== undefined) await writeFile(given.out, update.diff);
  else process.stdout.write(update.diff);
  for (const fault of update.faults) log.warn(`${fault.message}\n  hint: ${fault.hint}`);
  if (update.faults.length > 0) process.exitCode = 3;
});

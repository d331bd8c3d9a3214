// `npm run kernels:update -- [SELECTOR...] [--origin debian|source] [--keyring FILE] [--out FILE]`: proposes newer pins
// from the origins' signed indexes. It prints a patch of kernels.json, or writes it to a file, and changes no pin.
// Default: all kernels, and new minor versions.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/adapters/package-root.ts';
import { context, explain, interrupt, log, write, writeFileWhole } from '../src/commands/session.ts';
import { InputError, InterruptedError } from '../src/common/errors.ts';
import { readMissing, readPins } from '../src/kernels/pins.ts';
import { selectKernels } from '../src/kernels/select.ts';
import { renderChange } from './kernels-update/propose.ts';
import { pinsFile, updateOrigins, updatePins } from './kernels-update/update.ts';

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => interrupt(new InterruptedError(`interrupted by ${name}`)));
}
try {
  await update();
} catch (error) {
  process.exitCode = explain(error);
}

async function update(): Promise<void> {
  const { values: given, positionals: selectors } = readArguments();
  const origins = updateOrigins.filter((origin) => given.origin === undefined || given.origin === origin);
  if (origins.length === 0) throw new InputError(`--origin is one of ${updateOrigins.join(', ')}`);
  const chosen = selectors.length === 0 ? undefined : selectKernels(selectors, readPins(), readMissing());
  const { unreachable, changes, diff, faults } = await updatePins(await readFile(join(packageRoot, pinsFile), 'utf8'), {
    ...context,
    origins,
    minors: chosen && new Set(chosen.map(({ minor }) => minor)),
    keyring: given.keyring,
  });
  log.clear();
  for (const { index, error } of unreachable) {
    log.warn(`${index} is left out: ${error.message}${error.hint === undefined ? '' : `\n  hint: ${error.hint}`}`);
  }
  process.stderr.write(`${changes.map(renderChange).join('\n') || 'no index has a newer release'}\n`);
  if (given.out !== undefined) await writeFileWhole(given.out, diff);
  else if (diff !== '') write(diff);
  for (const fault of faults) process.exitCode = explain(fault);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        origin: { type: 'string' },
        /** kernel.org's signing key, as gpg --export writes it. Default: fetched. */
        keyring: { type: 'string' },
        out: { type: 'string' },
      },
    });
  } catch (error) {
    throw new InputError((error as Error).message);
  }
}

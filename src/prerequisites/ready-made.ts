// Prerequisites: programs that a release of bpfgate has ready-made, so that they need not be compiled.

import { hashSources } from '../adapters/program-source.ts';
import { obtainReadyMade, type ReadyMadeName, type ReadyMadeOptions, readyMadeNames } from '../cache/ready-made.ts';
import { vmtest } from './prerequisite.ts';

/**
 * Fetches what a release has. Later checks for missing prerequisites find it.
 *
 * @throws MachineError when the cache cannot be written
 */
export async function takeReadyMade(options: ReadyMadeOptions): Promise<void> {
  await Promise.all(readyMadeNames.map(async (name) => obtainReadyMade(name, await sourcesOf(name), options)));
}

/** SHA-256 of the sources that a program has to be made from, as in vm/programs.json. */
export async function sourcesOf(name: ReadyMadeName): Promise<string> {
  return name === 'vmtest' ? vmtest.sha256 : await hashSources(name);
}

// Inputs: the benches that a run is limited to.

import { InputError } from '../common/errors.ts';
import { suggest } from './nearest-name.ts';

/**
 * Reads names of benches.
 *
 * @param text names, separated by commas
 * @param where begins the message, such as `--bench`
 * @throws InputError when no bench has one of the names
 */
export function chooseBenches(benches: readonly { readonly name: string }[], text: string, where: string): string[] {
  const known = benches.map(({ name }) => name);
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new InputError(`${where}: there is no bench \`${name}\`${suggest(name, known)}`, {
      hint: known.length === 0 ? 'leave it out: the project has no bench' : `name one of ${known.join(', ')}`,
    });
  }
  return names;
}

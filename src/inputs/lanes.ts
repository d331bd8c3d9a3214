// Inputs: the lanes a user may choose.

import { clipMiddle } from '../common/clip-middle.ts';
import { InputError } from '../common/errors.ts';
import { type Lane, lanes } from '../model/inputs.ts';
import { suggest } from './nearest-name.ts';

/** Characters of an unknown name that a message shows. */
const maxShown = 100;

/** Names of a lane that bpfgate had, and of its key. */
const removed = ['time', 'time-budget'];

/** Returns what follows an unknown name: a near one, or that times are no longer measured. */
export function suggestKnown(word: string, names: readonly string[]): string {
  return removed.includes(word) ? '; times are no longer measured: remove it' : suggest(word, names);
}

/**
 * @param where begins the message, such as `bpfgate.toml:2` or `--lanes`
 * @throws InputError when there is no such lane
 */
export function parseLane(text: string, where: string): Lane {
  const lane = lanes.find((name) => name === text);
  if (lane === undefined) {
    const named = clipMiddle(text, maxShown);
    throw new InputError(
      `${where}: unknown lane \`${named}\`; allowed: ${lanes.join(', ')}${suggestKnown(text, lanes)}`,
    );
  }
  return lane;
}

/**
 * Reads a comma-separated list of lanes from an option of the command line or an input of the action.
 *
 * @throws InputError when it is empty or names an unknown lane
 */
export function parseLanes(text: string, where: string): readonly Lane[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new InputError(`${where}: no lane; allowed: ${lanes.join(', ')}`);
  return [...new Set(names.map((name) => parseLane(name, where)))];
}

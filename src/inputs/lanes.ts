// First stage: the lanes a person may ask for.

import { InputError } from '../errors.ts';
import { type Lane, lanes } from './inputs.ts';
import { suggest } from './nearest-name.ts';

/** Lanes this version can measure; also the default. */
export const availableLanes: readonly Lane[] = ['instructions', 'verifier'];

/**
 * @param where begins the message, such as `bpfgate.toml:2` or `--lanes`
 * @throws InputError when there is no such lane, or not in this version
 */
export function parseLane(text: string, where: string): Lane {
  const lane = lanes.find((name) => name === text);
  if (lane === undefined) {
    throw new InputError(
      `${where}: unknown lane \`${text}\`; allowed: ${availableLanes.join(', ')}${suggest(text, lanes)}`,
    );
  }
  if (!availableLanes.includes(lane)) {
    const allowed = availableLanes.join(', ');
    throw new InputError(`${where}: lane \`${lane}\` is not available in this version; allowed: ${allowed}`);
  }
  return lane;
}

/**
 * Reads a comma-separated list of lanes, as an option of the command line or an input of the action.
 *
 * @throws InputError when it is empty or names a lane that cannot be measured
 */
export function parseLanes(text: string, where: string): readonly Lane[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new InputError(`${where}: no lane; allowed: ${availableLanes.join(', ')}`);
  return [...new Set(names.map((name) => parseLane(name, where)))];
}

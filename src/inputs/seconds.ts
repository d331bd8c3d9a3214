// Inputs: a time limit in seconds.

import { InputError } from '../common/errors.ts';

/** A day: setTimeout takes 32 bits of milliseconds. */
const maxSeconds = 86_400;

/**
 * Reads a whole number of seconds, from 1 to a day.
 *
 * @param where begins the message, such as `--timeout` or `input timeout`
 * @throws InputError for anything else
 */
export function parseSeconds(text: string, where: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= maxSeconds) return seconds;
  throw new InputError(
    `${where}: \`${text}\` is no time limit; allowed: whole seconds from 1 to ${maxSeconds} (a day)`,
  );
}

// Inputs: a limit as a person writes it.

import type { Limit } from '../model/inputs.ts';

/** Examples of limits, for messages. */
export const limitExamples = '"0%", "0.5%", "5%" or "off"';

/** Parses a limit: `"5%"` is 0.05. Null when the text is neither a percentage nor `off`. */
export function parseLimit(text: string): Limit | null {
  if (text === 'off') return 'off';
  const digits = /^(\d+(?:\.\d+)?) ?%$/.exec(text)?.[1];
  // By exponent, because 0.7 / 100 is not the nearest number to 0.007.
  const limit = digits === undefined ? Number.NaN : Number(`${digits}e-2`);
  return Number.isFinite(limit) ? limit : null;
}

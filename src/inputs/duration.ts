// Inputs: a duration as a person writes it.

/** Examples of durations, for messages. */
export const durationExamples = '"90 s", "10 min" or "2 h"';

const units = { s: 1000, min: 60_000, h: 3_600_000 } as const;

/** Converts a duration such as `"10 min"` to milliseconds; null when the text is not one, or is 0. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = /^(\d{1,6}) ?(s|min|h)$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) return null;
  return Number(count) * units[unit as keyof typeof units] || null;
}

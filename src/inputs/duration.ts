// First stage: a time as a person writes it.

/** For messages: how a time is written. */
export const durationExamples = '"90 s", "10 min" or "2 h"';

const units = { s: 1000, min: 60_000, h: 3_600_000 } as const;

/** `"10 min"` in milliseconds; null when the text is no such time, or 0. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = /^(\d{1,6}) ?(s|min|h)$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) return null;
  return Number(count) * units[unit as keyof typeof units] || null;
}

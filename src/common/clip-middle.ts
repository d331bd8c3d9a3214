// Shortens long texts. Pure.

/** Leaves out the middle of a text of more than `max` characters, since names differ at their ends. */
export function clipMiddle(text: string, max: number): string {
  // Only what can show is split: a character is one or two units, and a list of all takes thirty times its text.
  const isLong = text.length > 2 * max;
  const head = [...(isLong ? text.slice(0, 2 * max) : text)];
  if (!isLong && head.length <= max) return text;
  const tail = isLong ? [...text.slice(-2 * max)] : head;
  const end = Math.floor((max - 1) / 2);
  return `${head.slice(0, max - 1 - end).join('')}…${end === 0 ? '' : tail.slice(-end).join('')}`;
}

// Long texts made short. Pure.

/** Leaves out the middle of a text of more than `max` characters, since names differ at their ends. */
export function clipMiddle(text: string, max: number): string {
  const characters = [...text];
  if (characters.length <= max) return text;
  const end = Math.floor((max - 1) / 2);
  return `${characters.slice(0, max - 1 - end).join('')}…${end === 0 ? '' : characters.slice(-end).join('')}`;
}

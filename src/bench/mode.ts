// Bench: finds the most common of a few readings.

/** The most common value and how often it occurs; ties go to the smaller. Null when there is none. */
export function findMode(values: readonly number[]): { readonly value: number; readonly count: number } | null {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let mode: { value: number; count: number } | null = null;
  for (const [value, count] of counts) {
    if (mode === null || count > mode.count || (count === mode.count && value < mode.value)) mode = { value, count };
  }
  return mode;
}

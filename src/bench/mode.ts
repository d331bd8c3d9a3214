// Bench: finds the most common of a few readings.

/** The most common value; ties go to the smaller. Undefined when there is none. */
export function findMode(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [mode] = [...counts].toSorted(([a, times], [b, others]) => others - times || a - b);
  return mode?.[0];
}

// Bench: the smallest difference that can be detected in a value that is not exact, as a fraction of it.

/** The smallest resolution, whatever the method: readings that differ by less prove nothing. */
export const baseResolution = 0.001;

/** The largest resolution. Keeps numbers that come from a program finite; beyond it nothing can be detected anyway. */
const worstResolution = 1000;

/** @param distance by how much other readings differ from `value`, in its unit; not negative */
export function resolutionOf(value: number, distance: number): number {
  // A fraction of 0 does not exist.
  if (value === 0) return baseResolution;
  return Math.min(worstResolution, Math.max(baseResolution, distance / Math.abs(value)));
}

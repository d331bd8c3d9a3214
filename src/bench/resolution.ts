// Sixth stage: what cannot be told apart in a value that is not exact, as a fraction of it.

/** The least, whatever the method: readings that differ by less prove nothing. */
export const baseResolution = 0.001;

/** Keeps numbers that come from a program finite; beyond it nothing can be told anyway. */
const worstResolution = 1000;

/** @param distance by how much other readings differ from `value`, in its unit; not negative */
export function resolutionOf(value: number, distance: number): number {
  // Of 0 there is no fraction.
  if (value === 0) return baseResolution;
  return Math.min(worstResolution, Math.max(baseResolution, distance / Math.abs(value)));
}

// Common: orders. Pure.

/** Compares numbers, also infinite ones, or texts by their code units. */
export function compare<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares names as a person orders them: `5.4` comes before `5.10`. */
export function compareNames(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

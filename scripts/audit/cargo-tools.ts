// Audit: output of cargo-audit 0.22 and cargo-deny 0.20. Pure.

/** Whether the tool ended because it could not get RustSec's database, and so has judged nothing. */
export function hasNoAdvisories(printed: string): boolean {
  // Both also print that they start to fetch it, before any findings.
  return /^(\S+ \S+ )?(error:|\[ERROR\]) (couldn't|failed to) fetch advisory database/m.test(printed);
}

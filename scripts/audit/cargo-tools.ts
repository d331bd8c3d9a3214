// What cargo-audit 0.22 and cargo-deny 0.20 print. Pure.

/** Whether one ended because it could not get RustSec's database, and so has judged nothing. */
export function lacksAdvisories(printed: string): boolean {
  // Both also say that they begin to fetch it, before whatever they find.
  return /^(\S+ \S+ )?(error:|\[ERROR\]) (couldn't|failed to) fetch advisory database/m.test(printed);
}

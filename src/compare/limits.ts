// Compare: which limit applies to a measurement.

import type { Config, Lane, Limit } from '../inputs/inputs.ts';

interface Subject {
  readonly benchmark: string;
  readonly kernel: string;
  readonly lane: Lane;
}

/**
 * The limit for one measurement: the last override whose every given key matches, else the lane's own.
 *
 * The last match wins, so that a narrow exception is written below a wide one.
 */
export function limitFor(subject: Subject, gate: Config['gate']): Limit {
  const override = gate.overrides.findLast(
    ({ benchmark, kernel, lane }) =>
      (benchmark === undefined || matchesGlob(benchmark, subject.benchmark)) &&
      (kernel === undefined || matchesGlob(kernel, subject.kernel)) &&
      (lane === undefined || lane === subject.lane),
  );
  return override?.limit ?? gate.limits[subject.lane];
}

/** `*` matches any run of characters, `/` included, and none at all; everything else matches itself. */
export function matchesGlob(glob: string, text: string): boolean {
  const parts = glob.split('*');
  const first = parts.shift() ?? '';
  const last = parts.pop();
  if (last === undefined) return text === glob;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  // Taking each part at its first place leaves the most room for those that follow.
  const end = text.length - last.length;
  let position = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, position);
    if (found === -1 || found + part.length > end) return false;
    position = found + part.length;
  }
  return true;
}

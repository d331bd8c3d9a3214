// Compare: results are comparable only if everything but the programs was the same.

/** Parts that can shape a count, name to value: kernel, QEMU, CPU model, command line, tools. */
export type Fingerprint = Readonly<Record<string, string>>;

export interface FingerprintDifference {
  readonly part: string;
  /** Null if that side does not have the part. */
  readonly a: string | null;
  readonly b: string | null;
}

/** Lists the parts that differ, by name. */
export function diffFingerprints(a: Fingerprint, b: Fingerprint): FingerprintDifference[] {
  const parts = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  const readPart = (fingerprint: Fingerprint, part: string) =>
    Object.hasOwn(fingerprint, part) ? (fingerprint[part] ?? null) : null;
  return parts
    .map((part) => ({ part, a: readPart(a, part), b: readPart(b, part) }))
    .filter((difference) => difference.a !== difference.b);
}

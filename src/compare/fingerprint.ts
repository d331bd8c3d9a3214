// Compare: results are comparable only when everything but the programs was the same.

import { InputError } from '../errors.ts';

/** Parts that can shape a count, name to value: kernel, QEMU, CPU model, command line, tools. */
export type Fingerprint = Readonly<Record<string, string>>;

export interface FingerprintDifference {
  readonly part: string;
  /** Null where that side lacks the part. */
  readonly a: string | null;
  readonly b: string | null;
}

/** The parts that differ, by name. */
export function diffFingerprints(a: Fingerprint, b: Fingerprint): FingerprintDifference[] {
  const parts = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  const readPart = (fingerprint: Fingerprint, part: string) =>
    Object.hasOwn(fingerprint, part) ? (fingerprint[part] ?? null) : null;
  return parts
    .map((part) => ({ part, a: readPart(a, part), b: readPart(b, part) }))
    .filter((difference) => difference.a !== difference.b);
}

/**
 * Refuses to compare results measured under different conditions.
 *
 * @param names what the two are called in the message, such as two files
 * @throws InputError that names each part that differs, with both values
 */
export function requireEqualFingerprints(
  a: Fingerprint,
  b: Fingerprint,
  names: readonly [a: string, b: string] = ['base', 'head'],
): void {
  const differences = diffFingerprints(a, b);
  if (differences.length === 0) return;
  const quote = (value: string | null) => (value === null ? 'missing' : `\`${value}\``);
  const parts = differences.map(
    ({ part, a, b }) => `${part} is ${quote(a)} in ${names[0]} and ${quote(b)} in ${names[1]}`,
  );
  throw new InputError(`cannot compare ${names[0]} with ${names[1]}: ${parts.join('; ')}`, {
    hint: 'measure both with the same kernels.json, QEMU, bpfgate and compiler',
  });
}

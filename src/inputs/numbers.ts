// Inputs: integers and bytes of the configuration, for memory of x86-64. Pure.

/** Longer text is no integer of 128 bits. */
const maxDigits = 42;

/** The integer that a number, its digits (`-1`, `0x1f`) or a boolean gives; undefined if it gives none. */
export function parseInteger(value: unknown): bigint | undefined {
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return BigInt(value as boolean | number);
  if (typeof value !== 'string' || value.length > maxDigits) return undefined;
  const [, sign, digits = ''] = /^(-?)(\d+|0x[0-9a-f]+)$/i.exec(value) ?? [];
  return digits === '' ? undefined : BigInt(digits) * (sign === '-' ? -1n : 1n);
}

/** Bytes of an integer of 64 bits, with or without a sign, the lowest first; undefined if it has more. */
export function encodeInteger(value: bigint): number[] | undefined {
  if (value < -(1n << 63n) || value >= 1n << 64n) return undefined;
  return Array.from({ length: 8 }, (_, byte) => Number((value >> BigInt(8 * byte)) & 0xffn));
}

/** Parses `0x` and two hexadecimal digits for each byte. */
export function parseBytes(text: string): number[] | undefined {
  if (!/^0x([0-9a-f]{2})+$/i.test(text)) return undefined;
  return (text.slice(2).match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
}

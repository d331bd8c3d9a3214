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

/** Whether an integer has a sign; `either` where that is not known. */
export type Sign = 'signed' | 'unsigned' | 'either';

/** Smallest and largest integer of this many bits. */
export function rangeOf(bits: number, sign: Sign): readonly [least: bigint, most: bigint] {
  const half = 1n << BigInt(Math.max(1, bits) - 1);
  return [sign === 'unsigned' ? 0n : -half, (sign === 'signed' ? half : half * 2n) - 1n];
}

/** Bytes of an integer, the lowest first; undefined if that many bits do not hold it. */
export function encodeInteger(value: bigint, bits: number, sign: Sign): number[] | undefined {
  const [least, most] = rangeOf(bits, sign);
  if (value < least || value > most) return undefined;
  const plain = BigInt.asUintN(bits, value);
  return Array.from({ length: Math.ceil(bits / 8) }, (_, byte) => Number((plain >> BigInt(8 * byte)) & 0xffn));
}

/** Parses `0x` and two hexadecimal digits for each byte. */
export function parseBytes(text: string): number[] | undefined {
  if (!/^0x([0-9a-f]{2})+$/i.test(text)) return undefined;
  return (text.slice(2).match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
}

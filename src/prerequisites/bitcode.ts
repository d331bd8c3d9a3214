// Prerequisites, pure: which LLVM wrote a file of bitcode. LLVM's C interface does not say, so bpf-linker does not
// either.
// Format: https://llvm.org/docs/BitCodeFormat.html, "Bitstream Format" and "IDENTIFICATION_BLOCK Contents".

/** Reads numbers of any width, least significant bit first. */
class Bits {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  fixed(width: number): number {
    let value = 0;
    for (let bit = 0; bit < width; bit++, this.#at++) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw new RangeError('end of the bitcode');
      value += ((byte >> (this.#at & 7)) & 1) * 2 ** bit;
    }
    return value;
  }

  /** Reads a number in pieces of `width` bits. The highest bit of a piece says whether another follows. */
  variable(width: number): number {
    const more = 2 ** (width - 1);
    for (let value = 0, scale = 1; ; scale *= more) {
      const piece = this.fixed(width);
      value += (piece % more) * scale;
      if (piece < more) return value;
    }
  }

  align(): void {
    this.#at = Math.ceil(this.#at / 32) * 32;
  }
}

const magic = 0xdec04342;
const enterBlock = 1;
const defineAbbreviation = 2;
const unabbreviated = 3;
const firstAbbreviation = 4;
const identificationBlock = 13;
const array = 3;
const char6 = 4;
const char6Alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._';
const maxLength = 200;

/** Reads its producer, such as `LLVM22.1.2-rust-1.95.0-stable`; undefined when the file does not begin as LLVM's do. */
export function readProducer(bitcode: Uint8Array): string | undefined {
  try {
    const bits = new Bits(bitcode, 0);
    if (bits.fixed(32) !== magic) return undefined;
    if (bits.fixed(2) !== enterBlock || bits.variable(8) !== identificationBlock) return undefined;
    const width = bits.variable(4);
    bits.align();
    bits.fixed(32);
    // LLVM defines one abbreviation here, a literal and an array of char6, and uses it where that alphabet suffices.
    if (bits.fixed(width) !== defineAbbreviation || bits.variable(5) !== 3) return undefined;
    if (bits.fixed(1) !== 1) return undefined;
    bits.variable(8);
    if (bits.fixed(4) !== array * 2 || bits.fixed(4) !== char6 * 2) return undefined;
    const id = bits.fixed(width);
    if (id !== unabbreviated && id !== firstAbbreviation) return undefined;
    if (id === unabbreviated) bits.variable(6);
    const length = bits.variable(6);
    if (length > maxLength) return undefined;
    const characters = Array.from({ length }, () =>
      id === unabbreviated ? String.fromCharCode(bits.variable(6)) : char6Alphabet[bits.fixed(6)],
    );
    return characters.join('');
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

// Plan: what an object's variables and maps hold, by its symbols and BTF. Pure. Objects are a pull request's: offsets of
// a damaged one lead to an error of `Buffer`, never out of the file.
//
// Formats: https://docs.kernel.org/bpf/btf.html, and https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html.

/** Kinds of types, `BTF_KIND_*` of `linux/btf.h`. */
export const kinds = {
  int: 1,
  pointer: 2,
  array: 3,
  struct: 4,
  union: 5,
  enum: 6,
  typedef: 8,
  volatile: 9,
  const: 10,
  restrict: 11,
  function: 12,
  prototype: 13,
  variable: 14,
  section: 15,
  declTag: 17,
  typeTag: 18,
  enum64: 19,
} as const;

/** Kinds that only name or qualify another type. */
const transparent: readonly number[] = [kinds.typedef, kinds.volatile, kinds.const, kinds.restrict, kinds.typeTag];
/** Maximum number of references between types that are followed. */
const maxDepth = 32;
/** Maximum number of types and members that are visited in one object. Types can repeat each other's members. */
const maxVisits = 1_000_000;
const typeBytes = 12;

export interface BtfType {
  readonly kind: number;
  readonly name: string;
  /** Size in bytes, or id of the type that it refers to. */
  readonly size: number;
  /** Whether the offsets of its members have a size in bits, or the values of an enum a sign. */
  readonly flag: boolean;
  /** Number of members. */
  readonly length: number;
  /** Offset of what follows the type's first 12 bytes. */
  readonly at: number;
}

export interface Member {
  readonly type: number;
  readonly bitOffset: number;
  /** Number of bits; 0 for a member that is no bit field. */
  readonly bits: number;
}

/** The types of a BTF section. Methods throw a RangeError for a damaged one, and for one that takes too long to read. */
export class Types {
  readonly #bytes: Buffer;
  readonly #strings: Buffer;
  /** Start of each type; `void` has none. */
  readonly #starts: number[] = [0];
  readonly #members = new Map<number, ReadonlyMap<string, Member>>();
  readonly #values = new Map<number, ReadonlyMap<string, bigint>>();
  #left = maxVisits;

  constructor(blob: Buffer) {
    const [header, types, typesLength, strings, stringsLength] = [4, 8, 12, 16, 20].map((at) => blob.readUInt32LE(at));
    const part = (offset = 0, length = 0) => blob.subarray((header ?? 0) + offset, (header ?? 0) + offset + length);
    this.#bytes = part(types, typesLength);
    this.#strings = part(strings, stringsLength);
    for (let at = 0; at < this.#bytes.length; ) {
      this.#starts.push(at);
      at += typeBytes + trailingBytes(this.#bytes.readUInt32LE(at + 4));
    }
  }

  /** Types of one kind. */
  *ofKind(kind: number): Generator<BtfType> {
    for (let id = 1; id < this.#starts.length; id++) {
      if (kindOf(this.word((this.#starts[id] ?? 0) + 4)) === kind) yield this.get(id) as BtfType;
    }
  }

  get(id: number): BtfType | undefined {
    const start = id === 0 ? undefined : this.#starts[id];
    if (start === undefined) return undefined;
    this.#visit();
    const info = this.word(start + 4);
    return {
      kind: kindOf(info),
      name: this.#text(this.word(start)),
      size: this.word(start + 8),
      flag: info >>> 31 === 1,
      length: info & 0xffff,
      at: start + typeBytes,
    };
  }

  /** The type behind names and qualifiers; undefined for `void`. */
  plain(id: number): BtfType | undefined {
    let type = this.get(id);
    for (let depth = 0; type !== undefined && transparent.includes(type.kind); depth++) {
      if (depth === maxDepth) return undefined;
      type = this.get(type.size);
    }
    return type;
  }

  word(at: number): number {
    return this.#bytes.readUInt32LE(at);
  }

  /** The members of a struct or union by name, and those of its members without one. */
  membersOf(type: BtfType): ReadonlyMap<string, Member> {
    const known = this.#members.get(type.at);
    if (known !== undefined) return known;
    const found = new Map<string, Member>();
    const seen = new Set<number>();
    // Each type once, however often it is in itself.
    const open = [{ type, bitOffset: 0 }];
    for (let own = open.pop(); own !== undefined; own = open.pop()) {
      if (seen.has(own.type.at)) continue;
      seen.add(own.type.at);
      for (let index = 0; index < own.type.length; index++) {
        this.#visit();
        const at = own.type.at + 12 * index;
        const offset = this.word(at + 8);
        const [bits, bitOffset] = own.type.flag ? [offset >>> 24, offset & 0xffffff] : [0, offset];
        const member = { type: this.word(at + 4), bitOffset: own.bitOffset + bitOffset, bits };
        const name = this.#text(this.word(at));
        const inner = name === '' ? this.plain(member.type) : undefined;
        if (inner?.kind === kinds.struct || inner?.kind === kinds.union) {
          open.push({ type: inner, bitOffset: member.bitOffset });
        } else if (!found.has(name)) {
          found.set(name, member);
        }
      }
    }
    this.#members.set(type.at, found);
    return found;
  }

  /** The variables of a section. */
  variablesOf({ at, length }: BtfType): BtfType[] {
    return Array.from({ length }, (_, index) => this.get(this.word(at + 12 * index)) ?? []).flat();
  }

  /** Names and values of an enum. */
  valuesOf({ kind, at, length, flag }: BtfType): ReadonlyMap<string, bigint> {
    const known = this.#values.get(at);
    if (known !== undefined) return known;
    const [bits, bytes] = kind === kinds.enum64 ? [64, 12] : [32, 8];
    const values = new Map(
      Array.from({ length }, (_, index) => {
        const own = at + bytes * index;
        const high = bits === 64 ? BigInt(this.word(own + 8)) << 32n : 0n;
        const value = high | BigInt(this.word(own + 4));
        return [this.#text(this.word(own)), flag ? BigInt.asIntN(bits, value) : value];
      }),
    );
    this.#values.set(at, values);
    return values;
  }

  /** Size in bytes; undefined for what has none. */
  sizeOf(id: number, depth = maxDepth): number | undefined {
    const type = this.plain(id);
    switch (depth === 0 ? undefined : type?.kind) {
      case kinds.int:
      case kinds.struct:
      case kinds.union:
      case kinds.enum:
      case kinds.enum64:
        return type?.size;
      case kinds.pointer:
        return 8;
      case kinds.array: {
        const { element, count } = this.arrayOf(type as BtfType);
        const size = this.sizeOf(element, depth - 1);
        return size === undefined ? undefined : size * count;
      }
      default:
        return undefined;
    }
  }

  arrayOf({ at }: BtfType): { readonly element: number; readonly count: number } {
    return { element: this.word(at), count: this.word(at + 8) };
  }

  #visit(): void {
    if (this.#left-- <= 0) throw new RangeError('too many types and members');
  }

  #text(offset: number): string {
    return textAt(this.#strings, offset);
  }
}

function kindOf(info: number): number {
  return (info >>> 24) & 0x1f;
}

/** Number of bytes behind a type's first 12. */
function trailingBytes(info: number): number {
  const length = info & 0xffff;
  switch (kindOf(info)) {
    case kinds.int:
    case kinds.variable:
    case kinds.declTag:
      return 4;
    case kinds.array:
      return 12;
    case kinds.struct:
    case kinds.union:
    case kinds.section:
    case kinds.enum64:
      return 12 * length;
    case kinds.enum:
    case kinds.prototype:
      return 8 * length;
    default:
      // What follows a type of a kind newer than these cannot be found.
      if (kindOf(info) > kinds.enum64) throw new RangeError('unknown kind of type');
      return 0;
  }
}

/** Some bytes with a type of BTF. */
export interface Place {
  /** Undefined where BTF has none. */
  readonly type: number | undefined;
  /** Size in bytes; undefined where it is not known. */
  readonly size: number | undefined;
}

/** A variable of a data section. */
export interface Variable extends Place {
  /** Name of the section and of the map that holds it: `.rodata`. */
  readonly section: string;
  /** Offset there. */
  readonly at: number;
  /** Its value in the object; nothing for zeros. */
  readonly initial: Buffer;
}

/** The keys and values of a map. */
interface MapPlaces {
  readonly key: Place;
  readonly value: Place;
}

export interface ObjectLayout {
  /** Names of all sections. */
  readonly sections: readonly string[];
  readonly types: Types | undefined;
  readonly variables: ReadonlyMap<string, Variable>;
  /** Those with types are read when asked for, and may throw a RangeError as `Types` does. */
  readonly maps: ReadonlyMap<string, () => MapPlaces>;
}

/** Sections whose variables the kernel has in a map, by the rule of the guest agent's loader. */
const dataSection = /^\.(rodata|data|bss)/;
const [symbolTable, noBits] = [2, 8];
const [sectionBytes, symbolBytes] = [64, 24];

interface Section {
  readonly name: string;
  readonly type: number;
  readonly link: number;
  readonly content: Buffer;
}

/** Reads an ELF file of 64 bits, little endian. Undefined: it is damaged. */
export function readLayout(file: Buffer): ObjectLayout | undefined {
  try {
    return readObject(file);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readObject(file: Buffer): ObjectLayout {
  const sections = readSections(file);
  const blob = sections.find(({ name }) => name === '.BTF')?.content;
  const types = blob === undefined ? undefined : new Types(blob);
  const typeOf = new Map<string, number>();
  for (const { name, size: type } of types?.ofKind(kinds.variable) ?? []) typeOf.set(name, type);
  const variables = new Map<string, Variable>();
  const maps = new Map<string, () => MapPlaces>();
  for (const { name, section, at, size } of readSymbols(sections)) {
    if (dataSection.test(section.name)) {
      const type = typeOf.get(name);
      const isFitting = type !== undefined && types?.sizeOf(type) === size;
      const initial = section.content.subarray(at, at + size);
      variables.set(name, { section: section.name, at, initial, size, type: isFitting ? type : undefined });
    } else if (section.name === 'maps') {
      // A `struct bpf_map_def`.
      const [key, value] = [4, 8].map((word) => ({ type: undefined, size: section.content.readUInt32LE(at + word) }));
      if (key !== undefined && value !== undefined) maps.set(name, () => ({ key, value }));
    }
  }
  for (const section of types?.ofKind(kinds.section) ?? []) {
    if (types === undefined || section.name !== '.maps') continue;
    for (const { name, size } of types.variablesOf(section)) {
      const definition = types.plain(size);
      if (definition?.kind !== kinds.struct) continue;
      const read = (what: 'key' | 'value') => placeOf(what, types.membersOf(definition), types);
      maps.set(name, () => ({ key: read('key'), value: read('value') }));
    }
  }
  return { sections: sections.map(({ name }) => name), types, variables, maps };
}

/** The type of a map's keys or values, from the members of its definition: `__type(key, T)` or `__uint(key_size, N)`. */
function placeOf(what: 'key' | 'value', members: ReadonlyMap<string, Member>, types: Types): Place {
  const pointed = (name: string) => types.plain(members.get(name)?.type ?? 0)?.size;
  const type = pointed(what);
  if (type !== undefined) return { type, size: types.sizeOf(type) };
  const array = types.plain(pointed(`${what}_size`) ?? 0);
  return { type: undefined, size: array?.kind === kinds.array ? types.arrayOf(array).count : undefined };
}

function readSections(file: Buffer): Section[] {
  const number = (at: number) => Number(file.readBigUInt64LE(at));
  const [table, count, names] = [number(40), file.readUInt16LE(60), file.readUInt16LE(62)];
  const headers = Array.from({ length: count }, (_, index) => table + sectionBytes * index);
  const found = headers.map((at) => {
    const [name, type, link] = [file.readUInt32LE(at), file.readUInt32LE(at + 4), file.readUInt32LE(at + 40)];
    const [offset, size] = [number(at + 24), number(at + 32)];
    // What is all zeros takes no place in the file, and none here: variables begin as zeros.
    const content = file.subarray(offset, type === noBits ? offset : offset + size);
    return { name, type, link, content };
  });
  const strings = found[names]?.content ?? Buffer.alloc(0);
  return found.map(({ name, ...section }) => ({ name: textAt(strings, name), ...section }));
}

interface Symbol {
  readonly name: string;
  readonly section: Section;
  readonly at: number;
  readonly size: number;
}

/** Reads the symbols with a section and a size. */
function readSymbols(sections: readonly Section[]): Symbol[] {
  const table = sections.find(({ type }) => type === symbolTable);
  const strings = sections[table?.link ?? 0]?.content ?? Buffer.alloc(0);
  const content = table?.content ?? Buffer.alloc(0);
  return Array.from({ length: Math.floor(content.length / symbolBytes) }, (_, index) => index * symbolBytes).flatMap(
    (start) => {
      const section = sections[content.readUInt16LE(start + 6)];
      const [at, size] = [8, 16].map((word) => Number(content.readBigUInt64LE(start + word))) as [number, number];
      const name = textAt(strings, content.readUInt32LE(start));
      return section === undefined || size === 0 || name === '' ? [] : [{ name, section, at, size }];
    },
  );
}

/** Longer names are cut: the kernel has none. */
const maxName = 512;

function textAt(strings: Buffer, offset: number): string {
  const text = strings.subarray(offset, offset + maxName);
  const end = text.indexOf(0);
  return text.toString('utf8', 0, end === -1 ? text.length : end);
}

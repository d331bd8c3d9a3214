// Plan: what presets write into an object's data sections and maps, by the object's BTF. Pure.

import { InputError } from '../common/errors.ts';
import { suggest } from '../inputs/nearest-name.ts';
import { encodeInteger, parseBytes, parseInteger, rangeOf, type Sign } from '../inputs/numbers.ts';
import type { BpfObject, ObjectPreset } from '../model/build.ts';
import type { Preset, PresetEntry, PresetValue, PresetVariable } from '../model/inputs.ts';
import { type BtfType, kinds, type ObjectLayout, type Place, type Types } from './object-layout.ts';

/** Maximum number of bytes that presets write, in all objects together. */
const maxBytes = 1024 * 1024;
/** Names further back, and longer ones, are not suggested. */
const [maxSuggested, maxName] = [2000, 64];

const maxBits = 128;

type Item = PresetVariable | PresetEntry;
type Placed = ObjectPreset['data'][number] | ObjectPreset['entries'][number];

/** A value that does not fit where it belongs. */
class Misfit extends Error {}

/** Lays presets out for one object after another. */
export class PresetLayout {
  readonly #presets: readonly Preset[];
  /** Name of the configuration, for messages. */
  readonly #file: string;
  /** Settings that an object has, and why others do not fit where they belong. */
  readonly #placed = new Set<Item>();
  readonly #misfits = new Map<Item, string>();
  readonly #names = { variables: new Set<string>(), maps: new Set<string>() };
  readonly #warnings: string[] = [];
  #hasSkipped = false;
  #left = maxBytes;

  constructor(presets: readonly Preset[], file: string) {
    this.#presets = presets;
    this.#file = file;
  }

  /**
   * Lays out what the object has of each preset; nothing of a preset with a value that does not fit.
   *
   * @throws InputError when presets write too much
   */
  add(object: BpfObject, layout: ObjectLayout): BpfObject {
    for (const name of layout.variables.keys()) this.#names.variables.add(name);
    for (const name of layout.maps.keys()) this.#names.maps.add(name);
    const presets = this.#presets.flatMap((preset): ObjectPreset | [] => {
      const variables = preset.variables.map((item) => this.#place(item, () => placeVariable(item, layout)));
      const entries = preset.entries.map((item) => this.#place(item, () => placeEntry(item, layout)));
      const reason = [...variables, ...entries].find((placed) => typeof placed === 'string');
      if (reason !== undefined) {
        this.#warnings.push(
          `preset \`${preset.name}\` is not used for \`${object.name}\`, ${object.revision}: ${reason}`,
        );
        return [];
      }
      const own = {
        name: preset.name,
        data: variables.filter((placed) => typeof placed === 'object'),
        entries: entries.filter((placed) => typeof placed === 'object'),
      };
      return own.data.length + own.entries.length === 0 ? [] : own;
    });
    return presets.length === 0 ? object : { ...object, presets };
  }

  /** Leaves out an object that cannot be read: it may have what the others do not. */
  skip({ name, revision }: BpfObject, reason: string): void {
    this.#hasSkipped = true;
    this.#warnings.push(`presets are not used for \`${name}\`, ${revision}: ${reason}`);
  }

  /**
   * Returns warnings about objects that presets are not used for, and about settings that no object has if one was
   * skipped.
   *
   * @throws InputError for the first setting that no object has, or that fits none, if all were read
   */
  finish(): readonly string[] {
    const warnings = [...this.#warnings];
    for (const { name: preset, variables, entries } of this.#presets) {
      const item = [...variables, ...entries].find((each) => !this.#placed.has(each));
      if (item === undefined) continue;
      const misfit = this.#misfits.get(item);
      const [what, name, names] =
        'map' in item ? ['map', item.map, this.#names.maps] : ['variable', item.name, this.#names.variables];
      const reason = misfit ?? `no object has a ${what} \`${name}\`${suggestOf(name, names)}`;
      const message = `${this.#file}:${item.line}: preset \`${preset}\`: ${reason}`;
      if (!this.#hasSkipped) throw new InputError(message);
      warnings.push(message);
    }
    return warnings;
  }

  /** Returns what the object gets, undefined if it has no such place, or why the value does not fit. */
  #place<Own extends Placed>(item: Item, place: () => Own | undefined): Own | string | undefined {
    try {
      const placed = place();
      if (placed === undefined) return undefined;
      this.#placed.add(item);
      const parts = 'bytes' in placed ? [placed.bytes] : [placed.key, placed.value];
      this.#left -= parts.reduce((sum, { length }) => sum + length, 0);
      if (this.#left >= 0) return placed;
      throw new InputError(`${this.#file}: presets write more than ${maxBytes / 1024} KiB into objects`, {
        hint: 'set less, or in fewer objects',
      });
    } catch (error) {
      // A RangeError is of a damaged object.
      if (!(error instanceof Misfit) && !(error instanceof RangeError)) throw error;
      const reason = error instanceof Misfit ? error.message : 'its BTF is damaged';
      this.#misfits.set(item, this.#misfits.get(item) ?? reason);
      return reason;
    }
  }
}

function placeVariable(
  { name, value }: PresetVariable,
  { types, variables }: ObjectLayout,
): ObjectPreset['data'][number] | undefined {
  const variable = variables.get(name);
  if (variable === undefined) return undefined;
  const bytes = encode(value, variable, name, types, variable.initial);
  return { map: variable.section, at: variable.at, bytes };
}

function placeEntry(
  { map: name, key, value }: PresetEntry,
  { types, maps }: ObjectLayout,
): ObjectPreset['entries'][number] | undefined {
  const map = maps.get(name)?.();
  if (map === undefined) return undefined;
  return {
    map: name,
    key: key === undefined ? [] : encode(key, map.key, `key of \`${name}\``, types),
    value: encode(value, map.value, `value of \`${name}\``, types),
  };
}

/** Encodes a value for its place, over what is there. */
function encode(
  value: PresetValue,
  { type, size }: Place,
  where: string,
  types: Types | undefined,
  initial: Buffer = Buffer.alloc(0),
): number[] {
  if (size !== undefined && size > maxBytes) throw new Misfit(`${where} has ${size} bytes, more than ${maxBytes}`);
  if (type === undefined || types === undefined) return encodePlain(value, size, where);
  const bytes = Buffer.alloc(size ?? 0);
  initial.copy(bytes);
  put(value, type, bytes, where, types);
  return [...bytes];
}

/** Encodes a value without a type: an integer as large as its place, or bytes. */
function encodePlain(value: PresetValue, size: number | undefined, where: string): number[] {
  const bytes = typeof value === 'string' ? parseBytes(value) : undefined;
  if (bytes !== undefined && (size === undefined || bytes.length === size)) return bytes;
  // `"0x…"` is bytes here, whatever its length.
  const integer = bytes === undefined && size !== undefined && size <= 8 ? parseInteger(value) : undefined;
  const own = integer === undefined ? undefined : encodeInteger(integer, 8 * (size ?? 0), 'either');
  if (own !== undefined) return own;
  throw new Misfit(
    `${where} has no type in the object's BTF; give its ${size === undefined ? '' : `${size} `}bytes, "0x" and two digits for each`,
  );
}

/** Writes a value of a type into its bytes. Those of members and elements that the value leaves out stay. */
function put(value: PresetValue, id: number, out: Buffer, where: string, types: Types): void {
  const type = types.plain(id);
  switch (type?.kind) {
    case kinds.int: {
      const encoding = types.word(type.at);
      const [isSigned, isBoolean] = [(encoding >>> 24) & 1, (encoding >>> 26) & 1];
      const bits = isBoolean ? 1 : encoding & 0xff;
      putInteger(parseInteger(value), { bits, sign: isSigned ? 'signed' : 'unsigned' }, out, 0, where);
      return;
    }
    case kinds.enum:
    case kinds.enum64:
      putInteger(readEnum(value, type, where, types), { bits: 8 * type.size, sign: 'either' }, out, 0, where);
      return;
    case kinds.array:
      putArray(value, type, out, where, types);
      return;
    case kinds.struct:
    case kinds.union:
      putMembers(value, type, out, where, types);
      return;
    default:
      throw new Misfit(`${where} is neither a number, an array nor a struct, and cannot be set`);
  }
}

function readEnum(value: PresetValue, type: BtfType, where: string, types: Types): bigint | undefined {
  const integer = parseInteger(value);
  if (integer !== undefined || typeof value !== 'string') return integer;
  const values = types.valuesOf(type);
  const named = values.get(value);
  if (named !== undefined) return named;
  throw new Misfit(`${where}: \`${value}\` is no name of its enum${suggestOf(value, values.keys())}`);
}

interface IntegerType {
  readonly bits: number;
  readonly sign: Sign;
}

/** Writes an integer from a bit on, the lowest bit first. */
function putInteger(value: bigint | undefined, { bits, sign }: IntegerType, out: Buffer, from: number, where: string) {
  if (bits > maxBits) throw new RangeError('an integer of too many bits');
  const bytes = value === undefined ? undefined : encodeInteger(value, bits, sign);
  if (bytes === undefined) {
    const [least, most] = rangeOf(bits, sign);
    throw new Misfit(`${where} takes an integer from ${least} to ${most}`);
  }
  for (let bit = 0; bit < bits; bit++) {
    const [at, mask] = [(from + bit) >> 3, 1 << ((from + bit) & 7)];
    const isSet = ((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1;
    out.writeUInt8(isSet ? out.readUInt8(at) | mask : out.readUInt8(at) & ~mask, at);
  }
}

function putArray(value: PresetValue, type: BtfType, out: Buffer, where: string, types: Types): void {
  const { element, count } = types.arrayOf(type);
  const size = types.sizeOf(element) ?? 0;
  if (typeof value === 'string' && !value.startsWith('0x') && size === 1 && types.plain(element)?.kind === kinds.int) {
    const text = Buffer.from(value);
    if (text.length > out.length) throw new Misfit(`${where} has ${out.length} bytes, \`${value}\` ${text.length}`);
    out.fill(0);
    text.copy(out);
    return;
  }
  if (!Array.isArray(value)) {
    putBytes(value, out, where, 'a list');
    return;
  }
  if (value.length > count) throw new Misfit(`${where} has ${count} elements, not ${value.length}`);
  for (const [index, each] of value.entries()) {
    put(each, element, out.subarray(index * size, (index + 1) * size), `${where}[${index}]`, types);
  }
}

function putMembers(value: PresetValue, type: BtfType, out: Buffer, where: string, types: Types): void {
  if (typeof value !== 'object' || Array.isArray(value)) {
    putBytes(value, out, where, 'a table');
    return;
  }
  const members = types.membersOf(type);
  for (const [name, each] of Object.entries(value)) {
    const member = members.get(name);
    const own = `${where}.${name}`;
    if (member === undefined) throw new Misfit(`${where} has no field \`${name}\`${suggestOf(name, members.keys())}`);
    const inner = types.plain(member.type);
    if (member.bits > 0) {
      const isSigned = inner?.kind === kinds.int && ((types.word(inner.at) >>> 24) & 1) === 1;
      const integer =
        inner === undefined || inner.kind === kinds.int ? parseInteger(each) : readEnum(each, inner, own, types);
      putInteger(integer, { bits: member.bits, sign: isSigned ? 'signed' : 'unsigned' }, out, member.bitOffset, own);
      continue;
    }
    const at = member.bitOffset >> 3;
    put(each, member.type, out.subarray(at, at + (types.sizeOf(member.type) ?? 0)), own, types);
  }
}

/** Writes bytes as they are. */
function putBytes(value: PresetValue, out: Buffer, where: string, other: string): void {
  const bytes = typeof value === 'string' ? parseBytes(value) : undefined;
  if (bytes?.length !== out.length) {
    throw new Misfit(`${where} takes ${other}, or its ${out.length} bytes: "0x" and two digits for each`);
  }
  out.set(bytes);
}

/** Suggests one of an object's names, which can be many and long. */
export function suggestOf(name: string, names: Iterable<string>): string {
  const near = [...names].slice(0, maxSuggested).filter((each) => each.length <= maxName);
  return name.length > maxName ? '' : suggest(name, near);
}

// Fuzzing: makes new inputs from old ones by changing bytes, words, lines and, in JSON, values. Pure.

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Target } from './target.ts';

/** Returns a whole number from 0 to below `end`. */
export type Random = (end: number) => number;

export function openRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  return (end) => (end <= 1 ? 0 : uniformInt(generator, 0, end - 1));
}

export interface MutateOptions {
  readonly shape: Target['shape'];
  readonly words: readonly string[];
  readonly maxBytes: number;
  /** Another input to take parts from. */
  readonly other: Buffer;
}

const numbers = [
  ...['0', '-0', '1', '-1', '2', '7', '10', '255', '256', '65535', '65536', '1000000', '2147483647', '2147483648'],
  ...['4294967295', '4294967296', '9007199254740991', '9007199254740992', '18446744073709551616', '1e308', '1e309'],
  ...['-1e309', '5e-324', '1e-7', '0.1', '0.5', '3.14159', '00', '0x10', '1_000', 'NaN', 'Infinity', '-Infinity'],
] as const;
const strings = [
  ...['', ' ', '\n', '\r\n', '\0', '\u001b[31m', '\u202e', '\u2028', '\ufeff', '\ud800', '\u{1f600}', '`', '|', '<b>'],
  ...['../..', '/etc/passwd', '.', '..', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', '%'],
  ...['*', '**', '$&', '\\', '"', "'", '#', '@', '::', '--', '6.1', '5.18', '6.1:source', 'base', 'head', 'null'],
] as const;

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)] as Item;

/** Makes one to eight changes, one after another. */
export function mutate(input: Buffer, random: Random, options: MutateOptions): Buffer {
  let output = input;
  for (let left = 1 << random(4); left > 0; left--) output = changeOnce(output, random, options);
  return output.length > options.maxBytes ? output.subarray(0, options.maxBytes) : output;
}

/** Repeats the input or a part of it many times, to reveal quadratic time. */
export function repeat(input: Buffer, random: Random, maxBytes: number): Buffer {
  if (input.length === 0) return input;
  const start = random(input.length);
  const length = random(3) === 0 ? random(input.length - start) : Math.min(input.length - start, random(64));
  const end = start + Math.max(1, length);
  const part = input.subarray(start, end);
  const times = Math.max(1, Math.floor((maxBytes - input.length) / part.length));
  return Buffer.concat([input.subarray(0, end), ...Array.from({ length: times }, () => part), input.subarray(end)]);
}

function changeOnce(input: Buffer, random: Random, options: MutateOptions): Buffer {
  const { shape } = options;
  const kind = random(shape === 'bytes' ? 10 : shape === 'text' ? 16 : 24);
  if (kind >= 16) return changeJson(input, random, options) ?? changeBytes(input, random, options, random(10));
  if (kind >= 14) return changeNumber(input, random) ?? changeBytes(input, random, options, random(10));
  if (kind >= 10) return changeLines(input, random, options);
  return changeBytes(input, random, options, kind);
}

function changeBytes(input: Buffer, random: Random, { words, other, shape }: MutateOptions, kind: number): Buffer {
  const at = random(input.length + 1);
  const [start, end] = range(input, random);
  const splice = (from: number, to: number, middle: Buffer) =>
    Buffer.concat([input.subarray(0, from), middle, input.subarray(to)]);
  switch (kind) {
    case 0: {
      const copy = Buffer.from(input);
      if (copy.length > 0) copy[random(copy.length)] = (copy[random(copy.length)] ?? 0) ^ (1 << random(8));
      return copy;
    }
    case 1: {
      const copy = Buffer.from(input);
      if (copy.length > 0) copy[random(copy.length)] = random(256);
      return copy;
    }
    case 2:
      return splice(at, at, Buffer.from(Array.from({ length: 1 + random(8) }, () => random(256))));
    case 3:
      return splice(start, end, Buffer.alloc(0));
    case 4:
      return splice(end, end, input.subarray(start, end));
    case 5: {
      const from = random(other.length + 1);
      return splice(start, end, other.subarray(from, from + random(other.length - from + 1)));
    }
    case 6: {
      if (shape !== 'bytes') break;
      // A number of two, four or eight bytes, at or near a bound.
      const bytes = Buffer.alloc(pick(random, [2, 4, 8]));
      const value = pick(random, [0, 1, 2, 8, 0x7f, 0xff, 0xfffe, 0xffff, 0x7fffffff, 0xfffffffe, 0xffffffff]);
      bytes.writeUIntLE(bytes.length === 2 ? value & 0xffff : value, 0, Math.min(6, bytes.length));
      return splice(at, Math.min(input.length, at + bytes.length), bytes);
    }
    case 7:
      return input.subarray(0, at);
  }
  const word = Buffer.from(pick(random, random(3) === 0 || words.length === 0 ? strings : words));
  return random(2) === 0 ? splice(at, at, word) : splice(start, end, word);
}

/** Chooses a range, short ones more often than long ones. */
function range(input: Buffer, random: Random): [start: number, end: number] {
  const start = random(input.length + 1);
  const longest = input.length - start;
  const length = random(3) === 0 ? random(longest + 1) : Math.min(longest, random(32));
  return [start, start + length];
}

function changeNumber(input: Buffer, random: Random): Buffer | null {
  const text = input.toString('latin1');
  const found = [...text.slice(0, 8192).matchAll(/-?\d+(\.\d+)?/g)];
  const match = found[random(found.length)];
  if (match === undefined) return null;
  const to = Buffer.from(pick(random, numbers));
  return Buffer.concat([input.subarray(0, match.index), to, input.subarray(match.index + match[0].length)]);
}

function changeLines(input: Buffer, random: Random, { other }: MutateOptions): Buffer {
  // latin1 preserves the bytes.
  const lines = input.toString('latin1').split('\n');
  const at = random(lines.length);
  const line = lines[at] ?? '';
  switch (random(6)) {
    case 0:
      lines.splice(at, 1);
      break;
    case 1:
      lines.splice(random(lines.length + 1), 0, line);
      break;
    case 2:
      lines.splice(at, 1);
      lines.splice(random(lines.length + 1), 0, line);
      break;
    case 3: {
      const others = other.toString('latin1').split('\n');
      lines.splice(at, random(2), pick(random, others));
      break;
    }
    case 4:
      lines[at] = `${pick(random, [' ', '\t', '{', '}', '#', '-', '"'])}${line}`;
      break;
    default:
      lines[at] = `${line}${pick(random, [' ', '\r', '}', '{', ':', ',', '"', '\0'])}`;
  }
  return Buffer.from(lines.join('\n'), 'latin1');
}

/** Changes one value, key or member of the input, or of one of its lines. Null if that is not JSON. */
function changeJson(input: Buffer, random: Random, options: MutateOptions): Buffer | null {
  if (options.shape === 'json') {
    const changed = changeDocument(input.toString('utf8'), options.other.toString('utf8'), random, options.words);
    return changed === null ? null : Buffer.from(changed);
  }
  const lines = input.toString('utf8').split('\n');
  const others = options.other.toString('utf8').split('\n');
  const at = random(lines.length);
  const changed = changeDocument(lines[at] ?? '', pick(random, others), random, options.words);
  if (changed === null) return null;
  lines[at] = changed;
  return Buffer.from(lines.join('\n'));
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Place {
  readonly holder: Json[] | { [key: string]: Json };
  readonly key: string | number;
}

/** Null if the text is not JSON, or nested too deeply to copy. */
function changeDocument(text: string, other: string, random: Random, words: readonly string[]): string | null {
  try {
    return changeValue(text, other, random, words);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function changeValue(text: string, other: string, random: Random, words: readonly string[]): string | null {
  const root = parse(text);
  if (root === undefined) return null;
  const document: Json[] = [root];
  const places: Place[] = [];
  collect(document, places);
  const { holder, key } = pick(random, places);
  const value = Reflect.get(holder, key) as Json;
  const word = () => pick(random, random(3) === 0 || words.length === 0 ? strings : words);
  const set = (to: Json) => {
    Object.defineProperty(holder, key, { value: to, enumerable: true, configurable: true, writable: true });
  };
  switch (random(9)) {
    case 0:
      set(pick(random, [null, true, false, 0, 1, -1, 1.5, 1e308, 2 ** 53, -(2 ** 53), '', [], {}] as Json[]));
      break;
    case 1:
      set(word());
      break;
    case 2:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      break;
    case 3:
      if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(value));
      else holder[word()] = structuredClone(value);
      break;
    case 4: {
      const donors: Place[] = [];
      const donor = parse(other);
      if (donor !== undefined) collect([donor], donors);
      const from = donors.length === 0 ? undefined : pick(random, donors);
      if (from !== undefined) set(Reflect.get(from.holder, from.key) as Json);
      break;
    }
    case 5: {
      const swap = pick(random, places);
      const there = Reflect.get(swap.holder, swap.key) as Json;
      // Cloned, because one may contain the other.
      set(structuredClone(there));
      break;
    }
    case 6:
      if (typeof value === 'string')
        set(random(2) === 0 ? value + word() : value.repeat(1 + random(300)).slice(0, 4000));
      else if (typeof value === 'number') set(value * pick(random, [-1, 0, 2, 1e-9, 1e9, 1e300]) + random(3));
      else if (Array.isArray(value)) set([...value, ...structuredClone(value)]);
      break;
    case 7: {
      let deep: Json = value;
      for (let depth = random(3) === 0 ? random(2000) : random(4); depth > 0; depth--)
        deep = random(2) === 0 ? [deep] : { a: deep };
      set(deep);
      break;
    }
    default:
      // Repeats a key, which is possible only in text.
      if (!Array.isArray(holder)) {
        const whole = stringify(document[0]);
        const member = `${JSON.stringify(key)}:`;
        return whole.replace(member, `${member}${JSON.stringify(word())},${member}`);
      }
  }
  return stringify(document[0]);
}

function stringify(value: Json | undefined): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function collect(holder: Json[] | { [key: string]: Json }, places: Place[]): void {
  const left = [holder];
  for (let at = left.pop(); at !== undefined && places.length < 5000; at = left.pop()) {
    for (const key of Array.isArray(at) ? at.keys() : Object.keys(at)) {
      places.push({ holder: at, key });
      const value = Reflect.get(at, key) as Json;
      if (typeof value === 'object' && value !== null) left.push(value);
    }
  }
}

// Bench: reads what QEMU's plugin (vm/plugin) wrote. Pure.

import { VmError } from '../common/errors.ts';

/** How a program was left. */
export type Way = 'call' | 'jump';

/** An instruction of a program, by its function and the offset in it. */
export interface SeenInstruction {
  readonly function: number;
  readonly offset: number;
  /** Times that it was executed. */
  readonly times: number;
}

/** Instructions of something that happened several times: of all times, and the least, most and most frequent number. */
export interface SeenCost {
  readonly times: number;
  readonly instructions: number;
  readonly least: number;
  readonly most: number;
  readonly frequent: number;
}

/** All times that a program was left at one instruction for one target, with what was executed until it went on. */
export interface SeenExit extends SeenInstruction, SeenCost {
  readonly way: Way;
  /** Address in hexadecimal digits. */
  readonly target: string;
}

/** Interrupts or exceptions that entered the kernel at one address, in hexadecimal digits; `0`: other threads ran. */
export interface SeenInterruption {
  readonly entry: string;
  readonly times: number;
  readonly instructions: number;
}

/** What several runs executed together. */
export interface SeenRuns {
  readonly instructions: readonly SeenInstruction[];
  readonly exits: readonly SeenExit[];
  readonly interruptions: readonly SeenInterruption[];
}

/** Runs that executed the same instructions of the program equally often, in any order, and made the same calls. */
export interface SeenKind extends SeenCost {
  /** The function that the kernel entered: the main one, 0, or one that it calls by itself, such as a timer's. */
  readonly function: number;
  /** Instructions of a run in the program's own code. The other numbers include calls. */
  readonly own: number;
  /** Differs between kinds that execute other instructions. */
  readonly hash: string;
  readonly calls: readonly { readonly way: Way; readonly target: string; readonly times: number }[];
  /** What each run executed; empty if this is the only kind, or there was no room. */
  readonly executed: readonly SeenInstruction[];
}

/** The runs of a program. */
export interface SeenWindow extends SeenRuns {
  /** Runs that the kernel began at the program's start. What was seen of them is that of this window itself. */
  readonly runs: number;
  /** Times that something could not be followed. */
  readonly lost: number;
  /** Whether the plugin recognised the kernel's task switches and entries of interrupts. */
  readonly isFollowed: boolean;
  /** Functions of other programs that runs continue in, by number: the tag of that window, and the number there. */
  readonly functions: ReadonlyMap<number, { readonly window: number; readonly function: number }>;
  /** Runs of functions that the kernel calls by itself. */
  readonly callbacks: SeenRuns;
  readonly kinds: readonly SeenKind[];
  /** Runs whose kinds had no room. */
  readonly others: number;
}

/** Kinds of run of a window, at most: what the plugin keeps. More would take minutes to compare. */
const maxKinds = 256;
/** Functions of other programs, at most: as many as a program has. Each can have 65,536 instructions. */
const maxFunctions = 4096;
const hex = '([0-9a-f]{1,16})';
const place = String.raw`(\d{1,6}) (\d{1,9})`;
const cost = String.raw`(\d{1,15})${String.raw` (\d{1,15})`.repeat(4)}`;
const patterns = {
  window: /^window (\d{1,15}) (\d{1,15}) (\d{1,15}) ([01])$/,
  function: /^function (\d{1,6}) (\d{1,15}) (\d{1,6})$/,
  instruction: new RegExp(String.raw`^instruction ${place} (\d{1,15})$`),
  exit: new RegExp(`^(call|jump) ${place} ${hex} ${cost}$`),
  interruption: new RegExp(String.raw`^interruption ${hex} (\d{1,15}) (\d{1,15})$`),
  kind: new RegExp(String.raw`^kind (\d{1,6}) (\d{1,15}) ${hex} ${cost}$`),
  by: new RegExp(String.raw`^by (call|jump) ${hex} (\d{1,15})$`),
  each: new RegExp(String.raw`^each ${place} (\d{1,15})$`),
  other: /^other (\d{1,15})$/,
};

type Open<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Each)[] ? Each[] : T[Key] };
type OpenWindow = Omit<Open<SeenWindow>, 'functions' | 'kinds' | 'callbacks'> & {
  functions: Map<number, { window: number; function: number }>;
  kinds: Open<SeenKind>[];
  callbacks: Open<SeenRuns>;
};

/**
 * Reads all windows, by their tags.
 *
 * @throws VmError when a line is not the plugin's, or a window is there twice
 */
export function readSeen(text: string): Map<number, SeenWindow> {
  const windows = new Map<number, SeenWindow>();
  let current: OpenWindow | undefined;
  let runs: Open<SeenRuns> | undefined;
  let from = 0;
  let tag = 0;
  for (let number = 1; from < text.length; number += 1) {
    const next = text.indexOf('\n', from);
    const line = text.slice(from, next === -1 ? undefined : next);
    from = next === -1 ? text.length : next + 1;
    if (current === undefined) {
      const begin = patterns.window.exec(line);
      tag = Number(begin?.[1]);
      if (begin === null || windows.has(tag)) throw refuse(number);
      current = { ...noWindow(), runs: Number(begin[2]), lost: Number(begin[3]), isFollowed: begin[4] === '1' };
      runs = current;
    } else if (line === 'end') {
      windows.set(tag, current);
      current = undefined;
    } else if (line === 'callbacks') {
      runs = current.callbacks;
    } else if (!(readRuns(line, runs ?? current) || readRest(line, current))) {
      throw refuse(number);
    }
  }
  if (current !== undefined) throw new VmError('the guest left an inside.txt that ends within a window');
  return windows;
}

function refuse(number: number): VmError {
  return new VmError(`the guest left an inside.txt whose line ${number} is not of the plugin`);
}

function noRuns(): Open<SeenRuns> {
  return { instructions: [], exits: [], interruptions: [] };
}

function noWindow(): OpenWindow {
  const none = { runs: 0, lost: 0, isFollowed: false, others: 0 };
  return { ...noRuns(), ...none, functions: new Map(), callbacks: noRuns(), kinds: [] };
}

/** Reads a line of what runs executed. Returns whether it is one. */
function readRuns(line: string, runs: Open<SeenRuns>): boolean {
  const own = patterns.instruction.exec(line);
  if (own !== null) {
    runs.instructions.push(toInstruction(own));
    return true;
  }
  const exit = patterns.exit.exec(line);
  if (exit !== null) {
    const [, way, where, offset, target = ''] = exit;
    const at = { function: Number(where), offset: Number(offset) };
    runs.exits.push({ way: way as Way, ...at, target, ...toCost(exit.slice(5)) });
    return true;
  }
  const interruption = patterns.interruption.exec(line);
  if (interruption === null) return false;
  const [, entry = '', times, instructions] = interruption;
  runs.interruptions.push({ entry, times: Number(times), instructions: Number(instructions) });
  return true;
}

/** Reads another line of a window. Returns whether it is one. */
function readRest(line: string, window: OpenWindow): boolean {
  const kind = patterns.kind.exec(line);
  if (kind !== null) {
    if (window.kinds.length === maxKinds) return false;
    const [, entered, own, hash = ''] = kind;
    const fixed = { function: Number(entered), own: Number(own), hash };
    window.kinds.push({ ...fixed, ...toCost(kind.slice(4)), calls: [], executed: [] });
    return true;
  }
  const last = window.kinds.at(-1);
  const by = patterns.by.exec(line);
  if (by !== null) {
    const [, way, target = '', times] = by;
    last?.calls.push({ way: way as Way, target, times: Number(times) });
    return last !== undefined;
  }
  const each = patterns.each.exec(line);
  if (each !== null) {
    last?.executed.push(toInstruction(each));
    return last !== undefined;
  }
  const other = patterns.other.exec(line);
  if (other !== null) {
    window.others = Number(other[1]);
    return true;
  }
  const foreign = patterns.function.exec(line);
  if (foreign === null || window.functions.size === maxFunctions) return false;
  const [, number, tag, index] = foreign;
  window.functions.set(Number(number), { window: Number(tag), function: Number(index) });
  return true;
}

function toInstruction(found: RegExpExecArray): SeenInstruction {
  const [, where, offset, times] = found.map(Number) as [number, number, number, number];
  return { function: where, offset, times };
}

function toCost(found: readonly string[]): SeenCost {
  const [times, instructions, least, most, frequent] = found.map(Number) as [number, number, number, number, number];
  return { times, instructions, least, most, frequent };
}

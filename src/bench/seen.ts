// Bench: reads what QEMU's plugin (vm/plugin) wrote. Pure.

import { VmError } from '../common/errors.ts';

/** How a program was left: by a call, a jump, or an interruption. */
export type Way = 'call' | 'jump' | 'interruption';

/** An instruction of a program, by its function and the offset in it. */
export interface SeenInstruction {
  readonly function: number;
  readonly offset: number;
  /** Times that it was executed. */
  readonly times: number;
}

/** All times that a program was left at one instruction for one target, with what was executed until it went on. */
export interface SeenExit extends SeenInstruction {
  readonly way: Way;
  /** Address in hexadecimal digits; `0` of an interruption. */
  readonly target: string;
  readonly instructions: number;
  /** Least, most and most frequent number of instructions of one time. */
  readonly least: number;
  readonly most: number;
  readonly frequent: number;
}

/** The runs of a program. */
export interface SeenWindow {
  readonly runs: number;
  /** Times that the program was left and that could not be followed. */
  readonly lost: number;
  readonly instructions: readonly SeenInstruction[];
  readonly exits: readonly SeenExit[];
}

const header = /^window (\d{1,15}) (\d{1,15}) (\d{1,15})$/;
const instruction = /^instruction (\d{1,6}) (\d{1,9}) (\d{1,15})$/;
const exit = new RegExp(
  String.raw`^(call|jump|interruption) (\d{1,6}) (\d{1,9}) ([0-9a-f]{1,16})${String.raw` (\d{1,15})`.repeat(5)}$`,
);

/**
 * Reads all windows, by their tags.
 *
 * @throws VmError when a line is not the plugin's, or a window is there twice
 */
export function readSeen(text: string): Map<number, SeenWindow> {
  const windows = new Map<number, SeenWindow>();
  let current: { runs: number; lost: number; instructions: SeenInstruction[]; exits: SeenExit[] } | undefined;
  let from = 0;
  let tag = 0;
  for (let number = 1; from < text.length; number += 1) {
    const next = text.indexOf('\n', from);
    const line = text.slice(from, next === -1 ? undefined : next);
    from = next === -1 ? text.length : next + 1;
    const refuse = () => new VmError(`the guest left an inside.txt whose line ${number} is not of the plugin`);
    const begin = header.exec(line);
    if (begin !== null && current === undefined) {
      tag = Number(begin[1]);
      if (windows.has(tag)) throw refuse();
      current = { runs: Number(begin[2]), lost: Number(begin[3]), instructions: [], exits: [] };
      continue;
    }
    if (current === undefined) throw refuse();
    if (line === 'end') {
      windows.set(tag, current);
      current = undefined;
      continue;
    }
    const own = instruction.exec(line);
    if (own !== null) {
      const [, where, offset, times] = own.map(Number) as [number, number, number, number];
      current.instructions.push({ function: where, offset, times });
      continue;
    }
    const out = exit.exec(line);
    if (out === null) throw refuse();
    const [where, offset] = [Number(out[2]), Number(out[3])];
    const [times, instructions, least, most, frequent] = out.slice(5).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const way = out[1] as Way;
    const target = out[4] ?? '';
    current.exits.push({ function: where, offset, way, target, times, instructions, least, most, frequent });
  }
  if (current !== undefined) throw new VmError('the guest left an inside.txt that ends within a window');
  return windows;
}

// Bench: reads the machine code of a program, an instruction at a time. Pure.

import type { ProgramCode } from '../model/guest-run.ts';
import type { SourceLocation } from './measurement.ts';

/** A machine instruction that the JIT made. */
export interface Instruction {
  /** Number of its function, and offset in bytes there. */
  readonly function: number;
  readonly offset: number;
  /** Its line, in the file as the compiler names it; null where it is not known. */
  readonly source: SourceLocation | null;
  /** Hash of the line's text; 0 where that is not known. */
  readonly text: number;
  /** Equal for instructions that do the same, in whichever registers and places on the stack. */
  readonly shape: string;
}

/** Characters of an instruction: its length in bytes, and its shape. */
const width = 4;
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Reads the instructions in order: those of the main function first, then of the others by their names. */
export function readInstructions({ files, functions }: ProgramCode): Instruction[] {
  const [main, ...others] = functions.map((each, index) => ({ ...each, index }));
  if (main === undefined) return [];
  // A compiler may put functions in another order when one of them changes.
  const ordered = [main, ...others.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))];
  return ordered.flatMap(({ index, stretches }) => {
    let offset = 0;
    return stretches.flatMap(([file, line, text, instructions]) => {
      const name = files[file];
      const source = line === 0 || name === undefined ? null : { file: name, line };
      return Array.from({ length: instructions.length / width }, (_, each): Instruction => {
        const at = each * width;
        const own = { function: index, offset, source, text, shape: instructions.slice(at + 1, at + width) };
        offset += digits.indexOf(instructions.charAt(at));
        return own;
      });
    });
  });
}

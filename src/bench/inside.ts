// Bench: says where the instructions of a program's runs go: to its lines, and to what it calls. Pure.

import { groupBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import type { InsideRecord, LoadRecord, ProgramCode } from '../model/guest-run.ts';
import type { SeenExit, SeenWindow, Way } from './seen.ts';

/** Instructions that a program's own code executes. */
export interface LineCount {
  /** File as the compiler names it; null for code without a known line. */
  readonly file: string | null;
  readonly line: number;
  /** Mean of a run. */
  readonly instructions: number;
}

/** Instructions executed in a function that a program calls, with all that this calls in turn. */
export interface CallCount {
  readonly way: Way;
  /** Name of the function; null if it is not known, or an interruption. */
  readonly name: string | null;
  /** Mean number in a run, and the instructions of all of them. */
  readonly calls: number;
  readonly instructions: number;
  /** Instructions of one call: the least, the most and the most frequent number. */
  readonly least: number;
  readonly most: number;
  readonly frequent: number;
}

/** Where the instructions of a program on an input go. */
export interface InsideCount {
  readonly kernel: string;
  readonly revision: RevisionName;
  /** Name of the program and its input, as in measurements. */
  readonly benchmark: string;
  /** Why there is nothing more; null if there is. */
  readonly reason: string | null;
  /** Instructions of a run by the kernel's own clock, in the same boot, less those of an empty program. */
  readonly counted: number;
  readonly lines: readonly LineCount[];
  readonly calls: readonly CallCount[];
  /** Instructions of the empty program's own code, which are not counted; null where none was taken off. */
  readonly empty: number | null;
  /** What is left of `counted` after lines and calls, without the empty program's. 0: it adds up. */
  readonly rest: number;
}

/** Describes every run that has a place in measurements, and programs whose runs failed. */
export function describeInside(
  of: Pick<InsideCount, 'kernel' | 'revision'>,
  loads: readonly LoadRecord[],
  windows: ReadonlyMap<number, SeenWindow>,
): InsideCount[] {
  return loads.flatMap(({ object, program, inputs }) => {
    if (inputs?.error) return [{ ...of, benchmark: `${object}/${program}/*`, ...nothing, reason: inputs.error }];
    let code: ProgramCode | null = null;
    return (inputs?.runs ?? []).flatMap(({ input, error, empty, returned, inside }) => {
      if (error !== null) return [];
      code = inside?.code ?? code;
      const subject = { ...of, benchmark: `${object}/${program}/${input}` };
      const window = inside && windows.get(inside.window);
      const reason = returned === null ? 'it is attached' : 'the plugin saw none of its code: is it interpreted?';
      if (inside === undefined || window === undefined || code === null) return [{ ...subject, ...nothing, reason }];
      const offEmpty = empty === null ? 0 : empty.run_time_ns / empty.run_cnt;
      return [{ ...subject, ...describe(inside, code, window, windows, offEmpty) }];
    });
  });
}

const nothing = { counted: 0, lines: [], calls: [], empty: null, rest: 0 };

/** @param offEmpty what the kernel's clock counts of a run of the empty program */
function describe(
  { reading, empty }: InsideRecord,
  code: ProgramCode,
  window: SeenWindow,
  windows: ReadonlyMap<number, SeenWindow>,
  offEmpty: number,
): Omit<InsideCount, 'kernel' | 'revision' | 'benchmark'> {
  const runs = reading.run_cnt;
  const emptyWindow = empty === null ? undefined : windows.get(empty);
  const ofEmpty = emptyWindow === undefined || emptyWindow.runs === 0 ? null : totalOf(emptyWindow) / emptyWindow.runs;
  const counted = reading.run_time_ns / runs - offEmpty;
  const lost =
    window.runs !== runs
      ? `the plugin saw ${window.runs} of ${runs} runs`
      : window.lost > 0
        ? `the plugin could not follow ${window.lost} of its calls`
        : null;
  return {
    reason: lost,
    counted,
    lines: countLines(code, window, runs),
    calls: countCalls(code, window.exits, runs),
    empty: ofEmpty,
    // Of whole numbers, so that nothing is lost to rounding.
    rest: (Math.round(counted * runs) - totalOf(window) + Math.round((ofEmpty ?? 0) * runs)) / runs,
  };
}

/** All instructions of a window, in the program and out of it. */
function totalOf({ instructions, exits }: SeenWindow): number {
  const own = instructions.reduce((sum, { times }) => sum + times, 0);
  return exits.reduce((sum, exit) => sum + exit.instructions, own);
}

function countLines({ places, files }: ProgramCode, { instructions }: SeenWindow, runs: number): LineCount[] {
  const ofFunction = new Map(groupBy(places, ([index]) => String(index)).map((own) => [own[0][0], own]));
  const located = instructions.map(({ function: index, offset, times }) => {
    const own = ofFunction.get(index) ?? [];
    // A function's prologue counts for its first line.
    const [, , file = 0, line = 0] = own.findLast((place) => place[1] <= offset) ?? own[0] ?? [];
    const name = line === 0 ? undefined : files[file];
    return { file: name ?? null, line: name === undefined ? 0 : line, times };
  });
  return groupBy(located, ({ file, line }) => JSON.stringify([file, line]))
    .map((group) => {
      const [{ file, line }] = group;
      return { file, line, instructions: group.reduce((sum, { times }) => sum + times, 0) / runs };
    })
    .toSorted((a, b) => b.instructions - a.instructions);
}

function countCalls({ names }: ProgramCode, exits: readonly SeenExit[], runs: number): CallCount[] {
  return groupBy(exits, ({ way, target }) => `${way} ${target}`)
    .map((group): CallCount => {
      const [{ way, target }] = group;
      const sum = (key: 'times' | 'instructions') => group.reduce((all, exit) => all + exit[key], 0);
      return {
        way,
        name: way === 'interruption' ? null : (names[target] ?? `0x${target}`),
        calls: sum('times') / runs,
        instructions: sum('instructions') / runs,
        least: Math.min(...group.map(({ least }) => least)),
        most: Math.max(...group.map(({ most }) => most)),
        frequent: group.reduce((best, exit) => (exit.times > best.times ? exit : best)).frequent,
      };
    })
    .toSorted((a, b) => b.instructions - a.instructions);
}

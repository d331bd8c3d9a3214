// Bench: says where the instructions of a program's runs go: to its lines, and to what it calls. Pure.

import { groupBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import type { CalibrationRecord, GuestRun, InsideRecord, LoadRecord, SeenCode } from '../model/guest-run.ts';
import { countEmpties } from './empties.ts';
import { type Instruction, readInstructions } from './machine-code.ts';
import { namePrograms, type Rename } from './program-names.ts';
import type { SeenExit, SeenWindow, Way } from './seen.ts';

/** Instructions that a program's own code executes. */
export interface LineCount {
  /** File as the compiler names it; null for code without a known line. */
  readonly file: string | null;
  readonly line: number;
  /** Mean of a run. */
  readonly instructions: number;
}

/** An instruction of a program, and the mean number of times that a run executes it. */
export interface ExecutedInstruction extends Instruction {
  readonly times: number;
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

/** Where the instructions of a program's runs go: on an input, or in a bench. */
export interface InsideCount {
  readonly kernel: string;
  readonly revision: RevisionName;
  /** Name of the program, and of its input, as in measurements. */
  readonly benchmark: string;
  /** Why there is nothing more; null if there is. */
  readonly reason: string | null;
  /** Instructions of a run by the kernel's own clock, in the same boot, less those of an empty program. */
  readonly counted: number;
  readonly lines: readonly LineCount[];
  /** All instructions, in the order of {@link readInstructions}; none where no line is known. */
  readonly code: readonly ExecutedInstruction[];
  readonly calls: readonly CallCount[];
  /** Instructions of the empty program's own code, which are not counted; null where none was taken off. */
  readonly empty: number | null;
  /** What is left of `counted` after lines and calls, without the empty program's. 0: it adds up. */
  readonly rest: number;
}

/** A boot of one revision with QEMU's plugin. */
export interface SeenBoot extends Pick<GuestRun, 'loads' | 'programs' | 'calibrations'> {
  readonly revision: RevisionName;
  readonly windows: ReadonlyMap<number, SeenWindow>;
}

const unseen = 'the plugin saw none of its code: is it interpreted?';

/** Describes every run that has a place in measurements, and programs whose runs failed. */
export function describeInside(kernel: string, boots: readonly SeenBoot[], renames: readonly Rename[]): InsideCount[] {
  const onInputs = boots.flatMap(({ revision, loads, windows }) =>
    loads.flatMap((load) => describeInputs({ kernel, revision }, load, windows)),
  );
  const programs = boots.flatMap((boot) => boot.programs);
  const inBenches = groupBy(programs, ({ bench }) => bench).flatMap((ofBench) =>
    namePrograms(ofBench, renames).flatMap(({ benchmark, renamedFrom = benchmark, records }) =>
      boots.flatMap((boot) => {
        const { revision } = boot;
        const own = records.find((record) => record.revision === revision && record.run_cnt > 0);
        if (own === undefined) return [];
        const subject = { kernel, revision, benchmark: revision === 'base' ? renamedFrom : benchmark };
        return [{ ...subject, ...describeInBench(own, boot) }];
      }),
    ),
  );
  return [...onInputs, ...inBenches];
}

type Subject = Pick<InsideCount, 'kernel' | 'revision'>;
type Described = Omit<InsideCount, 'kernel' | 'revision' | 'benchmark'>;

function describeInputs(
  of: Subject,
  { object, program, inputs }: LoadRecord,
  windows: ReadonlyMap<number, SeenWindow>,
): InsideCount[] {
  if (inputs?.error) return [{ ...of, benchmark: `${object}/${program}/*`, ...nothing, reason: inputs.error }];
  let code: SeenCode | null = null;
  return (inputs?.runs ?? []).flatMap(({ input, error, empty, inside }) => {
    if (error !== null) return [];
    code = inside?.code ?? code;
    const subject = { ...of, benchmark: `${object}/${program}/${input}` };
    const window = inside && windows.get(inside.window);
    if (inside === undefined || window === undefined || code === null)
      return [{ ...subject, ...nothing, reason: unseen }];
    const offEmpty = empty === null ? 0 : empty.run_time_ns / empty.run_cnt;
    const ofEmpty = inside.empty === null ? undefined : windows.get(inside.empty);
    return [{ ...subject, ...describe(inside, code, window, { window: ofEmpty, counted: offEmpty }) }];
  });
}

function describeInBench(
  { prog_type, inside }: GuestRun['programs'][number],
  { calibrations, windows }: SeenBoot,
): Described {
  const window = inside && windows.get(inside.window);
  if (!inside?.code || window === undefined) return { ...nothing, reason: unseen };
  const isOfType = (calibration: CalibrationRecord) => calibration.prog_type === prog_type;
  const empty = calibrations.find(isOfType)?.window;
  return describe(inside, inside.code, window, {
    window: empty === undefined ? undefined : windows.get(empty),
    counted: countEmpties({ calibrations }).get(prog_type) ?? 0,
  });
}

const nothing = { counted: 0, lines: [], code: [], calls: [], empty: null, rest: 0 };

/** An empty program, as seen and as the kernel's clock counts a run of it; 0 where it is not taken off. */
interface EmptyProgram {
  readonly window: SeenWindow | undefined;
  readonly counted: number;
}

function describe({ reading }: InsideRecord, code: SeenCode, window: SeenWindow, empty: EmptyProgram): Described {
  const runs = reading.run_cnt;
  const isEmptySeen = empty.window !== undefined && empty.window.runs > 0;
  const ofEmpty = isEmptySeen ? totalOf(empty.window) / empty.window.runs : null;
  const counted = reading.run_time_ns / runs - empty.counted;
  const instructions = readInstructions(code);
  const times = new Map(window.instructions.map((each) => [placeOf(each), each.times]));
  const lost =
    window.runs !== runs
      ? `the plugin saw ${window.runs} of ${runs} runs`
      : window.lost > 0
        ? `the plugin could not follow ${window.lost} of its calls`
        : null;
  return {
    reason: lost,
    counted,
    lines: countLines(instructions, window, runs),
    code: instructions.map((each) => ({ ...each, times: (times.get(placeOf(each)) ?? 0) / runs })),
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

function placeOf({ function: index, offset }: Pick<Instruction, 'function' | 'offset'>): string {
  return `${index} ${offset}`;
}

function countLines(code: readonly Instruction[], { instructions }: SeenWindow, runs: number): LineCount[] {
  const sources = new Map(code.map((each) => [placeOf(each), each.source]));
  const located = instructions.map((each) => {
    const source = sources.get(placeOf(each)) ?? null;
    return { file: source?.file ?? null, line: source?.line ?? 0, times: each.times };
  });
  return groupBy(located, ({ file, line }) => JSON.stringify([file, line]))
    .map((group) => {
      const [{ file, line }] = group;
      return { file, line, instructions: group.reduce((sum, { times }) => sum + times, 0) / runs };
    })
    .toSorted((a, b) => b.instructions - a.instructions);
}

function countCalls({ names }: SeenCode, exits: readonly SeenExit[], runs: number): CallCount[] {
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

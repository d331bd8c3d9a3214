// Bench: says where the instructions of a program's runs go: to its lines, and to what it calls. Pure.

import { distinctBy, groupBy, indexBy } from '../common/group-by.ts';
import type { RevisionName } from '../model/build.ts';
import type {
  CalibrationRecord,
  GuestRun,
  InsideRecord,
  Interrupts,
  LoadRecord,
  SeenCode,
} from '../model/guest-run.ts';
import { countEmpties } from './empties.ts';
import { type Instruction, readInstructions } from './machine-code.ts';
import { namePrograms, type Rename } from './program-names.ts';
import type { SeenExit, SeenInterruption, SeenKind, SeenWindow, Way } from './seen.ts';

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
  /** Name of the function, or its address. */
  readonly name: string;
  /** Mean number in a run, and the instructions of all of them. */
  readonly calls: number;
  readonly instructions: number;
  /** Instructions of one call: the least, the most and the most frequent number. */
  readonly least: number;
  readonly most: number;
  readonly frequent: number;
}

/** Instructions of one call of a function, the least and the most, and the number of all calls. */
export interface CallRange extends Pick<CallCount, 'least' | 'most'> {
  readonly times: number;
}

/** Runs that execute the same instructions of a program's own equally often, and make the same calls. */
export interface RunKind {
  /** The function that the kernel calls by itself, such as a timer's; null for the program itself. */
  readonly callback: string | null;
  /** Number of runs. */
  readonly runs: number;
  /** Instructions of a run in the program's own code. */
  readonly own: number;
  /** Number of calls in a run. */
  readonly calls: readonly { readonly way: Way; readonly name: string; readonly calls: number }[];
  /** Instructions of a run with its calls: the least, the most and the most frequent number. */
  readonly least: number;
  readonly most: number;
  readonly frequent: number;
}

/** What was executed while runs were interrupted, which is no cost of theirs. */
export interface InterruptionCount {
  /** Name of the code that the interrupt or exception enters, or its address; null: other threads ran. */
  readonly name: string | null;
  /** Mean number in a run, and the instructions of all of them. */
  readonly times: number;
  readonly instructions: number;
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
  /** What one call of each function takes, by its name, also in runs of callbacks. */
  readonly ranges: ReadonlyMap<string, CallRange>;
  /** Kinds of run, most runs first, and the number of runs of further kinds. */
  readonly kinds: readonly RunKind[];
  readonly otherKinds: number;
  readonly interruptions: readonly InterruptionCount[];
  /** Instructions of the empty program's own code, which are not counted; null where none was taken off. */
  readonly empty: number | null;
  /** What is left of `counted` after lines, calls and interruptions, without the empty program's. 0: it adds up. */
  readonly rest: number;
}

/** A boot of one revision with QEMU's plugin. */
export interface SeenBoot extends Pick<GuestRun, 'loads' | 'programs' | 'calibrations'> {
  readonly revision: RevisionName;
  readonly windows: ReadonlyMap<number, SeenWindow>;
  readonly interrupts: Interrupts;
}

const unseen = 'the plugin saw none of its code: is it interpreted?';

/** Describes every run that has a place in measurements, and programs whose runs failed. */
export function describeInside(kernel: string, boots: readonly SeenBoot[], renames: readonly Rename[]): InsideCount[] {
  const onInputs = boots.flatMap((boot) =>
    boot.loads.flatMap((load) => describeInputs({ kernel, revision: boot.revision }, load, boot)),
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

function describeInputs(of: Subject, { object, program, inputs }: LoadRecord, boot: SeenBoot): InsideCount[] {
  const { windows } = boot;
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
    return [{ ...subject, ...describe(inside, code, window, { window: ofEmpty, counted: offEmpty }, boot) }];
  });
}

function describeInBench({ prog_type, inside }: GuestRun['programs'][number], boot: SeenBoot): Described {
  const { calibrations, windows } = boot;
  const window = inside && windows.get(inside.window);
  if (!inside?.code || window === undefined) return { ...nothing, reason: unseen };
  const isOfType = (calibration: CalibrationRecord) => calibration.prog_type === prog_type;
  const empty = calibrations.find(isOfType)?.window;
  const ofEmpty = {
    window: empty === undefined ? undefined : windows.get(empty),
    counted: countEmpties({ calibrations }).get(prog_type) ?? 0,
  };
  return describe(inside, inside.code, window, ofEmpty, boot);
}

const nothing = {
  ranges: new Map<string, CallRange>(),
  ...{ counted: 0, lines: [], code: [], calls: [], kinds: [], otherKinds: 0, interruptions: [] },
  ...{ empty: null, rest: 0 },
};

/** An empty program, as seen and as the kernel's clock counts a run of it; 0 where it is not taken off. */
interface EmptyProgram {
  readonly window: SeenWindow | undefined;
  readonly counted: number;
}

function describe(
  { reading }: InsideRecord,
  ownCode: SeenCode,
  window: SeenWindow,
  empty: EmptyProgram,
  { programs, interrupts }: SeenBoot,
): Described {
  const runs = reading.run_cnt;
  const isEmptySeen = empty.window !== undefined && empty.window.runs > 0;
  const ofEmpty = isEmptySeen ? totalOf(empty.window) / empty.window.runs : null;
  const counted = reading.run_time_ns / runs - empty.counted;
  const { instructions, names, functions } = joinCode(ownCode, window, programs);
  const times = new Map(window.instructions.map((each) => [placeOf(each), each.times]));
  return {
    reason: findDoubt(window, runs),
    counted,
    lines: countLines(instructions, window, runs),
    code: instructions.map((each) => ({ ...each, times: (times.get(placeOf(each)) ?? 0) / runs })),
    calls: countCalls(names, window.exits, runs),
    ranges: findRanges(names, [...window.exits, ...window.callbacks.exits]),
    kinds: window.kinds.map((kind) => describeKind(kind, names, functions)).toSorted((a, b) => b.runs - a.runs),
    otherKinds: window.others,
    interruptions: window.interruptions
      .map((each) => describeInterruption(each, interrupts, runs))
      .toSorted((a, b) => b.instructions - a.instructions),
    empty: ofEmpty,
    // Of whole numbers, so that nothing is lost to rounding.
    rest: (Math.round(counted * runs) - totalOf(window) + Math.round((ofEmpty ?? 0) * runs)) / runs,
  };
}

/** Returns why what was seen cannot be trusted; null if it can. */
function findDoubt({ isFollowed, runs, lost }: SeenWindow, counted: number): string | null {
  if (!isFollowed) return 'the plugin does not know where interrupts enter this kernel, or how it switches tasks';
  if (runs !== counted) return `the plugin saw ${runs} of ${counted} runs`;
  return lost > 0 ? `the plugin could not follow ${lost} of its calls` : null;
}

/** Adds to a program's code the functions of others that its runs continue in, by the numbers that they have there. */
function joinCode(own: SeenCode, { functions }: SeenWindow, programs: SeenBoot['programs']) {
  const instructions = readInstructions(own);
  let names = own.names;
  const titles = new Map(own.functions.map(({ name }, index) => [index, name]));
  const all = [...functions].map(([number, each]) => ({ number, ...each }));
  // A guest can say that one function has many numbers.
  const distinct = distinctBy(all, ({ window, function: index }) => `${window} ${index}`);
  for (const ofProgram of groupBy(distinct, ({ window }) => `${window}`)) {
    const code = programs.find(({ inside }) => inside?.window === ofProgram[0].window)?.inside?.code;
    if (!code) continue;
    const byFunction = indexBy(readInstructions(code), (each) => `${each.function}`);
    for (const { number, function: index } of ofProgram) {
      for (const each of byFunction.get(`${index}`) ?? []) instructions.push({ ...each, function: number });
      titles.set(number, code.functions[index]?.name ?? '');
    }
    names = { ...names, ...code.names };
  }
  return { instructions, names, functions: titles };
}

function describeKind(
  { function: entered, times, own, calls, least, most, frequent }: SeenKind,
  names: SeenCode['names'],
  functions: ReadonlyMap<number, string>,
): RunKind {
  return {
    callback: entered === 0 ? null : (functions.get(entered) ?? `function ${entered}`),
    runs: times,
    own,
    calls: calls.map(({ way, target, times: made }) => ({ way, name: nameOf(target, names), calls: made })),
    least,
    most,
    frequent,
  };
}

function describeInterruption(
  { entry, times, instructions }: SeenInterruption,
  interrupts: Interrupts,
  runs: number,
): InterruptionCount {
  const name = entry === '0' ? null : nameOf(entry, interrupts);
  return { name, times: times / runs, instructions: instructions / runs };
}

function nameOf(address: string, names: Readonly<Record<string, string>>): string {
  return names[address] ?? `0x${address}`;
}

/** All instructions of a window's runs: in the program, out of it, and of interruptions. */
function totalOf({ instructions, exits, interruptions }: SeenWindow): number {
  const own = instructions.reduce((sum, { times }) => sum + times, 0);
  return [...exits, ...interruptions].reduce((sum, each) => sum + each.instructions, own);
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

function findRanges(names: SeenCode['names'], exits: readonly SeenExit[]): Map<string, CallRange> {
  const groups = groupBy(exits, ({ target }) => nameOf(target, names));
  return new Map(
    groups.map((group) => [
      nameOf(group[0].target, names),
      {
        ...rangeOf(group),
        times: group.reduce((sum, { times }) => sum + times, 0),
      },
    ]),
  );
}

/** A guest can leave more exits than a call has arguments. */
function rangeOf(exits: readonly [SeenExit, ...SeenExit[]]): Pick<CallCount, 'least' | 'most'> {
  let [{ least, most }] = exits;
  for (const exit of exits) [least, most] = [Math.min(least, exit.least), Math.max(most, exit.most)];
  return { least, most };
}

function countCalls(names: SeenCode['names'], exits: readonly SeenExit[], runs: number): CallCount[] {
  return groupBy(exits, ({ way, target }) => `${way} ${target}`)
    .map((group): CallCount => {
      const [{ way, target }] = group;
      const sum = (key: 'times' | 'instructions') => group.reduce((all, exit) => all + exit[key], 0);
      return {
        way,
        name: nameOf(target, names),
        calls: sum('times') / runs,
        instructions: sum('instructions') / runs,
        ...rangeOf(group),
        frequent: group.reduce((best, exit) => (exit.times > best.times ? exit : best)).frequent,
      };
    })
    .toSorted((a, b) => b.instructions - a.instructions);
}

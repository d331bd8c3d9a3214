// Third stage: Criterion's settings for emulation, added to a `cargo bench` or `cargo criterion` command.
//
// Under icount Criterion's clock counts instructions, so its defaults (3 s and 5 s a benchmark) are 8 billion
// instructions of emulation. Few, short samples are enough because a sample without a timer tick is exact, and the
// shorter the samples the fewer ticks fall into them: 5 ms holds one or two of the 4 ms ticks, in 10 samples.
// A profile wants time instead: a quarter of a second holds 500 of the agent's samples. So does the time lane, in which
// the rounds are what is told apart, and a round's time is the median of its samples.

import type { SourceText } from '../bench/find-criterion-line.ts';

/** Flags of cargo-criterion 1.1.0, before `--`. */
const cargoFlags = [
  ['--message-format', '--message-format=json'],
  ['--output-format', '--output-format quiet'],
  // Also keeps gnuplot out of the guest.
  ['--plotting-backend', '--plotting-backend disabled'],
] as const;

/** How a project uses Criterion. */
export interface CriterionUse {
  /** Its Rust files below folders called `benches`. */
  readonly sources: readonly SourceText[];
  /** Whether a Criterion before 0.4 is among its dependencies, which takes times in whole seconds. */
  readonly wholeSeconds: boolean;
}

/** Flags of Criterion 0.3 to 0.8, after `--`. It allows no sample size below 10; its bootstrap is not used here. */
const criterionFlags = ({ purpose, wholeSeconds }: CriterionSettings) =>
  [
    ['--sample-size', '--sample-size 10'],
    ['--warm-up-time', `--warm-up-time ${wholeSeconds ? '1' : warmUpTimes[purpose]}`],
    ['--measurement-time', `--measurement-time ${wholeSeconds ? '1' : measurementTimes[purpose]}`],
    ['--nresamples', '--nresamples 100'],
  ] as const;

/** Keeps gnuplot out of the guest; cargo criterion has a flag of its own. */
const benchFlags = [['--noplot', '--noplot']] as const;

/** What a command is run for. */
type CriterionPurpose = 'count' | 'profile' | 'time';

export interface CriterionSettings {
  readonly purpose: CriterionPurpose;
  readonly wholeSeconds: boolean;
}

/** Seconds; so are the next. */
const warmUpTimes = { count: '0.005', profile: '0.005', time: '0.05' } as const;
const measurementTimes = { count: '0.005', profile: '0.25', time: '0.2' } as const;

const targetFlags = [
  '--lib',
  '--bin',
  '--bins',
  '--example',
  '--examples',
  '--test',
  '--tests',
  '--bench',
  '--benches',
  '--all-targets',
];

/** What one simple `cargo` command runs: its subcommand; `other` for other programs; `complex` for more than one command. */
export function cargoSubcommand(command: string): 'criterion' | 'bench' | 'other' | 'complex' {
  const words = splitWords(command);
  if (words === null) return 'complex';
  const name = words[cargoSubcommandIndex(words)];
  return name === 'criterion' || name === 'bench' ? name : 'other';
}

/**
 * Which of the bench targets that a simple `cargo bench` command starts are Criterion's, by their sources; with no target
 * named, of those that the project has.
 */
export function startedOfCriterion(command: string, sources: readonly SourceText[]): 'all' | 'some' | 'none' {
  const words = splitWords(command);
  if (words === null || cargoSubcommand(command) !== 'bench') return 'none';
  const { cargoWords } = splitCommand(words);
  if (targetFlags.some((flag) => !['--bench', '--benches'].includes(flag) && hasFlag(cargoWords, flag))) return 'none';
  const named = cargoWords.flatMap((word, index) => {
    if (word.startsWith('--bench=')) return [word.slice('--bench='.length)];
    return word === '--bench' ? [cargoWords[index + 1] ?? ''] : [];
  });
  const targets = new Map<string, boolean>();
  for (const { path, text } of sources) {
    const name = /(?:^|\/)benches\/([^/]+?)(?:\.rs|\/main\.rs)$/.exec(path)?.[1];
    if (name !== undefined) targets.set(name, /\bcriterion(?:_group!|_main!|::)/.test(text));
  }
  const started = named.length === 0 ? [...targets.values()] : named.map((name) => targets.get(name) === true);
  if (!started.includes(true)) return 'none';
  return started.includes(false) ? 'some' : 'all';
}

/**
 * Gives one simple `cargo criterion` or `cargo bench` command cheap settings, except what the user gave, and has it print
 * its samples as JSON; any other command comes back as it is.
 *
 * Without a target flag it selects `--bench '*'`: the library's test harness, which would also be started, refuses
 * Criterion's flags.
 */
export function tuneCriterionCommand(command: string, settings: CriterionSettings): string {
  const words = splitWords(command);
  const subcommand = cargoSubcommand(command);
  if (words === null || (subcommand !== 'criterion' && subcommand !== 'bench')) return command;
  const { start, cargoWords, criterionWords } = splitCommand(words);
  const flags = [...criterionFlags(settings), ...(subcommand === 'bench' ? benchFlags : [])];
  const tuned = [
    ...start,
    ...cargoWords,
    ...(targetFlags.some((flag) => hasFlag(cargoWords, flag)) ? [] : ["--bench '*'"]),
    ...(subcommand === 'criterion' ? missingFlags(cargoWords, cargoFlags) : []),
    '--',
    ...criterionWords,
    // Criterion refuses --sample-size beside --quick.
    ...missingFlags(
      criterionWords,
      flags.filter(([flag]) => flag !== '--sample-size' || !hasFlag(criterionWords, '--quick')),
    ),
  ].join(' ');
  return subcommand === 'bench' && settings.purpose !== 'profile' ? printSaved(tuned) : tuned;
}

/** Run by itself a Criterion bench prints results for people. Its samples are in files below $CRITERION_HOME. */
function printSaved(command: string): string {
  return [
    'CRITERION_HOME=$(mktemp -d) && export CRITERION_HOME',
    command,
    `find "$CRITERION_HOME" -path '*/new/benchmark.json' | LC_ALL=C sort | while IFS= read -r file; do printf '{"reason":"benchmark-saved","benchmark":%s,"sample":%s}\\n' "$(cat "$file")" "$(cat "\${file%benchmark.json}sample.json")"; done`,
  ].join(' && ');
}

/** The words up to cargo's subcommand, those for cargo and, behind `--`, those for the benches. */
function splitCommand(words: readonly string[]) {
  const index = cargoSubcommandIndex(words);
  const rest = words.slice(index + 1);
  const separator = rest.indexOf('--');
  return {
    start: words.slice(0, index + 1),
    cargoWords: separator === -1 ? rest : rest.slice(0, separator),
    criterionWords: separator === -1 ? [] : rest.slice(separator + 1),
  };
}

function missingFlags(words: readonly string[], flags: readonly (readonly [name: string, text: string])[]): string[] {
  return flags.filter(([name]) => !hasFlag(words, name)).map(([, text]) => text);
}

function hasFlag(words: readonly string[], flag: string): boolean {
  return words.some((word) => word === flag || word.startsWith(`${flag}=`));
}

/** Index of the word behind `NAME=value... cargo [+toolchain]`; past the end when that is not the command. */
function cargoSubcommandIndex(words: readonly string[]): number {
  const program = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (program === -1 || words[program] !== 'cargo') return words.length;
  return words[program + 1]?.startsWith('+') ? program + 2 : program + 1;
}

/** Words of a simple command, quotes kept; null where the shell would do more than split it into words. */
function splitWords(command: string): readonly string[] | null {
  const words: string[] = [];
  let rest = command.trim();
  while (rest !== '') {
    const word = /^(?:'[^']*'|"[^"$`\\]*"|[^\s'"$`\\|&;<>()#!])+/.exec(rest)?.[0];
    if (word === undefined) return null;
    const after = rest.slice(word.length);
    if (after !== '' && !/^[ \t]/.test(after)) return null;
    words.push(word);
    rest = after.replace(/^[ \t]+/, '');
  }
  return words;
}

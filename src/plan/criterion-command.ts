// Plan: Criterion's settings for emulation, added to a `cargo bench` or `cargo criterion` command.
//
// Under icount Criterion's clock counts instructions, so its defaults (3 s and 5 s a benchmark) are 8 billion
// instructions of emulation. Few, short samples are enough because a sample without a timer tick is exact, and the
// shorter the samples the fewer ticks fall into them: 5 ms holds one or two of the 4 ms ticks, in 10 samples.
// A profile needs time instead: a quarter of a second holds 500 of the agent's samples.

import { benchNames, cargoSubcommand, hasFlag, hasTargetFlag, parseCargoCommand } from './cargo-command.ts';

/** Flags of cargo-criterion 1.1.0, before `--`. */
const cargoFlags = [
  ['--message-format', '--message-format=json'],
  ['--output-format', '--output-format quiet'],
  // Also keeps gnuplot out of the guest.
  ['--plotting-backend', '--plotting-backend disabled'],
] as const;

/** A project's use of Criterion. */
export interface CriterionUse {
  /** Its Rust files below folders called `benches`. */
  readonly sources: readonly SourceText[];
  /** Whether it depends on a Criterion before 0.4, which takes times in whole seconds. */
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

type CriterionPurpose = 'count' | 'profile';

export interface CriterionSettings {
  readonly purpose: CriterionPurpose;
  readonly wholeSeconds: boolean;
}

/** Seconds, as are the measurement times. */
const warmUpTimes = { count: '0.005', profile: '0.005' } as const;
const measurementTimes = { count: '0.005', profile: '0.25' } as const;

/**
 * Whether all, some or none of the bench targets that a simple `cargo bench` command starts use Criterion, by their
 * sources. Without a named target, all targets of the project count.
 */
export function startedOfCriterion(command: string, sources: readonly SourceText[]): 'all' | 'some' | 'none' {
  const parsed = parseCargoCommand(command);
  if (parsed?.subcommand !== 'bench') return 'none';
  const { cargoWords } = parsed;
  if (hasTargetFlag(cargoWords, ['--bench', '--benches'])) return 'none';
  const named = benchNames(cargoWords);
  const targets = new Map<string, boolean>();
  for (const { path, text } of sources) {
    const name = /(?:^|\/)benches\/([^/]+?)(?:\.rs|\/main\.rs)$/.exec(path)?.[1];
    if (name !== undefined) targets.set(name, usesCriterion(text));
  }
  const started = named.length === 0 ? [...targets.values()] : named.map((name) => targets.get(name) === true);
  if (!started.includes(true)) return 'none';
  return started.includes(false) ? 'some' : 'all';
}

/** Whether a command that is not one simple `cargo bench` contains one, in a project that has Criterion benches. */
export function hidesCriterion(command: string, sources: readonly SourceText[]): boolean {
  const isHidden = cargoSubcommand(command) !== 'bench' && /\bcargo( \+\S+)? bench\b/.test(command);
  return isHidden && sources.some(({ text }) => usesCriterion(text));
}

function usesCriterion(text: string): boolean {
  return /\bcriterion(?:_group!|_main!|::)/.test(text);
}

/**
 * Adds cheap settings to one simple `cargo criterion` or `cargo bench` command, except for those the user gave. Any
 * other command is returned unchanged.
 *
 * Without a target flag it adds `--bench '*'`: the library's test harness, which would also be started, refuses
 * Criterion's flags.
 */
export function tuneCriterionCommand(command: string, settings: CriterionSettings): string {
  const parsed = parseCargoCommand(command);
  if (parsed === undefined || !['bench', 'criterion'].includes(parsed.subcommand)) return command;
  const { start, subcommand, cargoWords, programWords } = parsed;
  const flags = [...criterionFlags(settings), ...(subcommand === 'bench' ? benchFlags : [])];
  return [
    ...start,
    ...cargoWords,
    ...(hasTargetFlag(cargoWords) ? [] : ["--bench '*'"]),
    ...(subcommand === 'criterion' ? missingFlags(cargoWords, cargoFlags) : []),
    '--',
    ...programWords,
    // Criterion refuses --sample-size together with --quick.
    ...missingFlags(
      programWords,
      flags.filter(([flag]) => flag !== '--sample-size' || !hasFlag(programWords, '--quick')),
    ),
  ].join(' ');
}

/** Makes Criterion save its samples in a new folder, $CRITERION_HOME. Without one it asks cargo for a folder. */
export function saveSamples(command: string): string {
  return `CRITERION_HOME=$(mktemp -d) && export CRITERION_HOME && ${command}`;
}

/** Does the same as `saveSamples`, and prints the samples: Criterion's own output is for people. */
export function printSamples(command: string): string {
  return `${saveSamples(command)} && find "$CRITERION_HOME" -path '*/new/benchmark.json' | LC_ALL=C sort | while IFS= read -r file; do printf '{"reason":"benchmark-saved","benchmark":%s,"sample":%s}\\n' "$(cat "$file")" "$(cat "\${file%benchmark.json}sample.json")"; done`;
}

function missingFlags(words: readonly string[], flags: readonly (readonly [name: string, text: string])[]): string[] {
  return flags.filter(([name]) => !hasFlag(words, name)).map(([, text]) => text);
}

export interface SourceText {
  /** Path below the repository's root. */
  readonly path: string;
  readonly text: string;
}

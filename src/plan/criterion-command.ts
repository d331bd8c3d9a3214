// Third stage: criterion's settings for the instruction lane, added to a `cargo criterion` command.
//
// Under icount criterion's clock counts instructions, so its defaults (3 s and 5 s a benchmark) are 8 billion
// instructions of emulation. Few, short samples are enough because a sample without a timer tick is exact, and the
// shorter the samples the fewer ticks fall into them: 5 ms holds one or two of the 4 ms ticks, in 10 samples.
// A profile wants time instead: a quarter of a second holds 500 of the agent's samples. So does the time lane, in which
// the rounds are what is told apart, and a round's time is the median of its samples.

/** Flags of cargo-criterion 1.1.0, before `--`. */
const cargoFlags = [
  ['--message-format', '--message-format=json'],
  ['--output-format', '--output-format quiet'],
  // Also keeps gnuplot out of the guest.
  ['--plotting-backend', '--plotting-backend disabled'],
] as const;

/** Flags of criterion 0.5 to 0.8, after `--`. It allows no sample size below 10; its bootstrap is not used here. */
const criterionFlags = (purpose: CriterionPurpose) =>
  [
    ['--sample-size', '--sample-size 10'],
    ['--warm-up-time', `--warm-up-time ${purpose === 'time' ? '0.05' : '0.005'}`],
    ['--measurement-time', `--measurement-time ${measurementTimes[purpose]}`],
    ['--nresamples', '--nresamples 100'],
  ] as const;

/** What a command is run for. */
type CriterionPurpose = 'count' | 'profile' | 'time';

/** In seconds. */
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
 * Adds JSON output and cheap settings to one simple `cargo criterion` command, except what the user gave; any other
 * command comes back as it is.
 *
 * Without a target flag it selects `--bench '*'`: cargo criterion would also start the library's test harness, which
 * refuses criterion's flags.
 */
export function tuneCriterionCommand(command: string, purpose: CriterionPurpose = 'count'): string {
  const words = splitWords(command);
  if (words === null) return command;
  const index = cargoSubcommandIndex(words);
  if (words[index] !== 'criterion') return command;
  const rest = words.slice(index + 1);
  const separator = rest.indexOf('--');
  const cargoWords = separator === -1 ? rest : rest.slice(0, separator);
  const criterionWords = separator === -1 ? [] : rest.slice(separator + 1);
  return [
    ...words.slice(0, index + 1),
    ...cargoWords,
    ...(targetFlags.some((flag) => hasFlag(cargoWords, flag)) ? [] : ["--bench '*'"]),
    ...missingFlags(cargoWords, cargoFlags),
    '--',
    ...criterionWords,
    // Criterion refuses --sample-size beside --quick.
    ...missingFlags(
      criterionWords,
      criterionFlags(purpose).filter(([flag]) => flag !== '--sample-size' || !hasFlag(criterionWords, '--quick')),
    ),
  ].join(' ');
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

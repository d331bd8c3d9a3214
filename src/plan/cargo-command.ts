// Plan: parses one simple `cargo` command of bpfgate.toml. Pure.

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

/** Subcommands that start the programs they build, under file names that no other build uses. */
const starting = ['bench', 'criterion', 'test'];
/** Options that make cargo-criterion ask cargo for something else. */
const criterionOther = ['--debug', '--criterion-manifest-path', '--history-id', '--history-description', '--colors'];

/** `NAME=value cargo +toolchain bench --bench x -- --exact`, as words with their quotes. */
export interface CargoCommand {
  /** Words up to and including the subcommand. */
  readonly start: readonly string[];
  readonly subcommand: string;
  /** Words for cargo. */
  readonly cargoWords: readonly string[];
  /** Words after `--`, for the programs that cargo starts. */
  readonly programWords: readonly string[];
}

/** @returns undefined where the command does not run cargo, or is more than one simple command */
export function parseCargoCommand(command: string): CargoCommand | undefined {
  const words = splitWords(command);
  if (words === null) return undefined;
  const index = cargoSubcommandIndex(words);
  const subcommand = words[index];
  if (subcommand === undefined) return undefined;
  const rest = words.slice(index + 1);
  const separator = rest.indexOf('--');
  return {
    start: words.slice(0, index + 1),
    subcommand,
    cargoWords: separator === -1 ? rest : rest.slice(0, separator),
    programWords: separator === -1 ? [] : rest.slice(separator + 1),
  };
}

/** The subcommand of one simple `cargo` command; `other` for any other; `complex` for more than one simple command. */
export function cargoSubcommand(command: string): 'criterion' | 'bench' | 'other' | 'complex' {
  if (splitWords(command) === null) return 'complex';
  const subcommand = parseCargoCommand(command)?.subcommand;
  return subcommand === 'criterion' || subcommand === 'bench' ? subcommand : 'other';
}

/**
 * The part of a command that decides what cargo starts.
 *
 * @returns undefined where the command runs no cargo; `unknown` says why the started programs cannot be known
 */
export function startsKey(command: string): { readonly key: string } | { readonly unknown: string } | undefined {
  const cargo = parseCargoCommand(command);
  if (cargo === undefined) {
    return /(^|[\s;&|(])cargo\s/.test(command) ? { unknown: 'it is more than one simple cargo command' } : undefined;
  }
  const { subcommand, cargoWords } = cargo;
  if (!starting.includes(subcommand)) {
    return { unknown: `\`cargo ${subcommand}\` is none of ${starting.map((name) => `\`${name}\``).join(', ')}` };
  }
  if (subcommand === 'test' && !hasTargetFlag(cargoWords)) {
    return { unknown: 'it may test documentation; name its targets, as with `--test NAME`' };
  }
  const refused = ['--config', '--no-run', ...(subcommand === 'criterion' ? criterionOther : [])].find((flag) =>
    hasFlag(cargoWords, flag),
  );
  if (refused !== undefined) return { unknown: `it has \`${refused}\`` };
  const setting = cargo.start.find((word) => /^CARGO_(TARGET|BUILD)_/.test(word));
  if (setting !== undefined) return { unknown: `it sets \`${setting.split('=', 1)[0]}\`` };
  if (cargo.programWords.some((word) => /[*?[~{]/.test(word.replaceAll(/'[^']*'|"[^"]*"/g, '')))) {
    return { unknown: 'a shell makes names of files of its arguments' };
  }
  return { key: [...cargo.start, ...cargoWords].join(' ') };
}

/** Begins the line that names the program whose output follows: `bpfgate: output of PACKAGE/TARGET`. */
export const outputMark = 'bpfgate: output of ';

/** The bench target of a simple command that names one, and no other targets. */
export function namedTarget(command: string): string | undefined {
  const { cargoWords = [] } = parseCargoCommand(command) ?? {};
  const names = benchNames(cargoWords);
  if (names.length !== 1 || hasTargetFlag(cargoWords, ['--bench'])) return undefined;
  return /^[\w-]+$/.exec(names[0] ?? '')?.[0];
}

/** Values of `--bench`; empty for one without a value. */
export function benchNames(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (word.startsWith('--bench=')) return [word.slice('--bench='.length)];
    return word === '--bench' ? [words[index + 1] ?? ''] : [];
  });
}

/** Whether two texts name one target: cargo writes `_` for `-` in names of files and crates. */
export function isSameTarget(one: string, other: string): boolean {
  return one.replaceAll('-', '_') === other.replaceAll('-', '_');
}

/** Whether words for cargo choose some of the package's targets. */
export function hasTargetFlag(words: readonly string[], except: readonly string[] = []): boolean {
  return targetFlags.some((flag) => !except.includes(flag) && hasFlag(words, flag));
}

export function hasFlag(words: readonly string[], flag: string): boolean {
  return words.some((word) => word === flag || word.startsWith(`${flag}=`));
}

/** Index of the word after `NAME=value... cargo [+toolchain]`; past the end when the command does not begin so. */
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

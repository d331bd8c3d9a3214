// What cargo commands of benches start, found where the project is built: which program, in which folder, with which
// arguments and variables. cargo itself says so, by starting a script of ours in the place of each program (its `runner`).
// In a guest the programs are started without cargo, which under emulation takes several times as long as most of them.
// Pure.

import { type CargoCommand, parseCargoCommand, startsKey } from '../plan/cargo-command.ts';
import { shellQuote } from '../shell-quote.ts';
import { type CargoConfig, findRunner } from './cargo-runner.ts';

/** In the root of a built tree: what its cargo commands start, as `recordStarts` has it written. */
export const startsFile = '.bpfgate-starts';
/** Of that file, in bytes. */
export const maxStarts = 4 * 1024 * 1024;

/** By the cargo part of a command, as `startsKey` gives it. */
export type CargoStarts = Readonly<Record<string, CargoStart>>;

/** What a cargo command starts, or why that is not known. */
export type CargoStart =
  | { readonly programs: readonly StartedProgram[]; readonly criterion: CriterionAnswers | null }
  | { readonly unknown: string };

/** One program, as cargo starts it. */
export interface StartedProgram {
  /** Absolute; so is the program. */
  readonly folder: string;
  /** The runner's words, if there is one, the program, and its arguments; `argumentsMark` stands for those behind `--`. */
  readonly words: readonly string[];
  /** What cargo adds to the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** What stands before the rest of PATH; empty for nothing. */
  readonly path: string;
}

/** What cargo-criterion asks cargo. */
export interface CriterionAnswers {
  readonly targetDirectory: string;
  /** One JSON object in a line: programs, and where libraries lie. */
  readonly messages: string;
}

/** Of what a shell is given, in characters: Linux takes no argument of 128 KiB. */
const maxCommand = 100_000;
/** Stands for the arguments that a command has behind `--`. */
const argumentsMark = 'bpfgate-arguments';
/** What cargo-criterion takes for itself, each with a value, and cargo refuses. */
const criterionOwn = ['--message-format', '--output-format', '--plotting-backend'];
/** What bash itself sets, and the script that stands in for programs. */
const notCargos = /^(PWD|OLDPWD|SHLVL|_|CARGO_TARGET_\w+_RUNNER)$/;
/** What cargo-criterion has from cargo and rustup; benches get it from there. */
const criterionVariables = /^(CARGO|CARGO_HOME|RUSTUP_\w+|RUST_RECURSION_COUNT)$/;

/**
 * A script for bash that builds, and then has cargo say what it starts. It fails as the build does, and only then.
 *
 * @param command shell command that builds
 * @param keys of what is to be found out, by `startsKey`; the command alone is run where there is none
 * @param tree absolute path of the tree
 */
export function recordStarts(command: string, keys: readonly string[], tree: string): string {
  if (keys.length === 0) return command;
  const file = shellQuote(`${tree}/${startsFile}`);
  return `bash -c ${shellQuote(command)} || exit
folder=$(mktemp -d) && rm -rf ${file} || exit 0
trap 'rm -rf "$folder"' EXIT
say() { printf '%s %s\\n' "$1" "$(base64 -w0)" >>${file}; }
cat >"$folder/runner" <<'END'
triple=$1 runner=$2
shift 2
unset "\${!CARGO_TARGET_@}"
echo "run $triple $runner $({ printf '%s\\0' "$PWD" "$#" "$@"; env -0; } | base64 -w0)" >>${file}
END
cat >"$folder/before" <<'END'
env -0
END
bash "$folder/before" | say before
for triple in $(rustc --print target-list | grep -e -linux); do
  name=\${triple//[-.]/_}
  name=CARGO_TARGET_\${name^^}_RUNNER
  runner=\${!name}
  [ -z "$runner" ] || runner=$(base64 -w0 <<<"$runner")
  export "$name=bash $folder/runner $triple =$runner"
done
${keys.map(recordOne).join('\n')}
for triple in $(sed -n 's/^run \\([^ ]*\\) .*/\\1/p' ${file} | sort -u); do
  rustc --print cfg --target "$triple" | say "cfg $triple"
done
exit 0`;
}

function recordOne(key: string): string {
  const cargo = parseCargoCommand(key) as CargoCommand;
  const isCriterion = cargo.subcommand === 'criterion';
  const start = isCriterion ? [...cargo.start.slice(0, -1), 'bench'] : cargo.start;
  const words = isCriterion ? withoutValues(cargo.cargoWords, criterionOwn) : cargo.cargoWords;
  const asked = [...start, ...words].join(' ');
  const lines = [
    `printf %s ${shellQuote(key)} | say cargo`,
    `${asked} -- ${argumentsMark}; printf %s $? | say exit`,
    ...(isCriterion
      ? [
          `${asked} --no-run --message-format json-render-diagnostics | grep -e '"executable":"' -e '"linked_paths":\\["' | say messages`,
          `${start.slice(0, -1).join(' ')} metadata --no-deps --format-version 1 | say metadata`,
        ]
      : []),
  ];
  return lines.join('\n');
}

/** Without some options, which have their values in the same word or the next. */
function withoutValues(words: readonly string[], options: readonly string[]): string[] {
  return words.filter(
    (word, index) =>
      !options.some((option) => word === option || word.startsWith(`${option}=`) || words[index - 1] === option),
  );
}

/**
 * @param text of `startsFile`; a build can have written anything to it
 * @param configs cargo's configuration files, the nearest to the project first
 */
export function readStarts(text: string, configs: readonly CargoConfig[]): CargoStarts {
  const lines = text.split('\n').map((line) => {
    const words = line.split(' ');
    return { words, content: Buffer.from(words.at(-1) ?? '', 'base64').toString('utf8') };
  });
  const before = readVariables(lines.find(({ words }) => words[0] === 'before')?.content.split('\0') ?? []);
  const settings = new Map(
    lines.flatMap(({ words, content }) =>
      words[0] === 'cfg' ? [[words[1], new Set(content.split('\n'))] as const] : [],
    ),
  );
  const recorded = new Map<string, typeof lines>();
  let own: typeof lines = [];
  for (const line of lines) {
    if (line.words[0] === 'cargo') {
      own = [];
      recorded.set(line.content, own);
    } else own.push(line);
  }
  const starts = [...recorded].map(([key, own]): [string, CargoStart] => {
    const said = (kind: string) => own.find(({ words }) => words[0] === kind)?.content;
    const exit = said('exit');
    if (exit !== '0') return [key, { unknown: `where it is built, cargo exits with ${exit ?? 'nothing'}` }];
    const programs = own
      .filter(({ words }) => words[0] === 'run')
      .map(({ words: [, triple = '', runner = ''], content }) => {
        const given = Buffer.from(runner.slice(1), 'base64').toString('utf8').trim();
        const used =
          given === ''
            ? findRunner(configs, triple, settings.get(triple) ?? new Set())
            : given.split(' ').filter((word) => word !== '');
        return used && readProgram(content, used, before);
      });
    if (programs.length === 0) return [key, { unknown: 'it starts no program' }];
    if (!programs.every((program) => program !== undefined)) {
      return [key, { unknown: "the runner of cargo's configuration cannot be read" }];
    }
    if (parseCargoCommand(key)?.subcommand !== 'criterion') return [key, { programs, criterion: null }];
    const targetDirectory = readTargetDirectory(said('metadata') ?? '');
    if (targetDirectory === undefined) return [key, { unknown: 'cargo names no target folder' }];
    return [key, { programs, criterion: { targetDirectory, messages: said('messages') ?? '' } }];
  });
  return Object.fromEntries(starts);
}

function readProgram(
  content: string,
  runner: readonly string[],
  before: Readonly<Record<string, string>>,
): StartedProgram | undefined {
  const [folder = '', count = '', ...rest] = content.split('\0');
  const length = Number(count);
  if (!folder.startsWith('/') || !Number.isInteger(length) || length < 1 || length > rest.length) return undefined;
  const { PATH = '', ...after } = readVariables(rest.slice(length));
  const added = Object.entries(after).filter(([name, value]) => !notCargos.test(name) && before[name] !== value);
  const end = `:${before.PATH ?? ''}`;
  return {
    folder,
    words: [...runner, ...rest.slice(0, length)],
    variables: Object.fromEntries(added),
    path: PATH.endsWith(end) ? PATH.slice(0, -end.length) : '',
  };
}

function readVariables(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(entry) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

function readTargetDirectory(metadata: string): string | undefined {
  try {
    const { target_directory: folder } = JSON.parse(metadata);
    return typeof folder === 'string' ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The same command without cargo, where it is known what that starts; for `sh` in a guest.
 *
 * @param command as it stands in the plan
 */
export function withoutCargo(command: string, starts: CargoStarts): string {
  const found = startsKey(command);
  const cargo = parseCargoCommand(command);
  if (found === undefined || 'unknown' in found || cargo === undefined) return command;
  const start = starts[found.key];
  if (start === undefined || 'unknown' in start) return command;
  const direct =
    start.criterion === null
      ? startAll(cargo, start.programs)
      : answerCriterion(cargo, start.criterion, start.programs);
  return direct.length > maxCommand ? command : direct;
}

function startAll({ programWords }: CargoCommand, programs: readonly StartedProgram[]): string {
  return programs
    .map(({ folder, words, variables, path }) => {
      const given = words.flatMap((word) => (word === argumentsMark ? programWords : [shellQuote(word)]));
      const own = [...assign(variables), ...(path === '' ? [] : [`${shellQuote(`PATH=${path}:`)}"$PATH"`])];
      return `(cd ${shellQuote(folder)} && exec env ${[...own, ...given].join(' ')})`;
    })
    .join(' && ');
}

/** cargo-criterion starts the programs itself. What it asks cargo is answered by a script, which passes on all else. */
function answerCriterion(
  { cargoWords, programWords }: CargoCommand,
  criterion: CriterionAnswers,
  programs: readonly StartedProgram[],
): string {
  const { variables = {}, path = '' } = programs[0] ?? {};
  const kept = Object.entries(variables).filter(([name]) => criterionVariables.test(name));
  const script = `#!/bin/sh
case $1 in
metadata) echo ${shellQuote(JSON.stringify({ target_directory: criterion.targetDirectory }))} ;;
bench) printf %s ${shellQuote(criterion.messages)} ;;
*) PATH=\${PATH#*:} exec cargo "$@" ;;
esac
`;
  const own = [
    ...assign(Object.fromEntries(kept)),
    `PATH="$cargo:"${path === '' ? '' : shellQuote(`${path}:`)}"$PATH"`,
  ];
  const words = ['cargo-criterion', 'criterion', ...cargoWords, '--', ...programWords];
  return `(cargo=$(mktemp -d) && printf %s ${shellQuote(script)} >"$cargo/cargo" && chmod +x "$cargo/cargo" && exec env ${[...own, ...words].join(' ')})`;
}

function assign(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => shellQuote(`${name}=${value}`));
}

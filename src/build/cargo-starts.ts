// Build: finds what the cargo commands of benches start, where the project is built: program, folder, arguments and
// variables. cargo itself gives these to a script of ours, which it starts in place of each program (its `runner`). In
// a guest the programs are started without cargo, which under emulation takes several times as long as most do. Pure.

import { basename, resolve } from 'node:path';
import { shellQuote } from '../common/shell-quote.ts';
import type { CargoStart, CargoStarts, CriterionAnswers, RevisionName, StartedProgram } from '../model/build.ts';
import {
  type CargoCommand,
  isSameTarget,
  namedTarget,
  outputMark,
  parseCargoCommand,
  startsKey,
} from '../plan/cargo-command.ts';
import { type CargoConfig, findRunner } from './cargo-runner.ts';

/** File in the root of a built tree that lists what its cargo commands start, written by `recordStarts`. */
export const startsFile = '.bpfgate-starts';
/** Maximum size of that file, in bytes. */
export const maxStarts = 4 * 1024 * 1024;

/** Maximum characters of a command: Linux refuses an argument of 128 KiB. */
const maxCommand = 100_000;
/** Placeholder for the arguments that a command has after `--`. */
const argumentsMark = 'bpfgate-arguments';
/** Options of cargo-criterion itself, each with a value. cargo refuses them. */
const criterionOwn = ['--message-format', '--output-format', '--plotting-backend'];
/** Variables that bash itself sets. */
const notCargos = /^(PWD|OLDPWD|SHLVL|_)$/;
/** Maximum lines of a record, and targets in it. */
const maxLines = 10_000;
const maxTriples = 10;
/** Variables that cargo-criterion gets from cargo and rustup, and passes on to benches. */
const criterionVariables = /^(CARGO|CARGO_HOME|RUSTUP_\w+|RUST_RECURSION_COUNT)$/;

/**
 * Makes a bash script that builds, and then records what cargo starts. It fails as the build does, and only then.
 *
 * One command may overwrite what the build or another command left, such as a binary with other features. Then nothing
 * is recorded, and the build runs once more.
 *
 * @param command shell command that builds
 * @param keys keys of the commands to record, by `startsKey`; without any, only `command` is run
 * @param tree absolute path of the tree
 */
export function recordStarts(command: string, keys: readonly string[], tree: string): string {
  if (keys.length === 0) return command;
  const file = shellQuote(`${tree}/${startsFile}`);
  return `bash -c ${shellQuote(command)} || exit
triples=$(rustc --print target-list | grep -e -linux) && folder=$(mktemp -d) && rm -rf ${file} || exit 0
trap 'rm -rf "$folder"' EXIT
say() { printf '%s %s\\n' "$1" "$(base64 -w0)" >>${file}; }
cat >"$folder/environment" <<'END'
unset \${!CARGO_TARGET_@}
env -0 | sort -z
END
cat >"$folder/runner" <<'END'
triple=$1 runner=$2
shift 2
added=$(bash "\${0%/*}/environment" | comm -z -13 "\${0%/*}/before" - | base64 -w0)
echo "run $triple $runner $(printf '%s\\0' "$PWD" "$@" | base64 -w0) $added" >>${file}
END
bash "$folder/environment" >"$folder/before"
printf %s "$PATH" | say path
programs() { find ${shellQuote(tree)} -path '*/target/*' -type f -executable ! -path '*/deps/*' ! -path '*/build/*' -exec sha256sum {} +; }
programs >"$folder/programs"
for triple in $triples; do
  name=\${triple//[-.]/_}
  name=CARGO_TARGET_\${name^^}_RUNNER
  runner=\${!name}
  [ -z "$runner" ] || runner=$(base64 -w0 <<<"$runner")
  export "$name=bash $folder/runner $triple =$runner"
done
${keys.map(recordOne).join('\n')}
if sort -u "$folder/programs" | cut -c67- | sort | uniq -d | grep -q .; then
  rm ${file}
  unset \${!CARGO_TARGET_@}
  bash -c ${shellQuote(command)}
  exit
fi
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
    `${asked} -- ${argumentsMark}; printf %s $? | say exit; programs >>"$folder/programs"`,
    ...(isCriterion
      ? [
          `${asked} --no-run --message-format json-render-diagnostics | grep -e '"executable":"' -e '"linked_paths":\\["' | say messages`,
          `${start.slice(0, -1).join(' ')} metadata --no-deps --format-version 1 | say metadata`,
        ]
      : []),
  ];
  return lines.join('\n');
}

/** Removes options, whose values are in the same word or the next. */
function withoutValues(words: readonly string[], options: readonly string[]): string[] {
  return words.filter(
    (word, index) =>
      !options.some((option) => word === option || word.startsWith(`${option}=`) || words[index - 1] === option),
  );
}

/**
 * @param text content of `startsFile`; a build can have written anything to it
 * @param configs cargo's configuration files, the nearest to the project first; undefined where one cannot be read
 * @param tree absolute path of the tree; a program that lies elsewhere may be gone by the time it is started
 * @param projectPath path of the project below it
 */
export function readStarts(
  text: string,
  configs: readonly CargoConfig[] | undefined,
  tree: string,
  projectPath: string,
): CargoStarts {
  const project = resolve(tree, projectPath);
  const lines = text.split('\n', maxLines).map((line) => {
    const [kind = '', ...words] = line.split(' ');
    return { kind, words, content: decode(words.at(-1)) };
  });
  const path = lines.find(({ kind }) => kind === 'path')?.content ?? '';
  const runners = new Map<string, readonly string[] | undefined>();
  for (const { kind, words, content } of lines) {
    const [triple = ''] = words;
    if (kind !== 'cfg' || runners.has(triple) || runners.size > maxTriples) continue;
    runners.set(triple, configs && findRunner(configs, triple, new Set(content.split('\n'))));
  }
  const recorded = new Map<string, typeof lines>();
  let own: typeof lines = [];
  for (const line of lines) {
    if (line.kind === 'cargo') {
      own = [];
      recorded.set(line.content, own);
    } else own.push(line);
  }
  return Object.fromEntries(
    [...recorded].map(([key, own]) => [key, readStart(key, own, { path, runners, tree, project })]),
  );
}

function decode(word = ''): string {
  return Buffer.from(word, 'base64').toString('utf8');
}

interface Recorded {
  readonly kind: string;
  readonly words: readonly string[];
  readonly content: string;
}

interface Surroundings {
  /** PATH before cargo and rustup added to it. */
  readonly path: string;
  /** The configuration's runner by triple; undefined where it is not known. */
  readonly runners: ReadonlyMap<string, readonly string[] | undefined>;
  readonly tree: string;
  /** Absolute path of the project's folder. */
  readonly project: string;
}

function readStart(key: string, own: readonly Recorded[], surroundings: Surroundings): CargoStart {
  const said = (kind: string) => own.find((line) => line.kind === kind)?.content;
  const exit = said('exit') ?? '';
  if (exit !== '0') {
    const how = /^\d{1,3}$/.test(exit) ? `exits with ${exit}` : 'does not end';
    return { unknown: `where it is built, cargo ${how}` };
  }
  const programs: StartedProgram[] = [];
  for (const { kind, words } of own) {
    if (kind !== 'run') continue;
    const program = readProgram(words, surroundings);
    if (typeof program === 'string') return { unknown: program };
    programs.push(program);
  }
  if (programs.length === 0) return { unknown: 'it starts no program' };
  if (parseCargoCommand(key)?.subcommand !== 'criterion') return { programs, criterion: null };
  const targetDirectory = readTargetDirectory(said('metadata') ?? '');
  if (targetDirectory === undefined) return { unknown: 'cargo names no target folder' };
  return { programs, criterion: { targetDirectory, messages: said('messages') ?? '' } };
}

/** @returns the program, or why it cannot be started */
function readProgram(
  words: readonly string[],
  { path, runners, tree, project }: Surroundings,
): StartedProgram | string {
  const [triple = '', runner = '', started, environment] = words;
  const [folder = '', program = '', ...rest] = decode(started).split('\0');
  // Each entry ends with a NUL.
  const own = rest.slice(0, -1);
  if (!folder.startsWith('/') || program === '') return 'its record is of another form';
  if (!resolve(folder, program).startsWith(`${tree}/`)) return 'it starts a program outside of the tree';
  const given = decode(runner.slice(1)).trim();
  const used = given === '' ? runners.get(triple) : given.split(' ').filter((word) => word !== '');
  if (used === undefined) return "the runner of cargo's configuration cannot be read";
  const { PATH = '', ...added } = readVariables(decode(environment).split('\0'));
  const end = `:${path}`;
  return {
    package: added.CARGO_MANIFEST_DIR === project ? '' : (added.CARGO_PKG_NAME ?? ''),
    target: basename(program).replace(/-[0-9a-f]{16}$/, ''),
    folder,
    words: [...used, program, ...own],
    variables: Object.fromEntries(Object.entries(added).filter(([name]) => !notCargos.test(name))),
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
 * Leaves to cargo, in both revisions, a command of which it is unknown in one what it starts. Benchmarks are named by
 * the program that prints them, which is not known where cargo starts it.
 */
export function equalizeStarts<Own extends { readonly starts: CargoStarts }>(builds: Record<RevisionName, Own>) {
  const isKnown = (starts: CargoStarts, key: string) => starts[key] !== undefined && !('unknown' in starts[key]);
  const equalize = (own: Own, other: Own): Own => {
    const starts = Object.entries(own.starts).map(([key, start]) => [
      key,
      isKnown(other.starts, key) ? start : { unknown: 'it is not known what it starts in the other revision' },
    ]);
    return { ...own, starts: Object.fromEntries(starts) };
  };
  return { base: equalize(builds.base, builds.head), head: equalize(builds.head, builds.base) };
}

/**
 * Makes the same command without cargo, for `sh` in a guest, where it is known what cargo starts. Where the package or
 * target is not plain from the command, a line of output names it before the program's own.
 *
 * @param command as it stands in the plan
 * @param around wraps the command of each program; where cargo is run, that of cargo
 */
export function withoutCargo(
  command: string,
  starts: CargoStarts,
  around: (command: string) => string = (own) => own,
): string {
  const found = startsKey(command);
  const cargo = parseCargoCommand(command);
  if (found === undefined || 'unknown' in found || cargo === undefined) return around(command);
  const start = starts[found.key];
  if (start === undefined || 'unknown' in start) return around(command);
  const { criterion } = start;
  const programs = criterion === null ? start.programs : start.programs.filter((own) => answersFor(criterion, own));
  const named = namedTarget(command);
  const direct = programs
    .map((program, index) => {
      const target = named !== undefined && isSameTarget(named, program.target) ? '' : program.target;
      const isPlain = programs.length === 1 && target === '' && program.package === '';
      // The output before may end within a line.
      const mark = `${index === 0 ? '' : '\\n'}${outputMark}%s\\n`;
      const said = isPlain ? '' : `printf '${mark}' ${shellQuote(`${program.package}/${target}`)} && `;
      const own = criterion === null ? startProgram(cargo, program) : answerCriterion(cargo, criterion, program);
      return `${said}${around(own)}`;
    })
    .join(' && ');
  return direct === '' || direct.length > maxCommand ? around(command) : direct;
}

function startProgram({ programWords }: CargoCommand, { folder, words, variables, path }: StartedProgram): string {
  const given = words.flatMap((word) => (word === argumentsMark ? programWords : [shellQuote(word)]));
  const own = [...assign(variables), ...(path === '' ? [] : [`${shellQuote(`PATH=${path}:`)}"$PATH"`])];
  return `env --chdir=${shellQuote(folder)} ${[...own, ...given].join(' ')}`;
}

/** Lines of cargo's answer that concern one program: its own, and where libraries lie. */
function answersFor({ messages }: CriterionAnswers, { folder, words }: StartedProgram): string {
  const own = messages.split('\n').filter((line) => line !== '');
  const executables = own.map(executableOf);
  const isOwn = executables.map((each) => each !== undefined && words.some((word) => resolve(folder, word) === each));
  if (!isOwn.includes(true)) return '';
  return own.flatMap((line, index) => (isOwn[index] || executables[index] === undefined ? [`${line}\n`] : [])).join('');
}

function executableOf(message: string): string | undefined {
  try {
    const { executable } = JSON.parse(message);
    return typeof executable === 'string' ? executable : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Runs cargo-criterion for one program, which it starts itself. A script answers for cargo, and passes on the rest.
 */
function answerCriterion(
  { start, cargoWords, programWords }: CargoCommand,
  criterion: CriterionAnswers,
  program: StartedProgram,
): string {
  const { variables, path } = program;
  const kept = Object.entries(variables).filter(([name]) => criterionVariables.test(name));
  const script = `#!/bin/sh
case $1 in
metadata) printf '%s\\n' ${shellQuote(JSON.stringify({ target_directory: criterion.targetDirectory }))} ;;
bench) printf %s ${shellQuote(answersFor(criterion, program))} ;;
*) PATH=\${PATH#*:} exec cargo "$@" ;;
esac
`;
  const own = [
    ...assign(Object.fromEntries(kept)),
    ...start.slice(0, start.indexOf('cargo')),
    `PATH="$cargo:"${path === '' ? '' : shellQuote(`${path}:`)}"$PATH"`,
  ];
  const words = ['cargo-criterion', 'criterion', ...cargoWords, '--', ...programWords];
  return `(cargo=$(mktemp -d) && printf %s ${shellQuote(script)} >"$cargo/cargo" && chmod +x "$cargo/cargo" && exec env ${[...own, ...words].join(' ')})`;
}

function assign(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => shellQuote(`${name}=${value}`));
}

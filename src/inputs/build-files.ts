// Inputs: what the files of build tools say is run and linked, as far as their text shows it. Nothing is evaluated, and
// no more is claimed than that a name stands where a program or a library is named. Pure.

import { type ShellCommand, shellCommands } from '../common/shell-commands.ts';

/** What one file of a build names. */
export interface BuildFile {
  readonly commands: readonly ShellCommand[];
  /** Names of libraries, as of pkg-config or the linker: `libelf`, `elf`. */
  readonly libraries: readonly string[];
  /** Other files of the build, relative to this one's folder; a folder stands for the same kind of file in it. */
  readonly includes: readonly string[];
}

/** Variables of one file, with the number of characters by which they may still lengthen its text. */
export class Variables extends Map<string, string> {
  left = 1024 * 1024;
}

const maxExpansion = 20_000;
const maxDepth = 5;
const maxLine = 1000;

/** Replaces `$(NAME)`, `${NAME}` and, for a shell, `$NAME`. Unknown names and calls of functions stay. */
function expand(text: string, variables: Variables): string {
  if (variables.left <= 0) return text;
  const expanded = expandFrom(text, variables, 0);
  variables.left -= Math.max(0, expanded.length - text.length);
  return expanded;
}

function expandFrom(text: string, variables: Variables, depth: number): string {
  if (depth >= maxDepth || text.length > maxExpansion) return text.slice(0, maxExpansion);
  const expanded = text.replaceAll(/\$\(([\w.-]+)\)|\$\{([\w.-]+)\}|(?<!\$)\$([A-Za-z_]\w*)/g, (whole, a, b, c) => {
    return variables.get(a ?? b ?? c) ?? whole;
  });
  const plain = expanded.replaceAll(/\$\((?:abspath|realpath|strip) ([^()$]*)\)/g, '$1');
  return plain === text ? text : expandFrom(plain, variables, depth + 1);
}

function command(...words: readonly string[]): ShellCommand {
  return { folder: '.', words };
}

/** Libraries that a compiler is asked for. */
function linked(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])-l ?([A-Za-z][\w+-]*)/g)].map(([, name = '']) => name);
}

const words = (text: string) => text.split(/[\s;,()[\]'"]+/).filter((word) => word !== '');

interface Rule {
  readonly targets: readonly string[];
  readonly needs: readonly string[];
  readonly recipe: string[];
}

/**
 * Reads a Makefile, or a Makefile.am. Of the rules with plain names only those count that the goals need.
 *
 * @param goals targets that are asked for. Default: the Makefile's own
 */
export function readMakefile(
  text: string,
  goals: readonly string[] = [],
  given?: Variables,
): BuildFile & { readonly variables: Variables; readonly rules: readonly Rule[] } {
  const variables: Variables =
    given ??
    new Variables([
      ['MAKE', 'make'],
      ['CC', 'cc'],
      ['CXX', 'c++'],
      ['CURDIR', '.'],
    ]);
  const rules: Rule[] = [];
  const includes: string[] = [];
  let rule: Rule | undefined;
  for (const line of text.replaceAll(/\\\r?\n[ \t]*/g, ' ').split('\n')) {
    if (line.startsWith('\t') && rule !== undefined) {
      rule.recipe.push(line.slice(1));
      continue;
    }
    const plain = line.replace(/(^|\s)#.*/, '').trim();
    const [, name, how, value = ''] =
      /^(?:export\s+|override\s+)*([\w.-]+)\s*(\?|\+|!|:{1,3})?=\s*(.*)$/.exec(plain) ?? [];
    if (name !== undefined) {
      // What only the shell finds is known by the variable's name.
      const found = /^\$\(shell\s/.test(value) && /^(?:CLANG|LLC|LLVM_[A-Z]+|BPFTOOL|PAHOLE)$/.test(name);
      if (found) variables.set(name, name.toLowerCase().replace('_', '-'));
      else if (how === '+') variables.set(name, `${variables.get(name) ?? ''} ${value}`);
      // What make knows by itself is no value that `?=` would leave.
      else if (how !== '?' || !variables.has(name) || ['CC', 'CXX'].includes(name)) variables.set(name, value);
      continue;
    }
    const included = /^[-s]?include\s+(.+)$/.exec(plain)?.[1];
    if (included !== undefined) includes.push(...words(expand(included, variables)));
    const [, targets, needs = ''] = /^([^:=]+)::?(?!=)(.*)$/.exec(plain) ?? [];
    if (
      targets === undefined ||
      /^(?:ifn?(?:eq|def)|else|define|\$\((?:call|eval|foreach|if|info|warning|error)\s)/.test(plain)
    ) {
      if (plain !== '' && !/^(?:ifn?(?:eq|def)|else|endif)\b/.test(plain)) rule = undefined;
      continue;
    }
    const [before = '', ...inline] = needs.split(';');
    rule = {
      targets: words(expand(targets, variables)),
      needs: words(expand(before.split(':').at(-1) ?? '', variables)),
      recipe: inline.length === 0 ? [] : [inline.join(';')],
    };
    rules.push(rule);
  }
  const recipes = reachable(rules, goals, variables).flatMap(({ recipe }) => recipe);
  const lines = recipes.map((line) => {
    const expanded = expand(line.replaceAll('$$', '\\$'), variables).replaceAll('$(shell ', '$(');
    return expanded.replace(/^[@+\s-]+/, '');
  });
  return {
    commands: lines.flatMap((line) => shellCommands(line)),
    libraries: lines.flatMap(linked),
    includes,
    variables,
    rules,
  };
}

/** Targets that no build asks for. */
const upkeep = /^(?:.*clean|dist.*|check.*|test.*|(?:un)?install.*|lint|format|docs?)(?:[-_]|$)/;

/** Targets that compile BPF programs by their name. */
const compiling = /^(?:(?:build|compile|make|gen|generate)[-_])?e?bpf$/;

/** Reads a Makefile.am, of which make builds everything, also in its folders. */
export function readAutomake(text: string): BuildFile {
  const targets = [...text.matchAll(/^([\w./-]+)[ \t]*:(?!=)/gm)].map(([, name = '']) => name);
  const {
    variables,
    rules: _,
    ...file
  } = readMakefile(
    text,
    targets.filter((name) => !upkeep.test(name)),
  );
  return { ...file, includes: [...file.includes, ...words(variables.get('SUBDIRS') ?? '')] };
}

/**
 * Finds the goal by which a Makefile compiles BPF programs.
 *
 * @param unset variables that directives of bpf2go expand, some of which the Makefile sets for `go generate`; undefined
 * where a compiler for BPF is run
 * @param isFile whether the tree has a file of this name, which make may find to be up to date
 */
export function programGoal(
  text: string,
  unset: readonly string[] | undefined,
  isFile: (target: string) => boolean,
): string | undefined {
  const { variables, rules } = readMakefile(text);
  const compiles = /-target[ =]bpf/;
  const isWanted = (name: string) => name.startsWith('BPF2GO_') || (unset ?? []).includes(name);
  const exports = text.matchAll(/^(?:[\w.-]+:[ \t]*)?export[ \t]+(\w[\w \t]*)/gm);
  const doesExport = [...exports].some(([, names = '']) => words(names).some(isWanted));
  const makes = (line: string) => {
    const expanded = expand(line, variables);
    const [before = '', after] = expanded.split(/\bgo generate\b/, 2);
    const sets = doesExport || [...before.matchAll(/\b(\w+)=/g)].some(([, name = '']) => isWanted(name));
    const isMade = unset === undefined ? compiles.test(expanded) : after !== undefined && sets;
    return isMade && !/\b(?:docker|podman)\b/.test(expanded);
  };
  const own = new Set(rules.filter(({ recipe }) => recipe.some(makes)).flatMap(({ targets }) => targets));
  if (own.size === 0 && (unset !== undefined || !compiles.test(text))) return undefined;
  // A name says more than a recipe: one of several files, or in a `define`. It may say nothing of `go generate`.
  const named = rules
    .filter(({ targets, needs }) => unset === undefined || [...targets, ...needs].some((name) => own.has(name)))
    .flatMap(({ targets }) => targets)
    .filter((name) => (unset === undefined ? compiling : /^(?:[a-z]+[-_])?e?bpf$/).test(name));
  return [...named, ...own].find((name) => /^\w[\w./-]*$/.test(name) && !upkeep.test(name) && !isFile(name));
}

/** Rules that a build of the goals may use: all but those with plain names that nothing of it needs. */
function reachable(rules: readonly Rule[], goals: readonly string[], variables: Variables): Rule[] {
  const plain = (name: string) => /^[\w./-]+$/.test(name);
  const byTarget = new Map<string, Rule[]>();
  for (const rule of rules) {
    for (const target of rule.targets) {
      const known = byTarget.get(target);
      if (known === undefined) byTarget.set(target, [rule]);
      else known.push(rule);
    }
  }
  const first = rules.flatMap(({ targets }) => targets).find((name) => plain(name) && !/^\.[A-Z]/.test(name));
  const own = variables.get('.DEFAULT_GOAL') ?? first;
  const wanted = new Set(goals.length > 0 ? goals : own === undefined ? [] : [own.trim()]);
  const used = new Set<Rule>();
  const others = new Set(rules.filter(({ targets }) => !targets.every(plain)));
  for (const rule of others) for (const need of rule.needs) wanted.add(need);
  // The loop also visits names that are added meanwhile.
  for (const name of wanted) {
    for (const rule of byTarget.get(name) ?? []) {
      if (used.has(rule)) continue;
      used.add(rule);
      for (const need of rule.needs) wanted.add(need);
    }
  }
  return rules.filter((rule) => used.has(rule) || others.has(rule));
}

/** Reads a shell script, such as a hand-written `configure`, in which `${CLANG:=clang}` names a default. */
export function readScript(text: string): BuildFile {
  const variables = new Variables();
  for (const [, name = '', value = ''] of text.matchAll(/\$\{([A-Z_]\w*):?[=-]([\w./-]+)\}/g))
    variables.set(name, value);
  for (const [, name = '', value = ''] of text.matchAll(/^[ \t]*([A-Z_]\w*)=["']?([\w./-]+)["']?[ \t]*$/gm)) {
    if (!variables.has(name)) variables.set(name, value);
  }
  const defaults = [...variables.values()].map((value) => command(value));
  return { commands: [...shellCommands(expand(text, variables)), ...defaults], libraries: linked(text), includes: [] };
}

/** Reads a CMakeLists.txt, or a module of one. */
export function readCMake(text: string): BuildFile {
  const plain = text.replaceAll(/#[^\n]*/g, '');
  const calls = [...plain.matchAll(/\b([A-Za-z_]\w*)\s*\(([^()]*)\)/g)].map(([, name = '', all = '']) => ({
    name: name.toLowerCase(),
    args: words(all),
    text: all,
  }));
  const variables = new Variables(
    ['CMAKE_SOURCE_DIR', 'CMAKE_CURRENT_SOURCE_DIR', 'CMAKE_CURRENT_LIST_DIR', 'PROJECT_SOURCE_DIR'].map((name) => [
      name,
      '.',
    ]),
  );
  const commands: ShellCommand[] = [];
  const libraries: string[] = [];
  const includes: string[] = [];
  const modules = ['cmake', 'cmake/modules'];
  for (const { name, args, text } of calls) {
    const [first = '', ...rest] = args.map((word) => expand(word, variables));
    if (name === 'set') variables.set(first, rest[0] ?? '');
    if ((name === 'set' || name === 'list') && args.includes('CMAKE_MODULE_PATH')) modules.push(...rest);
    if (name === 'project' || name === 'enable_language') {
      const languages = name === 'project' ? rest : args;
      const isPlain = !languages.some((language) => /^(?:C|CXX|NONE|LANGUAGES)$/.test(language));
      if (isPlain || languages.includes('C')) commands.push(command('cc'));
      if (isPlain || languages.includes('CXX')) commands.push(command('c++'));
    }
    if (name === 'find_program') {
      const program = rest.find((word) => !/^[A-Z_]+$/.test(word)) ?? '';
      variables.set(first, program);
      commands.push(command(program));
    }
    if (name === 'pkg_check_modules' || name === 'pkg_search_module') {
      commands.push(command('pkg-config'));
      libraries.push(...rest.map((word) => word.replace(/[<>=].*/, '')));
    }
    if (name === 'find_package') {
      libraries.push(first.toLowerCase());
      includes.push(`Find${first}.cmake`, ...modules.map((folder) => `${folder}/Find${first}.cmake`));
    }
    if (name === 'target_link_libraries' || name === 'find_library') libraries.push(...rest, ...linked(text));
    if (name === 'add_subdirectory') includes.push(first);
    if (name === 'include') includes.push(first.endsWith('.cmake') ? first : `${first}.cmake`);
    for (const run of ` ${expand(text, variables)}`.split(/\s\w*COMMAND\s/).slice(1)) {
      commands.push(...shellCommands(run.trim().split('\n', 1)[0] ?? ''));
    }
  }
  return { commands, libraries, includes };
}

/** Reads a meson.build. What is marked `required: false` is left out. */
export function readMeson(text: string): BuildFile {
  const plain = text.replaceAll(/(^|\s)#[^\n]*/g, '$1');
  const commands: ShellCommand[] = [];
  const libraries: string[] = [];
  const includes: string[] = [];
  for (const [, name = '', all = ''] of plain.matchAll(/\b([a-z_]+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)/g)) {
    const literals = [...all.matchAll(/'([^'\n]*)'/g)].map(([, literal = '']) => literal);
    const [first = ''] = literals;
    if (/\brequired\s*:\s*false/.test(all)) continue;
    if (/^(?:find_program|run_command)$/.test(name) && literals.length > 0) commands.push(command(...literals));
    if (name === 'dependency' || name === 'find_library') libraries.push(first);
    if (name === 'subdir') includes.push(first);
    if (name === 'project') commands.push(...literals.slice(1).flatMap((each) => compilers[each] ?? []));
    const run = /\bcommand\s*:\s*\[\s*'([^'\n]+)'/.exec(all)?.[1];
    if (run !== undefined) commands.push(command(run));
  }
  if (libraries.length > 0) commands.push(command('pkg-config'));
  return { commands, libraries, includes };
}

const compilers: Readonly<Record<string, ShellCommand>> = {
  c: command('cc'),
  cpp: command('c++'),
  rust: command('cargo'),
};

/** Programs that stand for macros of autoconf. */
const macros: Readonly<Record<string, string>> = {
  AC_PROG_CC: 'cc',
  AC_PROG_CXX: 'c++',
  AC_PROG_LEX: 'flex',
  AC_PROG_YACC: 'bison',
  AM_INIT_AUTOMAKE: 'automake',
  AM_PATH_PYTHON: 'python3',
  LT_INIT: 'libtoolize',
  AC_PROG_LIBTOOL: 'libtoolize',
  PKG_PROG_PKG_CONFIG: 'pkg-config',
  PKG_CHECK_MODULES: 'pkg-config',
};

/** Reads a configure.ac. */
export function readAutoconf(text: string): BuildFile {
  const plain = text.replaceAll(/(^|\s)(?:#|dnl\b)[^\n]*/g, '$1');
  const commands = [command('autoconf'), command('make')];
  const libraries: string[] = [];
  for (const [, name = '', all = ''] of plain.matchAll(/\b(A[CMX]_\w+|LT_INIT|PKG_\w+)\b(?:\(([^()]*))?/g)) {
    const program = macros[name];
    if (program !== undefined) commands.push(command(program));
    const args = all.split(',');
    if (/^A[CX]_(?:PATH|CHECK)_(?:PROGS?|TOOLS?)$/.test(name)) {
      commands.push(
        ...words(args[1] ?? '')
          .slice(0, 1)
          .map((each) => command(each)),
      );
    }
    if (name === 'PKG_CHECK_MODULES') libraries.push(...words(args[1] ?? ''));
    if (name === 'AC_CHECK_LIB') libraries.push(...words(args[0] ?? ''));
    if (name === 'AC_SEARCH_LIBS') libraries.push(...words(args[1] ?? '').slice(0, 1));
  }
  return { commands, libraries, includes: ['Makefile.am'] };
}

/** Commands of a Go file's directives, and the libraries that its C parts are linked with. */
export function readGo(text: string): BuildFile {
  const lines = text.split('\n').map((line) => line.slice(0, maxLine));
  const directives = lines.filter((line) => line.startsWith('//go:generate ')).map((line) => line.slice(14));
  const cgo = lines.map((line) => /^(?:\/\/|\*)? ?#cgo\b.*?\b(LDFLAGS|pkg-config):(.*)/.exec(line.trim()) ?? []);
  const isC = /^import "C"/m.test(text);
  return {
    commands: [...directives.flatMap((run) => shellCommands(run)), ...(isC ? [command('cc')] : [])],
    libraries: cgo.flatMap(([, kind, rest = '']) => (kind === 'pkg-config' ? words(rest) : linked(rest))),
    includes: [],
  };
}

/** Programs that a Rust source starts. */
export function readRust(text: string): BuildFile {
  const started = [...text.matchAll(/\bCommand::new\(\s*"([^"\n]+)"/g)].map(([, program = '']) => command(program));
  return { commands: started, libraries: [], includes: [] };
}

/** What builds a project, in a stage of a Dockerfile. */
const builds = /\b(?:make|ninja|meson|cmake|cargo|clang|configure|go (?:build|generate|install))\b/;

/** Packages that the stages of a Dockerfile install by apt, where they also build. */
export function readDockerfile(text: string): string[] {
  const stages = text
    .replaceAll(/\\\r?\n/g, ' ')
    .split(/^FROM\b/gim)
    .slice(1);
  return stages.flatMap((stage) => {
    const runs = [...stage.matchAll(/^RUN\b([^\n]*)/gim)].flatMap(([, run = '']) => shellCommands(run));
    const [installs, others] = [true, false].map((is) =>
      runs.filter(({ words: [program] }) => /^apt(-get)?$/.test(program ?? '') === is),
    );
    if (!others?.some(({ words }) => builds.test(words.join(' ')))) return [];
    const named = (installs ?? []).flatMap(({ words }) => (words.includes('install') ? words.slice(1) : []));
    return named.filter((name) => /^[a-z0-9][\w.+-]*$/.test(name));
  });
}

// Adapter: follows the commands that build and measure a project through its tree: what they run, what is linked, which
// lock files they use. `init`, `doctor`, `run` and its downloads all go by this one reading. It names what stands in the
// files, which can be more than a build uses, and less where only a program of the project knows.

import { join, posix } from 'node:path';
import { table } from '../common/cargo-manifest.ts';
import { resolveBelow } from '../common/paths.ts';
import { type ShellCommand, shellCommands } from '../common/shell-commands.ts';
import {
  type BuildFile,
  readAutoconf,
  readAutomake,
  readCMake,
  readDockerfile,
  readGo,
  readMakefile,
  readMeson,
  readRust,
  readScript,
  Variables,
} from '../inputs/build-files.ts';
import { makefileNames } from '../inputs/manifest.ts';
import { type CargoPackage, type CargoWorkspace, readCargo, readSettings } from './cargo-workspace.ts';
import type { SourceTree } from './source-tree.ts';
import { findToolchainFile, isReleasedToolchain } from './toolchain-file.ts';

/** A command of bpfgate.toml, with its name for messages. */
export interface NamedCommand {
  readonly what: string;
  readonly command: string;
}

/** eBPF programs in Rust that a build compiles. */
export interface RustPrograms {
  /** Folder of their package, or of the one whose build script compiles them. */
  readonly folder: string;
  /** What compiles them: a clause such as `xdp's build script uses aya-build`. */
  readonly by: string;
  /** The rustup toolchain; undefined for the one that is active outside of the project. */
  readonly toolchain: string | undefined;
  /** Whether the standard library's source is compiled for them. */
  readonly buildsStd: boolean;
}

/** What a build needs. Each name comes with what names it, such as `examples/Makefile`. */
export interface BuildNeeds {
  readonly programs: ReadonlyMap<string, string>;
  readonly libraries: ReadonlyMap<string, string>;
  /** Packages of the distribution that a Dockerfile of the build installs. */
  readonly packages: ReadonlyMap<string, string>;
  readonly rust: readonly RustPrograms[];
  /** The manifests whose dependencies cargo resolves, each with a lock file of its own; their folders. */
  readonly cargo: ReadonlySet<string>;
  /** Folders of Go modules. */
  readonly go: ReadonlySet<string>;
}

const maxFiles = 300;
const maxDockerfiles = 5;
const maxGoFiles = 3000;
/** The most files that one Makefile includes. */
const maxIncludes = 50;
const maxCommands = 10_000;

/** Crates that need more than cargo, by the name in a lock file. */
const crates: Readonly<
  Record<string, { readonly programs?: readonly string[]; readonly libraries?: readonly string[] }>
> = {
  'libbpf-cargo': { programs: ['clang'] },
  'libbpf-rs': { programs: ['make', 'pkg-config'], libraries: ['libelf', 'zlib'] },
  'libbpf-sys': { programs: ['make', 'pkg-config'], libraries: ['libelf', 'zlib'] },
  'clang-sys': { libraries: ['libclang'] },
  cmake: { programs: ['cmake'] },
  'openssl-sys': { programs: ['pkg-config'], libraries: ['openssl'] },
  'prost-build': { programs: ['protoc'] },
  pcap: { libraries: ['libpcap'] },
  'seccomp-sys': { libraries: ['libseccomp'] },
  'libseccomp-sys': { libraries: ['libseccomp'] },
};

/** Reads what a project's commands need. */
export async function readBuild(tree: SourceTree, commands: readonly NamedCommand[]): Promise<BuildNeeds> {
  const reading = new Reading(tree, commands);
  for (const { what, command } of commands) {
    for (const each of shellCommands(command)) await reading.follow(each, tree.project, what);
  }
  await reading.readDockerfiles();
  return reading;
}

class Reading implements BuildNeeds {
  readonly programs = new Map<string, string>();
  readonly libraries = new Map<string, string>();
  readonly packages = new Map<string, string>();
  readonly rust: RustPrograms[] = [];
  readonly cargo = new Set<string>();
  readonly go = new Set<string>();
  readonly #tree: SourceTree;
  readonly #commands: readonly NamedCommand[];
  /** Files that are read, with their goals: build files name each other in circles. */
  readonly #seen = new Set<string>();
  #followed = 0;

  constructor(tree: SourceTree, commands: readonly NamedCommand[]) {
    this.#tree = tree;
    this.#commands = commands;
  }

  /** @param by names the file or the key that the command stands in */
  async follow({ folder: below, words }: ShellCommand, at: string, by: string): Promise<void> {
    if (++this.#followed > maxCommands) return;
    const folder = below === undefined ? undefined : resolveBelow(at, below);
    const [program = '', ...args] = words;
    const name = posix.basename(program);
    const script = ['sh', 'bash', '.', 'source'].includes(name) ? args.find((arg) => !arg.startsWith('-')) : program;
    if (folder !== undefined && script?.includes('/') && (await this.#followScript(folder, script))) return;
    // What lies elsewhere in the tree is made by the build.
    if (name === program || program.startsWith('/')) add(this.programs, name, by);
    if (name === 'make' || name === 'gmake') await this.#followMake(args, folder ?? at, by);
    if (name === 'pkg-config' || name === 'pkgconf') {
      // A version can stand in the same word: `pkg-config "libxdp >= 1.2"`.
      for (const arg of args) if (/^[A-Za-z]/.test(arg)) add(this.libraries, arg.replace(/[ <>=].*/, ''), by);
    }
    if (folder === undefined) return;
    if (name === 'cmake' && !args.includes('--build')) await this.#followCMake(args, folder, by);
    if (name === 'meson') {
      add(this.programs, 'ninja', by);
      await this.#readFile(posix.join(folder, 'meson.build'), readMeson);
    }
    if (name === 'autoreconf' || name === 'autoconf')
      await this.#readFile(posix.join(folder, 'configure.ac'), readAutoconf);
    if (name === 'go') await this.#followGo(args, folder);
    if (name === 'cargo') await this.#followCargo(args, folder);
  }

  async #followScript(folder: string, script: string): Promise<boolean> {
    const path = resolveBelow(folder, script);
    if (path === undefined || !(await this.#tree.has(path))) return false;
    const autoconf = posix.join(posix.dirname(path), 'configure.ac');
    if (posix.basename(path) === 'configure' && (await this.#tree.has(autoconf))) {
      return await this.#readFile(autoconf, readAutoconf);
    }
    return await this.#readFile(path, readScript, folder);
  }

  async #followMake(given: readonly string[], at: string, by: string): Promise<void> {
    const short = (arg: string) => arg.replace(/^--directory\b/, '-C').replace(/^--(?:make)?file\b/, '-f');
    const args = given.flatMap((arg) => short(arg).split(/(?<=^-[Cf])=?/));
    const value = (flag: string) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
    const folder = resolveBelow(at, value('-C') ?? '.');
    const goals = args.filter(
      (arg, index) => !/^-|=|[$@]/.test(arg) && !['-C', '-f', '-j'].includes(args[index - 1] ?? ''),
    );
    if (folder === undefined) {
      // A loop over folders: which ones, only the shell knows.
      for (const below of await this.#tree.foldersIn(at)) await this.#followMake([], below, by);
      return;
    }
    const files = [value('-f') ?? makefileNames].flat();
    for (const file of files) {
      const path = posix.join(folder, file);
      const text = await this.#tree.read(path);
      if (text === undefined || this.#isSeen(`${path} ${goals.join(' ')}`)) continue;
      const { variables, includes } = readMakefile(text, goals);
      const included: string[] = [];
      for (const include of [...new Set(includes)].slice(0, maxIncludes)) {
        const found = resolveBelow(folder, include);
        if (found !== undefined) included.push((await this.#tree.read(found)) ?? '');
      }
      // What is included sets variables that the recipes use.
      for (const more of included) readMakefile(more, goals, variables);
      for (const whole of [text, ...included])
        await this.#take(readMakefile(whole, goals, new Variables(variables)), path, folder);
      return;
    }
  }

  async #followCMake(args: readonly string[], at: string, by: string): Promise<void> {
    const source = args.includes('-S')
      ? args[args.indexOf('-S') + 1]
      : args.find((arg) => /^\.{0,2}\/|^\.+$/.test(arg));
    add(this.programs, args.some((arg) => /Ninja/.test(arg)) ? 'ninja' : 'make', by);
    const folder = resolveBelow(at, source ?? '.');
    if (folder !== undefined) await this.#readFile(posix.join(folder, 'CMakeLists.txt'), readCMake);
  }

  async #followGo(args: readonly string[], folder: string): Promise<void> {
    const manifest = await this.#tree.findAbove(folder, 'go.mod');
    const module = posix.dirname(manifest ?? posix.join(folder, 'go.mod'));
    if (manifest !== undefined) {
      this.go.add(module);
      const isLinked = /^(?:require)?[ \t]*github\.com\/aquasecurity\/libbpfgo\s/m.test(
        (await this.#tree.read(manifest)) ?? '',
      );
      for (const library of isLinked ? ['libbpf', 'libelf', 'zlib'] : []) add(this.libraries, library, manifest);
    }
    const given = args.slice(1).find((arg) => /^\.\.?(\/|$)/.test(arg)) ?? '.';
    const below = resolveBelow(folder, given.replace(/\/?\.\.\.$/, '')) ?? folder;
    if (this.#isSeen(`${below} go ${args[0]}`)) return;
    const files = (await this.#tree.files()).filter((path) => path.endsWith('.go') && isBelow(path, below));
    for (const path of files.slice(0, maxGoFiles)) {
      const { commands, libraries } = readGo((await this.#tree.read(path)) ?? '');
      for (const library of libraries) add(this.libraries, library, path);
      for (const command of commands) {
        const isOfC = command.words[0] === 'cc';
        if (!isOfC && args[0] !== 'generate') continue;
        await this.follow(command, posix.dirname(path), path);
        // bpf2go compiles by clang, and strips what that made.
        if (!command.words.some((word) => /(^|\/)bpf2go(@|$)/.test(word))) continue;
        const chosen = (flag: string, usual: string) => {
          const [, own = '$'] = command.words.slice(command.words.indexOf(flag));
          return command.words.includes(flag) && !own.includes('$') ? own : usual;
        };
        add(this.programs, chosen('-cc', 'clang'), path);
        if (!command.words.includes('-no-strip')) add(this.programs, chosen('-strip', 'llvm-strip'), path);
      }
    }
  }

  async #followCargo(args: readonly string[], folder: string): Promise<void> {
    const given = args.includes('--manifest-path') ? args[args.indexOf('--manifest-path') + 1] : undefined;
    const at = resolveBelow(folder, given === undefined ? '.' : posix.dirname(given));
    const manifest = at === undefined ? undefined : await this.#tree.findAbove(at, 'Cargo.toml');
    // A project in another language may build a crate in a folder that only a script knows.
    const folders = manifest === undefined ? await this.#tree.foldersIn(folder) : [posix.dirname(manifest)];
    for (const each of folders) {
      if (this.#isSeen(`${each}/Cargo.toml`) || !(await this.#tree.has(posix.join(each, 'Cargo.toml')))) continue;
      await this.#takeCargo(each, await readCargo(this.#tree, each));
    }
  }

  /** Adds the linkers that cargo's configuration names for this machine, in a folder or one above it. */
  async #takeLinkers(folder: string): Promise<void> {
    for (let at = folder; ; at = posix.dirname(at)) {
      const { build, target } = await readSettings(this.#tree, at);
      const ofHost = Object.entries(table(target)).filter(([name]) => /^(?:x86_64-\w+-linux-|cfg\()/.test(name));
      for (const { linker, rustflags } of [build, ...ofHost.map(([, settings]) => settings)].map(table)) {
        const flags = JSON.stringify(rustflags ?? '');
        const [, driver] = /\blinker=([\w./-]+)/.exec(flags) ?? [];
        const [, chosen] = /-fuse-ld=([\w.-]+)/.exec(flags) ?? [];
        const names = [linker, driver, chosen === 'lld' ? 'ld.lld' : chosen].filter((name) => typeof name === 'string');
        for (const name of names)
          if (!name.includes('/')) add(this.programs, name, posix.join(at, '.cargo/config.toml'));
      }
      if (at === '.') return;
    }
  }

  async #takeCargo(folder: string, cargo: CargoWorkspace): Promise<void> {
    this.cargo.add(folder);
    await this.#takeLinkers(folder);
    for (const crate of cargo.ebpf) if (crate.content.workspace !== undefined) this.cargo.add(crate.folder);
    for (const source of cargo.task?.sources ?? []) {
      for (const { words } of readRust(source).commands)
        add(this.programs, words[0] ?? '', `\`${cargo.task?.command}\``);
    }
    for (const root of this.cargo) {
      const lock = await this.#tree.findAbove(root, 'Cargo.lock');
      const locked = [...((lock && (await this.#tree.read(lock))) ?? '').matchAll(/^name = "([^"]+)"$/gm)].map(
        ([, name = '']) => name,
      );
      const named = locked.length > 0 ? locked : cargo.packages.flatMap(({ dependencies }) => [...dependencies]);
      for (const name of named) {
        if (!Object.hasOwn(crates, name)) continue;
        const { programs = [], libraries = [] } = crates[name] ?? {};
        for (const program of programs) add(this.programs, program, `crate ${name}`);
        for (const library of libraries) add(this.libraries, library, `crate ${name}`);
      }
    }
    for (const crate of cargo.packages) {
      const script = await this.#tree.read(posix.join(crate.folder, buildScript(crate)));
      for (const { words } of readRust(script ?? '').commands) {
        if (words[0] !== 'cargo') add(this.programs, words[0] ?? '', `${crate.name}'s build script`);
      }
    }
    this.rust.push(...(await this.#rustPrograms(cargo)));
  }

  /** The eBPF programs of a workspace. aya-build compiles them where it is used; otherwise a command does. */
  async #rustPrograms(cargo: CargoWorkspace): Promise<RustPrograms[]> {
    const built = cargo.packages.filter(({ dependencies }) => dependencies.has('aya-build'));
    if (built.length > 0) return await Promise.all(built.map((crate) => this.#ayaBuild(crate)));
    const commands = this.#commands.map(({ command }) => command);
    const sources = cargo.task?.sources ?? [];
    const named = findNamed(commands, /(?:^|[\s;&|(]|bin\/)cargo\s+\+(\S+)/g);
    const inTask = findNamed(sources, /"\+([\w.-]+)"/g);
    return await Promise.all(
      cargo.ebpf.map(async ({ name, folder, dependencies }) => {
        const settings = table((await readSettings(this.#tree, folder)).unstable);
        const file = await findToolchainFile(this.#tree.root, join(this.#tree.root, folder));
        // A task can use several toolchains, and the file decides about the crate.
        const chosen = named[0] ?? file?.channel ?? inTask[0];
        return {
          folder,
          by: `${name} depends on ${dependencies.has('aya-ebpf') ? 'aya-ebpf' : 'aya-bpf'}`,
          toolchain: chosen === 'other' ? undefined : chosen,
          buildsStd:
            settings['build-std'] !== undefined || [...commands, ...sources].some((text) => text.includes('build-std')),
        };
      }),
    );
  }

  /** The toolchain that a build script makes aya-build compile with: nightly, unless it names another literally. */
  async #ayaBuild(crate: CargoPackage): Promise<RustPrograms> {
    const { folder } = crate;
    const by = `${crate.name}'s build script uses aya-build`;
    const script = await this.#tree.read(posix.join(crate.folder, buildScript(crate)));
    if (script === undefined || !/\bCustom\s*\(/.test(script))
      return { folder, by, toolchain: 'nightly', buildsStd: true };
    const name = /\bCustom\s*\(\s*"([^"]*)"/.exec(script)?.[1];
    const toolchain = name !== undefined && isReleasedToolchain(name) ? name : undefined;
    return { folder, by, toolchain, buildsStd: true };
  }

  async readDockerfiles(): Promise<void> {
    const files = (await this.#tree.files()).filter(
      (path) => /^(?:Dockerfile|Containerfile)\b/.test(posix.basename(path)) && !this.#tree.isAside(path),
    );
    for (const path of files.slice(0, maxDockerfiles)) {
      for (const name of readDockerfile((await this.#tree.read(path)) ?? '')) add(this.packages, name, path);
    }
  }

  /** Reads a file of a build once, with what it includes. Paths in it are relative to `at`. */
  async #readFile(path: string, parse: (text: string) => BuildFile, at = posix.dirname(path)): Promise<boolean> {
    if (this.#isSeen(path)) return true;
    const text = await this.#tree.read(path);
    if (text === undefined) return false;
    const file = parse(text);
    await this.#take(file, path, at);
    for (const include of file.includes) await this.#readIncluded(include, path, parse);
    return true;
  }

  async #readIncluded(include: string, by: string, parse: (text: string) => BuildFile): Promise<void> {
    // A module of CMake is named alone, and lies in a folder that another file has set.
    const isModule = include.endsWith('.cmake') && !include.includes('/');
    // A variable that another file sets mostly names the project's folder.
    const at = include.startsWith('${') ? this.#tree.project : posix.dirname(by);
    const module = isModule
      ? (await this.#tree.files()).find((path) => posix.basename(path) === include)
      : resolveBelow(at, include.replace(/^\$\{[^}]*\}\/?/, ''));
    if (module === undefined) return;
    if (include === 'Makefile.am') {
      await this.#readFile(module, readAutomake);
    } else {
      const own = by.endsWith('.cmake') ? 'CMakeLists.txt' : posix.basename(by);
      const file = (await this.#tree.has(module)) ? module : posix.join(module, own);
      await this.#readFile(file, parse);
    }
  }

  async #take({ commands, libraries }: BuildFile, path: string, at: string): Promise<void> {
    for (const library of libraries) add(this.libraries, library, path);
    for (const command of commands) await this.follow(command, at, path);
  }

  #isSeen(key: string): boolean {
    if (this.#seen.has(key) || this.#seen.size >= maxFiles) return true;
    this.#seen.add(key);
    return false;
  }
}

function add(names: Map<string, string>, name: string, by: string): void {
  if (name !== '' && !names.has(name)) names.set(name, by);
}

/** Names of toolchains that rustup installs, in texts. */
function findNamed(texts: readonly string[], name: RegExp): string[] {
  return texts.flatMap((text) => [...text.matchAll(name)].map(([, found = '']) => found)).filter(isReleasedToolchain);
}

function isBelow(path: string, folder: string): boolean {
  return folder === '.' || path.startsWith(`${folder}/`);
}

function buildScript({ content }: CargoPackage): string {
  const { build } = table(content.package);
  return typeof build === 'string' ? build : 'build.rs';
}

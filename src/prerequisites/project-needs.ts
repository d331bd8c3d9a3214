// Prerequisites: what a project needs to be built and measured, read from its bpfgate.toml and cargo's manifests. The
// author of a pull request writes those. They are read as data, from plain files inside the repository; nothing is run.

import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parse } from 'smol-toml';
import { isBelow, readFileBelow } from '../adapters/regular-file.ts';
import { findRepositoryRoot } from '../adapters/repository-root.ts';
import { matchesGlob } from '../common/glob.ts';
import type { Config } from '../model/inputs.ts';
import type { Demand } from './prerequisite.ts';
import { isReleasedToolchain, readToolchainFile } from './toolchain-file.ts';

/** Limits of what is read: bytes of a file, entries of a folder, number of manifests. */
const maxBytes = 256 * 1024;
const maxEntries = 2000;
const maxManifests = 300;

interface Manifest {
  /** Folder that holds it, absolute. */
  readonly folder: string;
  readonly content: Table;
}

type Table = Readonly<Record<string, unknown>>;

/** Commands of bpfgate.toml, each with its name for messages. */
function commandsOf(config: Config): { readonly what: string; readonly command: string }[] {
  return [
    { what: 'build.command', command: config.build.command },
    ...config.benches.map(({ name, command }) => ({ what: `bench \`${name}\``, command })),
  ];
}

const cargoWord = /(^|[\s;&|(]|bin\/)cargo(?=\s|$)/;
const criterionWords = /(^|[\s;&|(]|bin\/)cargo\s+(\+\S+\s+)?criterion\b/;
/** Matches the toolchain in `cargo +nightly build`. */
const namedToolchain = /(?:^|[\s;&|(]|bin\/)cargo\s+\+(\S+)/g;

/** Demands of a project: cargo, tools for eBPF programs in Rust, cargo-criterion. A project in C or Go has none. */
export async function projectDemands(project: string, config: Config): Promise<Demand[]> {
  const commands = commandsOf(config);
  const root = await findRepositoryRoot(await realpath(project));
  const manifests = await readManifests(root, await realpath(project), commands);
  const cargo = commands.find(({ command }) => cargoWord.test(command));
  const criterion = commands.find(({ command }) => criterionWords.test(command));
  return [
    ...(cargo === undefined ? [] : [{ group: 'cargo', by: `${cargo.what} runs \`cargo\`, which` } as const]),
    ...(criterion === undefined
      ? []
      : [{ group: 'cargo-criterion', by: `${criterion.what} runs \`cargo criterion\`, which` } as const]),
    ...(await bpfDemands(root, manifests, commands)),
  ];
}

/**
 * Folders of the cargo manifests that the project is built from: its own, and those of members of its workspace.
 *
 * @param root of the repository, without links in its path; nothing outside of it is read
 */
export async function manifestFolders(root: string, project: string, config: Config): Promise<string[]> {
  return (await readManifests(root, project, commandsOf(config))).map(({ folder }) => folder);
}

/** Demands of packages with eBPF programs in Rust. */
async function bpfDemands(
  root: string,
  manifests: readonly Manifest[],
  commands: readonly { readonly command: string }[],
): Promise<Demand[]> {
  const inherited = Object.assign({}, ...manifests.map(({ content }) => table(table(content.workspace).dependencies)));
  const using = (crate: string) => manifests.filter(({ content }) => dependenciesOf(content, inherited).has(crate));
  const demands: Demand[] = [];
  const add = (by: string, toolchain: string | null) => {
    if (toolchain === null) demands.push({ group: 'rust-bpf', by }, { group: 'rust-src', by });
    else demands.push({ group: 'rust-bpf', by, toolchain }, { group: 'bpf-toolchain', by, toolchain });
  };
  for (const { folder, content } of using('aya-build')) {
    add(`${nameOf(content, folder)}'s build script uses aya-build, which`, await buildToolchain(root, folder, content));
  }
  // aya-build compiles the packages with eBPF programs. Without it a command compiles them.
  if (demands.length > 0) return demands;
  const named = commands
    .flatMap(({ command }) => [...command.matchAll(namedToolchain)].map(([, name = '']) => name))
    .filter(isReleasedToolchain);
  for (const { folder, content } of using('aya-ebpf')) {
    const by = `${nameOf(content, folder)} depends on aya-ebpf, which`;
    const toolchain = named[0] ?? (await readToolchainFile(root, folder));
    if (toolchain !== undefined && toolchain !== 'other') add(by, toolchain);
    else if (commands.some(({ command }) => command.includes('build-std'))) add(by, null);
    else demands.push({ group: 'rust-bpf', by });
  }
  return demands;
}

/** Crates a manifest depends on, by their real names. */
function dependenciesOf(content: Table, inherited: Table): Set<string> {
  return new Set(
    dependencyEntries(content).map(([key, value]) => {
      const own = table(value).workspace === true ? table(inherited[key]) : table(value);
      return typeof own.package === 'string' ? own.package : key;
    }),
  );
}

/** A manifest's dependencies of every kind, those of single targets included, as name and entry. */
function dependencyEntries(content: Table): [string, unknown][] {
  const sections = [content, ...Object.values(table(content.target)).map(table)];
  return sections.flatMap((section) =>
    ['dependencies', 'build-dependencies', 'dev-dependencies'].flatMap((kind) => Object.entries(table(section[kind]))),
  );
}

/**
 * The toolchain that a build script makes aya-build compile with: nightly, unless it names another literally.
 *
 * @returns null for one that only the script itself can determine
 */
async function buildToolchain(root: string, folder: string, content: Table): Promise<string | null> {
  const { build } = table(content.package);
  const script = await readPlainFile(root, join(folder, typeof build === 'string' ? build : 'build.rs'));
  if (script === undefined || !/\bCustom\s*\(/.test(script)) return 'nightly';
  const name = /\bCustom\s*\(\s*"([^"]*)"/.exec(script)?.[1];
  return name !== undefined && isReleasedToolchain(name) ? name : null;
}

/** Reads the project's manifests: its own with the workspace it is in, its members, and path dependencies of those. */
async function readManifests(
  root: string,
  project: string,
  commands: readonly { readonly command: string }[],
): Promise<Manifest[]> {
  const found = new Map<string, Manifest>();
  const read = async (folder: string): Promise<Manifest | undefined> => {
    if (found.size >= maxManifests || found.has(folder)) return undefined;
    const text = await readPlainFile(root, join(folder, 'Cargo.toml'));
    const content = text === undefined ? undefined : parseTable(text);
    if (content === undefined) return undefined;
    const manifest = { folder, content };
    found.set(folder, manifest);
    const paths = dependencyEntries(content).map(([, value]) => table(value).path);
    for (const path of paths) if (typeof path === 'string') await read(resolve(folder, path));
    for (const member of await membersOf(root, manifest)) await read(member);
    return manifest;
  };
  const own = await read(project);
  if (own !== undefined && own.content.workspace === undefined) await readWorkspaceAbove(root, project, found);
  // A project in another language may build a crate in a folder of its own.
  if (own === undefined && commands.some(({ command }) => cargoWord.test(command))) {
    for (const folder of await foldersIn(root, project)) await read(folder);
  }
  return [...found.values()];
}

/** Reads the workspace of a project that is a member. What is inherited from there counts, its other members do not. */
async function readWorkspaceAbove(root: string, project: string, found: Map<string, Manifest>): Promise<void> {
  for (let at = project; at !== root; ) {
    at = dirname(at);
    const text = await readPlainFile(root, join(at, 'Cargo.toml'));
    const { workspace } = (text === undefined ? undefined : parseTable(text)) ?? {};
    if (workspace === undefined) continue;
    found.set(at, { folder: at, content: { workspace } });
    return;
  }
}

/** Folders of a workspace's members and of what it excludes: often eBPF crates, which a script builds. */
async function membersOf(root: string, { folder, content }: Manifest): Promise<string[]> {
  const workspace = table(content.workspace);
  const patterns = [workspace.members, workspace.exclude]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((pattern) => typeof pattern === 'string');
  const folders: string[] = [];
  for (const pattern of patterns.slice(0, maxManifests)) {
    if (!pattern.includes('*')) folders.push(resolve(folder, pattern));
    else folders.push(...(await expand(root, folder, pattern)));
  }
  return folders;
}

/** Folders that match a pattern, in which each star stands for a part of one name. */
async function expand(root: string, folder: string, pattern: string): Promise<string[]> {
  let folders = [folder];
  for (const part of pattern.split('/').filter((part) => part !== '')) {
    if (!part.includes('*')) {
      folders = folders.map((each) => resolve(each, part));
      continue;
    }
    const below: string[] = [];
    for (const each of folders) below.push(...(await foldersIn(root, each)));
    folders = below.filter((each) => matchesGlob(part, basename(each))).slice(0, maxEntries);
  }
  return folders;
}

/** Folders directly below another, which a build may enter. */
export async function foldersIn(root: string, folder: string): Promise<string[]> {
  if (!(await isInside(root, folder))) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .slice(0, maxEntries)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'target')
    .map(({ name }) => join(folder, name));
}

/** Reads a regular file in the repository without following links; undefined when it is not one, or too long. */
async function readPlainFile(root: string, path: string): Promise<string | undefined> {
  return await readFileBelow(root, relative(root, path), maxBytes).catch(() => undefined);
}

/** Whether a folder is the root or below it, and its path has no link in it. */
async function isInside(root: string, folder: string): Promise<boolean> {
  if (!isBelow(root, folder)) return false;
  return (await realpath(folder).catch(() => undefined)) === folder;
}

/** Parses a manifest; undefined where it is not TOML, which cargo will report. */
function parseTable(text: string): Table | undefined {
  try {
    return table(parse(text));
  } catch {
    return undefined;
  }
}

function table(value: unknown): Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {};
}

function nameOf(content: Table, folder: string): string {
  const { name } = table(content.package);
  return (typeof name === 'string' ? name : basename(folder)).slice(0, 64);
}

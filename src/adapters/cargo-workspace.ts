// Adapter: reads the packages that a cargo project is made of, and those with eBPF programs among them.

import { posix } from 'node:path';
import { dependenciesOf, dependencyEntries, parseTable, type Table, table } from '../common/cargo-manifest.ts';
import { matchesGlob } from '../common/glob.ts';
import { leadsOut } from '../common/paths.ts';
import type { SourceTree } from './source-tree.ts';

const maxManifests = 300;
const maxFolders = 2000;
/** The most source files of one package that are read. */
const maxSources = 100;

/** Crates of which programs for the kernel are made. `aya-ebpf` was `aya-bpf` before 2024. */
const ebpfCrates = ['aya-ebpf', 'aya-bpf'];

export interface CargoManifest {
  /** Folder that holds it. */
  readonly folder: string;
  readonly content: Table;
}

/** A package of the project. */
export interface CargoPackage extends CargoManifest {
  readonly name: string;
  /** Crates that it depends on, those for builds and tests included. */
  readonly dependencies: ReadonlySet<string>;
}

/** An alias of cargo's configuration that compiles the eBPF programs, such as `cargo xtask build-ebpf`. */
export interface EbpfTask {
  readonly command: string;
  /** Sources of the package that it runs. */
  readonly sources: readonly string[];
}

export interface CargoWorkspace {
  readonly manifests: readonly CargoManifest[];
  readonly packages: readonly CargoPackage[];
  /** Packages with eBPF programs, those with a workspace of their own included. */
  readonly ebpf: readonly CargoPackage[];
  readonly task: EbpfTask | undefined;
  /** Paths of dependencies that are not there, with the manifest that names each. */
  readonly missing: readonly { readonly manifest: string; readonly path: string }[];
}

/** Reads a folder's manifest with the workspace it is in, its members, and path dependencies of those. */
export async function readCargo(tree: SourceTree, project: string): Promise<CargoWorkspace> {
  const found = new Map<string, CargoManifest>();
  const missing: { manifest: string; path: string }[] = [];
  const read = async (folder: string): Promise<CargoManifest | undefined> => {
    if (found.size >= maxManifests || leadsOut(folder)) return undefined;
    const known = found.get(folder);
    if (known !== undefined) return known;
    const text = await tree.read(posix.join(folder, 'Cargo.toml'));
    const content = text === undefined ? undefined : parseTable(text);
    if (content === undefined) return undefined;
    const manifest = { folder, content };
    found.set(folder, manifest);
    for (const [, value] of dependencyEntries(content)) {
      const { path } = table(value);
      if (typeof path !== 'string') continue;
      const target = posix.join(folder, path);
      await read(target);
      const isMissing =
        !leadsOut(target) && !path.startsWith('/') && !(await tree.has(posix.join(target, 'Cargo.toml')));
      if (isMissing) missing.push({ manifest: posix.join(folder, 'Cargo.toml'), path });
    }
    for (const member of await membersOf(tree, manifest)) await read(member);
    return manifest;
  };
  const own = await read(project);
  if (own !== undefined && own.content.workspace === undefined) await readWorkspaceAbove(tree, project, found);
  for (const folder of await ebpfFolders(tree, project)) await read(folder);

  const manifests = [...found.values()];
  const inherited = Object.assign({}, ...manifests.map(({ content }) => table(table(content.workspace).dependencies)));
  const packages = manifests.flatMap(({ folder, content }) => {
    const { name } = table(content.package);
    if (content.package === undefined && content.dependencies === undefined) return [];
    const called = typeof name === 'string' ? name : posix.basename(folder);
    return [{ folder, content, name: called, dependencies: dependenciesOf(content, inherited) }];
  });
  const ebpf = packages.filter(({ dependencies }) => ebpfCrates.some((crate) => dependencies.has(crate)));
  return { manifests, packages, ebpf, task: await findTask(tree, project, packages), missing };
}

/** Reads the workspace of a project that is a member. What is inherited from there counts, its other members do not. */
async function readWorkspaceAbove(tree: SourceTree, project: string, found: Map<string, CargoManifest>): Promise<void> {
  for (let at = project; at !== '.'; ) {
    at = posix.dirname(at);
    const text = await tree.read(posix.join(at, 'Cargo.toml'));
    const { workspace } = (text === undefined ? undefined : parseTable(text)) ?? {};
    if (workspace === undefined) continue;
    found.set(at, { folder: at, content: { workspace } });
    return;
  }
}

/** Folders of a workspace's members and of what it excludes: often eBPF crates, which a script builds. */
async function membersOf(tree: SourceTree, { folder, content }: CargoManifest): Promise<string[]> {
  const workspace = table(content.workspace);
  const patterns = [workspace.members, workspace.exclude]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((pattern) => typeof pattern === 'string');
  const folders: string[] = [];
  for (const pattern of patterns.slice(0, maxManifests)) {
    if (!pattern.includes('*')) folders.push(posix.join(folder, pattern));
    else folders.push(...(await expand(tree, folder, pattern)));
  }
  return folders;
}

/** Folders that match a pattern, in which each star stands for a part of one name. */
async function expand(tree: SourceTree, folder: string, pattern: string): Promise<string[]> {
  let folders = [folder];
  for (const part of pattern.split('/').filter((part) => part !== '')) {
    if (!part.includes('*')) {
      folders = folders.map((each) => posix.join(each, part));
      continue;
    }
    const below: string[] = [];
    for (const each of folders) below.push(...(await tree.foldersIn(each)));
    folders = below.filter((each) => matchesGlob(part, posix.basename(each))).slice(0, maxFolders);
  }
  return folders;
}

/**
 * Folders of eBPF packages that no manifest names, because each is a workspace of its own. Those of other projects
 * below, which have a manifest between, are not the project's.
 */
async function ebpfFolders(tree: SourceTree, project: string): Promise<string[]> {
  const folders: string[] = [];
  for (const path of await tree.files()) {
    const folder = posix.dirname(path);
    if (posix.basename(path) !== 'Cargo.toml' || folder === project || folders.length >= maxManifests) continue;
    const above = await tree.findAbove(posix.dirname(folder), 'Cargo.toml');
    if (above !== posix.join(project, 'Cargo.toml')) continue;
    const content = parseTable((await tree.read(path)) ?? '') ?? {};
    if (ebpfCrates.some((crate) => dependenciesOf(content, {}).has(crate))) folders.push(folder);
  }
  return folders;
}

/** Finds the alias that runs a package which knows how to build the eBPF programs. */
async function findTask(
  tree: SourceTree,
  project: string,
  packages: readonly CargoPackage[],
): Promise<EbpfTask | undefined> {
  for (const [alias, words] of Object.entries(await readAliases(tree, project))) {
    const name = words[words.findIndex((word) => word === '--package' || word === '-p') + 1];
    const runs = packages.find((each) => each.name === name);
    if (words[0] !== 'run' || runs === undefined || !/^[\w-]+$/.test(alias)) continue;
    const files = (await tree.files()).filter((path) => path.startsWith(`${runs.folder}/`) && path.endsWith('.rs'));
    const texts = await Promise.all(files.slice(0, maxSources).map((path) => tree.read(path)));
    const sources = texts.filter((text) => text !== undefined);
    if (!sources.some((text) => /\bBuildEbpf\b|\bbuild-ebpf\b/.test(text))) continue;
    const release = sources.some((text) => /\brelease: bool\b/.test(text)) ? ' --release' : '';
    return { command: `cargo ${alias} build-ebpf${release}`, sources };
  }
  return undefined;
}

async function readAliases(tree: SourceTree, project: string): Promise<Record<string, string[]>> {
  const { alias } = await readSettings(tree, project);
  return Object.fromEntries(
    Object.entries(table(alias)).map(([name, value]) => {
      const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
      return [name, words.filter((word): word is string => typeof word === 'string' && word !== '')];
    }),
  );
}

/** Reads cargo's configuration in a folder itself. */
export async function readSettings(tree: SourceTree, folder: string): Promise<Table> {
  for (const name of ['config', 'config.toml']) {
    const text = await tree.read(posix.join(folder, '.cargo', name));
    if (text !== undefined) return parseTable(text) ?? {};
  }
  return {};
}

// Adapter: reads cargo's manifests. The author of a pull request writes them. They are read as data, from plain files
// inside the repository; nothing is run.

import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { dependencyEntries, parseTable, type Table, table } from '../common/cargo-manifest.ts';
import { matchesGlob } from '../common/glob.ts';
import { isWithin } from '../common/paths.ts';
import { readFileBelow } from './regular-file.ts';

/** Limits of what is read: bytes of a file, entries of a folder, number of manifests. */
const maxBytes = 256 * 1024;
const maxEntries = 2000;
const maxManifests = 300;

export interface CargoManifest {
  /** Folder that holds it, absolute. */
  readonly folder: string;
  readonly content: Table;
}

/**
 * Reads the project's manifests: its own with the workspace it is in, its members, and path dependencies of those.
 *
 * @param root of the repository, without links in its path; nothing outside of it is read
 * @param isBelowToo whether those of the folders below are read if the project has none
 */
export async function readManifests(root: string, project: string, isBelowToo: boolean): Promise<CargoManifest[]> {
  const found = new Map<string, CargoManifest>();
  const read = async (folder: string): Promise<CargoManifest | undefined> => {
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
  if (own === undefined && isBelowToo) {
    for (const folder of await foldersIn(root, project)) await read(folder);
  }
  return [...found.values()];
}

/** Reads the workspace of a project that is a member. What is inherited from there counts, its other members do not. */
async function readWorkspaceAbove(root: string, project: string, found: Map<string, CargoManifest>): Promise<void> {
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
async function membersOf(root: string, { folder, content }: CargoManifest): Promise<string[]> {
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
export async function readPlainFile(root: string, path: string): Promise<string | undefined> {
  return await readFileBelow(root, relative(root, path), maxBytes).catch(() => undefined);
}

/** Whether a folder is the root or below it, and its path has no link in it. */
async function isInside(root: string, folder: string): Promise<boolean> {
  if (!isWithin(folder, root)) return false;
  return (await realpath(folder).catch(() => undefined)) === folder;
}

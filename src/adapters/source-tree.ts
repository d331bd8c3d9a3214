// Adapter: a project's files, as data to learn from how it is built. Pull requests write them: they are read as plain
// files inside the repository, up to limits, and nothing of them is run.

import { readdir, realpath } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { isWithin } from '../common/paths.ts';
import { readFileBelow } from './regular-file.ts';
import { findRepositoryRoot } from './repository-root.ts';
import { walkProjects } from './walk-tree.ts';

/** Limits of what is read: bytes of a file, and number of files. */
const maxBytes = 256 * 1024;
/** Lock files are longer than other files. */
const maxLock = 4 * 1024 * 1024;
const maxRead = 5000;
const maxEntries = 2000;

/** Paths are relative to the root of the repository, with slashes; its own is `.`. */
export class SourceTree {
  readonly root: string;
  /** Path of the project's folder. */
  readonly project: string;
  readonly #texts = new Map<string, Promise<string | undefined>>();
  #files: Promise<string[]> | undefined;

  /** @param root without links in its path; nothing outside of it is read */
  constructor(root: string, project: string) {
    this.root = root;
    this.project = posix.join(relative(root, project), '.');
  }

  /** Opens the tree of a project's folder: its repository. */
  static async open(project: string): Promise<SourceTree> {
    const folder = await realpath(project);
    return new SourceTree(await findRepositoryRoot(folder), folder);
  }

  /** Lists the first files below the project, without those that build tools and package managers put there. */
  files(): Promise<string[]> {
    this.#files ??= this.#list();
    return this.#files;
  }

  async #list(): Promise<string[]> {
    const files: string[] = [];
    for await (const path of walkProjects(join(this.root, this.project))) files.push(posix.join(this.project, path));
    return files;
  }

  /** Whether a path of the project is in a folder for tests or examples, which its build does without. */
  isAside(path: string): boolean {
    return /(?:^|\/)(?:tests?|testdata|testing|e2e|demos?|examples?)\//.test(posix.relative(this.project, path));
  }

  /** Reads a text; undefined where there is no such regular file, or it is too long or one too many. */
  read(path: string): Promise<string | undefined> {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    if (this.#texts.size >= maxRead) return Promise.resolve(undefined);
    const limit = path.endsWith('.lock') ? maxLock : maxBytes;
    const text = readFileBelow(this.root, path, limit).catch(() => undefined);
    this.#texts.set(path, text);
    return text;
  }

  async has(path: string): Promise<boolean> {
    return (await this.read(path)) !== undefined;
  }

  /** The paths of the repository's submodules. */
  async submodules(): Promise<string[]> {
    const text = (await this.read('.gitmodules')) ?? '';
    return [...text.matchAll(/^[ \t]*path[ \t]*=[ \t]*(\S+)/gm)].map(([, path = '']) => path);
  }

  /** Finds the nearest file of a name, in a folder or one above it; undefined where there is none. */
  async findAbove(folder: string, name: string): Promise<string | undefined> {
    for (let at = folder; ; at = posix.dirname(at)) {
      if (await this.has(posix.join(at, name))) return posix.join(at, name);
      if (at === '.') return undefined;
    }
  }

  /** Folders directly below another, which a build may enter. */
  async foldersIn(folder: string): Promise<string[]> {
    const path = join(this.root, folder);
    if (!isWithin(path, this.root) || (await realpath(path).catch(() => undefined)) !== path) return [];
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    return entries
      .slice(0, maxEntries)
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'target')
      .map(({ name }) => posix.join(folder, name));
  }
}

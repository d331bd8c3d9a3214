// Adapter: git. Reads the user's repository and never writes it: temporary index, temporary object store, no worktrees.

import { copyFile, mkdir, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { InputError, MachineError, saysFullDisk } from '../errors.ts';
import { run, runOrThrow } from './process.ts';

/** One tree of a repository, found and ready to be checked out. */
export interface Tree {
  /** Git tree id. */
  readonly id: string;
  /** Commit id; null for a working tree that differs from every commit. */
  readonly commit: string | null;
  /** What the user called it. */
  readonly ref: string;
}

export interface Repository {
  /** Absolute path of the working tree's root. */
  readonly root: string;
  /** Absolute path of its .git folder. */
  readonly gitDir: string;
  /** Path of the project below the root, without a slash at the end; empty at the root. */
  readonly projectPath: string;
}

/**
 * @throws InputError when the folder is in no git repository
 */
export async function openRepository(project: string): Promise<Repository> {
  const result = await run('git', ['rev-parse', '--show-toplevel', '--absolute-git-dir', '--show-prefix'], {
    cwd: project,
    env: gitEnvironment(),
  });
  if (result.exitCode !== 0) {
    if (result.stderr.includes('dubious ownership')) {
      throw new InputError(`git does not trust ${project}, because it belongs to another user`, {
        hint: `git config --global --add safe.directory ${project}`,
      });
    }
    throw new InputError(`git finds no working tree at ${project}: ${result.stderr.trim()}`, {
      hint: 'a project must be in a git repository, so that there is a base to compare with',
    });
  }
  if (result.stdout.trimEnd().split('\n').length > 3) {
    throw new InputError(`the path of the repository at ${JSON.stringify(project)} has a line break`);
  }
  const [root = '', gitDir = '', prefix = ''] = result.stdout.split('\n');
  return { root, gitDir, projectPath: prefix.replace(/\/$/, '') };
}

/**
 * Only a head start: git re-reads what has changed since. A repository without commits has no index. By the index's own
 * time git tells which files may have changed right after it was written, in the same second, so a copy keeps it.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => undefined);
  if (found === undefined) return;
  await copyFile(from, to);
  await utimes(to, found.atime, found.mtime);
}

/** Without what git hands to hooks, which would name another repository, index or object store. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^GIT_(?!CONFIG)/.test(name));
  return { ...Object.fromEntries(entries), GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
}

/** The user's own settings that would write to the repository or run programs of its own. */
const plainGit = [
  'core.splitIndex=false',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
];

/** What git itself says of a disk that it cannot write to. */
const unwritable = /Out of diskspace|Read-only file system|unable to write (?:new index )?file/;

/**
 * A git session over one repository. Objects it has to make (the tree of a working tree with changes) go to a
 * temporary store that `close` removes.
 */
export class GitSession {
  readonly repository: Repository;
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(repository: Repository, folder: string, environment: NodeJS.ProcessEnv) {
    this.repository = repository;
    this.#folder = folder;
    this.#environment = environment;
  }

  static async open(repository: Repository): Promise<GitSession> {
    const folder = await mkdtemp(join(tmpdir(), 'bpfgate-git-'));
    try {
      const objects = join(folder, 'objects');
      await mkdir(objects);
      const found = await runOrThrow('git', ['rev-parse', '--git-path', 'objects'], {
        cwd: repository.root,
        env: gitEnvironment(),
      });
      return new GitSession(repository, folder, {
        ...gitEnvironment(),
        GIT_OBJECT_DIRECTORY: objects,
        // Quoted as C does it, so that a colon in the path does not part it.
        GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(resolve(repository.root, found.trimEnd())),
      });
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** @throws InputError when git does not know the revision */
  async commitTree(ref: string): Promise<Tree> {
    const commit = await this.#tryGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]);
    if (commit === null) {
      throw new InputError(`git knows no revision ${JSON.stringify(ref)} in ${this.repository.root}`, {
        hint: 'in a workflow, check out with fetch-depth: 0 so that the base is there',
      });
    }
    return { id: await this.#git(['rev-parse', `${commit}^{tree}`]), commit, ref };
  }

  /**
   * The working tree as it is, files that are neither tracked nor ignored included.
   *
   * @param except absolute path of a folder that is no part of it: the output of earlier runs
   */
  async workingTree(except: string): Promise<Tree> {
    const index = join(this.#folder, 'worktree.index');
    const realIndex = resolve(this.repository.root, await this.#git(['rev-parse', '--git-path', 'index']));
    await copyIndex(realIndex, index);
    const environment = { GIT_INDEX_FILE: index };
    const unmerged = await this.#git(['ls-files', '--unmerged'], environment);
    if (unmerged !== '') {
      throw new InputError(
        `the working tree has unresolved conflicts: ${[...new Set(unmerged.split('\n').map((line) => line.split('\t')[1]))].join(', ')}`,
        {
          hint: 'resolve them, or pass --head with a commit',
        },
      );
    }
    const path = relative(this.repository.root, except);
    const isInside = path !== '' && path !== '..' && !path.startsWith('../');
    const spared = isInside ? [`:(exclude,top,literal)${path}`] : [];
    await this.#git(['add', '--all', '--', '.', ...spared], environment);
    const id = await this.#git(['write-tree'], environment);
    const head = await this.#tryGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    const clean = head !== null && (await this.#git(['rev-parse', `${head}^{tree}`])) === id;
    return { id, commit: clean ? head : null, ref: 'working tree' };
  }

  /**
   * The merge-base of `head` with a branch.
   *
   * @param branch default: origin's HEAD, else origin/main, origin/master, main, master, whichever is there first
   * @throws InputError when there is no such branch or no common ancestor
   */
  async mergeBase(head: string, branch?: string): Promise<Tree> {
    const candidates = ['refs/remotes/origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];
    const found = branch === undefined ? await this.#firstRevision(candidates) : (await this.commitTree(branch)).commit;
    if (found === null) {
      throw new InputError(`no default branch found in ${this.repository.root}; looked for ${candidates.join(', ')}`, {
        hint: 'pass --base with the revision to compare with',
      });
    }
    const name = (branch ?? found).replace('refs/remotes/', '');
    const base = await this.#tryGit(['merge-base', found, head]);
    if (base === null) {
      throw new InputError(`${head} and ${name} have no common ancestor here`, {
        hint: 'pass --base, or fetch the whole history (fetch-depth: 0)',
      });
    }
    return { ...(await this.commitTree(base)), ref: `merge-base with ${name}` };
  }

  async #firstRevision(candidates: readonly string[]): Promise<string | null> {
    for (const candidate of candidates) {
      if ((await this.#tryGit(['rev-parse', '--verify', '--quiet', `${candidate}^{commit}`])) !== null)
        return candidate;
    }
    return null;
  }

  /**
   * Writes a tree's files below `folder`, which must not exist yet.
   *
   * @throws InputError when the tree has submodules
   */
  async checkOut(tree: Tree, folder: string): Promise<void> {
    const submodules = (await this.#git(['ls-tree', '-r', tree.id]))
      .split('\n')
      .filter((line) => line.startsWith('160000 '));
    if (submodules.length > 0) {
      const paths = submodules.map((line) => line.split('\t')[1]).join(', ');
      throw new InputError(`${tree.ref} has git submodules (${paths}), which this version cannot check out`, {
        hint: 'vendor them or fetch them in build.command; a repository that merely lies in the tree belongs in .gitignore',
      });
    }
    const environment = { GIT_INDEX_FILE: this.#indexOf(tree) };
    await this.#git(['read-tree', tree.id], environment);
    await mkdir(folder, { recursive: true });
    await this.#git(['checkout-index', '--all', '--index', '--force'], environment, folder);
  }

  /** Whether the tree has a file of this name anywhere between its root and the project. */
  async hasFile(tree: Tree, name: string): Promise<boolean> {
    const folders = this.repository.projectPath.split('/').filter((part) => part !== '');
    const paths = [name, ...folders.map((_, index) => [...folders.slice(0, index + 1), name].join('/'))];
    const found = await this.#git(['ls-tree', '--name-only', tree.id, '--', ...paths]);
    return found !== '';
  }

  /** Tracked files that differ in `folder` from what `checkOut` wrote there. */
  async changedFiles(tree: Tree, folder: string): Promise<readonly string[]> {
    const environment = { GIT_INDEX_FILE: this.#indexOf(tree) };
    await this.#tryGit(['update-index', '-q', '--refresh'], environment, folder);
    const changed = await this.#git(['diff-files', '--name-only'], environment, folder);
    return changed === '' ? [] : changed.split('\n');
  }

  #indexOf(tree: Tree): string {
    return join(this.#folder, `${tree.id}.index`);
  }

  async #git(args: readonly string[], environment: NodeJS.ProcessEnv = {}, workTree?: string): Promise<string> {
    const result = await this.#run(args, environment, workTree);
    if (result.exitCode === 0) return result.stdout.trim();
    const message = `\`git ${args.join(' ')}\` failed: ${result.stderr.trim()}`;
    if (saysFullDisk(result.stderr) || unwritable.test(result.stderr)) {
      const hint =
        'free space on the disks of the cache and of the temporary folder, or set BPFGATE_CACHE and TMPDIR to others';
      throw new MachineError(message, { hint });
    }
    throw new InputError(message);
  }

  /** Null when git exits with anything but 0. */
  async #tryGit(
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    workTree?: string,
  ): Promise<string | null> {
    const result = await this.#run(args, environment, workTree);
    return result.exitCode === 0 ? result.stdout.trim() : null;
  }

  #run(args: readonly string[], environment: NodeJS.ProcessEnv, workTree = this.repository.root) {
    const settings = plainGit.flatMap((setting) => ['-c', setting]);
    const where = [...settings, '--git-dir', this.repository.gitDir, '--work-tree', workTree];
    return run('git', [...where, ...args], { cwd: workTree, env: { ...this.#environment, ...environment } });
  }
}

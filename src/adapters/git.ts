// Adapter: git. Reads the user's repository and never writes it: temporary index, temporary object stores, no worktrees.

import { copyFile, lstat, mkdir, mkdtemp, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { InputError, MachineError, saysFullDisk } from '../common/errors.ts';
import { listNames } from '../common/list-names.ts';
import { leadsOut } from '../common/paths.ts';
import { shellQuote } from '../common/shell-quote.ts';
import type { Commit } from '../model/build.ts';
import type { EventBase } from '../model/inputs.ts';
import { type Fetched, fetchCommits, findRemote } from './fetch-commits.ts';
import type { Log } from './log.ts';
import { type RunResult, run, runOrThrow } from './process.ts';
import { findRepositoryRoot } from './repository-root.ts';
import { findGitDir, findModuleStores, maxSubmodules } from './submodules.ts';

/** One repository's part of a tree: the user's own repository, or a submodule. */
export interface TreePart {
  /** Path below the tree's root; empty for the user's own repository. */
  readonly path: string;
  /** Git tree id, in which submodules are commits. */
  readonly tree: string;
}

/** One tree of a repository, found and ready to be checked out. */
export interface Tree {
  /** Git tree id. With submodules, the id of a tree that has their files in the place of their commits. */
  readonly id: string;
  /** Commit id; null for a working tree that differs from every commit. */
  readonly commit: string | null;
  /** Id of the commit that it is or, for a working tree, that is checked out; null before the first one. */
  readonly at: string | null;
  /** The user's name for it. */
  readonly ref: string;
  /** The user's own repository, then its submodules, each after the one that contains it. */
  readonly parts: readonly TreePart[];
}

/** A submodule, as its parent's tree or index lists it. */
interface Submodule {
  /** Path below the parent's root. */
  readonly path: string;
  readonly commit: string;
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
 * Finds the repository by the nearest entry `.git`, which no tree can hold. git by itself would accept a folder of the
 * project that has the files of a repository, and obey its settings.
 *
 * @throws InputError when the folder is in no git repository
 */
export async function openRepository(project: string): Promise<Repository> {
  const noTree = (why: string) =>
    new InputError(`git finds no working tree at ${project}: ${why}`, {
      hint: 'a project must be in a git repository, so that there is a base to compare with',
    });
  const folder = await realpath(project).catch((error: Error) => {
    throw noTree(error.message);
  });
  const top = await findRepositoryRoot(folder);
  if (top.includes('\n')) {
    throw new InputError(`the path of the repository at ${JSON.stringify(project)} has a line break`);
  }
  // Without --git-dir: with it git does not check who owns the repository.
  const args = [...plainSettings, 'rev-parse', '--show-toplevel', '--absolute-git-dir'];
  const result = await run('git', args, { cwd: top, variables: gitVariables });
  if (result.stderr.includes('dubious ownership')) {
    throw new InputError(`git does not trust ${project}, because it belongs to another user`, {
      hint: `git config --global --add safe.directory ${project}`,
    });
  }
  const [root = '', gitDir = ''] = result.stdout.split('\n');
  if (result.exitCode !== 0 || root !== top) throw noTree(result.stderr.trim() || `its working tree is ${root}`);
  return { root, gitDir, projectPath: relative(root, folder) };
}

/**
 * Reads what git prints about a project's repository, each line without its end; undefined if git fails or there is no
 * repository.
 *
 * @param args that read commits, refs or trees
 */
export async function readRepository(project: string, args: readonly string[]): Promise<string[] | undefined> {
  const repository = await openRepository(project).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error;
  });
  if (repository === undefined) return undefined;
  const where = [...plainSettings, '--git-dir', repository.gitDir];
  const { exitCode, stdout } = await run('git', [...where, ...args], { variables: gitVariables, maxOutput: maxList });
  return exitCode === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined;
}

/**
 * Copies an index as a head start: git re-reads what has changed since. A repository without commits has no index. The
 * copy keeps the index's time, by which git knows which files may have changed in the second after it was written.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => undefined);
  if (found === undefined) return;
  await copyFile(from, to);
  await utimes(to, found.atime, found.mtime);
}

/**
 * All of git's variables. None is one that git hands to hooks, which would name another repository, index or object
 * store. Nothing is fetched, which a partial clone would do by itself.
 */
const gitVariables = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};

/** Settings that keep git from writing to the repository, running programs, or obeying a repository inside the tree. */
const plainSettings = [
  'core.splitIndex=false',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.alternateRefsCommand=',
  'submodule.recurse=false',
  'safe.bareRepository=explicit',
].flatMap((setting) => ['-c', setting]);

/** Longest list of files, in characters: a tree of a million files. */
const maxList = 256 * 1024 * 1024;

/** Messages of git about a disk that it cannot write to. */
const unwritable = /Out of diskspace|Read-only file system|unable to write (?:new index )?file/;

/** What git says about paths that it was given and that are ignored. */
const ignoredPaths = 'The following paths are ignored by one of your .gitignore files:';

/** Objects that a clone with a filter does not have, in git's messages. */
const missingObject =
  /unable to read (?:sha1 file|tree)|missing (?:blob|tree) object|invalid object \d+ |could not fetch .* from promisor/;

/** The next step in a clone with a filter. */
const completeClone =
  'in a workflow, leave out `filter` and `sparse-checkout` of actions/checkout (a sparse checkout sets a filter too); elsewhere: git fetch --refetch --no-filter origin';

/** The most fetches of a session: histories of a branch and of head, and the files of a few commits. */
const maxFetches = 8;

/** Maximum number of commits that are looked at in search of earlier builds. */
const maxAncestors = 1000;

/** Refs of the default branch. Full names: a tag may be called `main`, or `origin/main`. */
const defaultBranches = [
  'refs/remotes/origin/HEAD',
  'refs/remotes/origin/main',
  'refs/remotes/origin/master',
  'refs/heads/main',
  'refs/heads/master',
];

/** The next step in a clone without its whole history. */
const fetchAll =
  'in a workflow, set `fetch-depth: 0` for actions/checkout (2 is enough for the merge commit of a pull request and for a push of one commit); elsewhere: git fetch --unshallow origin';

/** The next step if the command line or the action has no default base. */
const nameBase = 'pass --base (input base) with the revision to compare with';

export interface SessionOptions {
  /** Reports what is fetched. Default: nothing does. */
  readonly log?: Pick<Log, 'progress'>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A git session over one repository. Objects that it has to create (the tree of a working tree with changes) go to a
 * temporary store that `close` removes.
 */
export class GitSession {
  readonly repository: Repository;
  readonly #folder: string;
  /** The repository's git folder and, in a linked worktree, the one that it shares. */
  readonly #gitDirs: readonly string[];
  /** Object stores that are read: the repository's own, those of submodules, and those of fetches. */
  readonly #stores: string[];
  readonly #options: SessionOptions;
  /** The ids of commits whose parents count as missing; undefined if they are the repository's own. */
  #shallow: string[] | undefined;
  #fetches = 0;
  /** Address that is fetched from. Default: the clone's. */
  #remote: string | undefined;

  private constructor(
    repository: Repository,
    folder: string,
    gitDirs: readonly string[],
    stores: readonly string[],
    options: SessionOptions,
  ) {
    this.repository = repository;
    this.#folder = folder;
    this.#gitDirs = gitDirs;
    this.#stores = [...stores];
    this.#options = options;
  }

  static async open(repository: Repository, options: SessionOptions = {}): Promise<GitSession> {
    const folder = await mkdtemp(join(tmpdir(), 'bpfgate-git-'));
    try {
      const objects = join(folder, 'objects');
      await mkdir(objects);
      const read = async (args: readonly string[], cwd: string) =>
        (await runOrThrow('git', [...plainSettings, ...args], { cwd, variables: gitVariables })).trimEnd();
      const [own = '', common = '', format = ''] = (
        await read(
          [
            ...['--git-dir', repository.gitDir, 'rev-parse'],
            ...['--git-path', 'objects', '--git-common-dir', '--show-object-format'],
          ],
          repository.root,
        )
      ).split('\n');
      const gitDirs = [...new Set([repository.gitDir, resolve(repository.root, common)])];
      // Its settings are git's own, so only the objects of a submodule's repository are read.
      await read(['init', '--quiet', '--template=', `--object-format=${format}`, 'plain'], folder);
      await mkdir(join(folder, 'plain', '.git', 'info'), { recursive: true });
      await writeFile(join(folder, 'plain', '.git', 'info', 'attributes'), '* -filter\n');
      const stores = [resolve(repository.root, own), ...(await Promise.all(gitDirs.map(findModuleStores))).flat()];
      const session = new GitSession(repository, folder, gitDirs, stores, options);
      session.#stores.push(...(await session.#findStoresInTree(repository.root, gitDirs)));
      return session;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #environment(): Record<string, string> {
    return {
      ...gitVariables,
      GIT_OBJECT_DIRECTORY: join(this.#folder, 'objects'),
      // Quoted as in C, so a colon in the path does not split it.
      GIT_ALTERNATE_OBJECT_DIRECTORIES: this.#stores.map((store) => JSON.stringify(store)).join(':'),
      ...(this.#shallow === undefined ? {} : { GIT_SHALLOW_FILE: this.#shallowFile }),
    };
  }

  /** An empty name if no commit's parents count as missing. */
  get #shallowFile(): string {
    return this.#shallow?.length === 0 ? '' : join(this.#folder, 'shallow');
  }

  /**
   * Finds a commit. One that this clone does not have, or not with all files, is fetched by its id.
   *
   * @throws InputError when git does not know the revision, or a submodule's commit is missing
   */
  async commitTree(ref: string): Promise<Tree> {
    const commit = await this.#commitOf(ref);
    await this.#requireFiles(commit, ref);
    const parts = await this.#committedParts(
      { path: '', tree: await this.#git(['rev-parse', `${commit}^{tree}`]) },
      ref,
    );
    return { id: await this.#join(parts), commit, at: commit, ref, parts };
  }

  async #commitOf(ref: string): Promise<string> {
    const commit = await this.#idOf(ref);
    if (commit !== null) return commit;
    if (!/^[0-9a-f]{40}$/.test(ref)) {
      const hint = /^[0-9a-f]{7,39}$/.test(ref)
        ? 'if it is a commit that is not here yet: git fetch origin COMMIT, with its whole id'
        : 'give a branch, a tag or a commit that is in the repository';
      throw await this.#notHere(`unknown revision ${JSON.stringify(ref)} in ${this.repository.root}`, hint);
    }
    return await this.#fetchedCommit(ref, `revision "${ref}"`, 'files');
  }

  async #fetchedCommit(id: string, name: string, of: 'commits' | 'files'): Promise<string> {
    const fetched = await this.#fetch([id], of);
    if (!('problem' in fetched)) return fetched.commit;
    const what = name.includes(id) ? name : `${name}, ${id},`;
    throw await this.#cannotFetch(`${what} is not in ${this.repository.root}`, fetched.problem, id);
  }

  /** The id of a revision's commit; null if it is not here. */
  async #idOf(ref: string): Promise<string | null> {
    return await this.#tryGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]);
  }

  /**
   * Fetches a commit's files where they are missing: of a commit of which only the history was fetched, and in a clone
   * that was made with a filter.
   *
   * @param name the commit's name in messages
   * @throws InputError when they are missing and cannot be fetched
   */
  async #requireFiles(commit: string, name: string): Promise<void> {
    const hasTree = (await this.#tryGit(['cat-file', '-e', `${commit}^{tree}`])) !== null;
    const isPartial = await this.#isPartial();
    if (hasTree && !isPartial) return;
    const missing = hasTree ? await this.#missingObjects(commit) : undefined;
    if (missing === 0) return;
    const fetched = await this.#fetch([commit], 'files');
    if (!('problem' in fetched)) return;
    if (!isPartial) {
      throw await this.#cannotFetch(`the files of ${name} are not in ${this.repository.root}`, fetched.problem, commit);
    }
    const count = missing === undefined ? 'all' : missing;
    throw new InputError(
      `files of ${name} (${count}) are not in ${this.repository.root}, a clone that was made with a filter (partial clone), and cannot be fetched: ${fetched.problem}`,
      { hint: completeClone },
    );
  }

  /** Whether the clone was made with a filter, so that objects may be missing. */
  async #isPartial(): Promise<boolean> {
    const settings = '^(extensions\\.partialclone|remote\\..*\\.(promisor|partialclonefilter))$';
    return (await this.#tryGit(['config', '--name-only', '--get-regexp', settings])) !== null;
  }

  /** Counts the trees and files of a commit that are not here. */
  async #missingObjects(commit: string): Promise<number> {
    const listed = await this.#git(['rev-list', '--objects', '--no-walk', '--missing=print', commit]);
    return listed.split('\n').filter((line) => line.startsWith('?')).length;
  }

  /**
   * Fetches from the repository that this clone was made of, into a store of this session.
   *
   * @param what ids of commits, or full refs
   * @param of whether their files are fetched, or they and all commits before them without files
   */
  async #fetch(what: readonly string[], of: 'commits' | 'files'): Promise<Fetched> {
    const remote = await findRemote((args) => this.#tryGit(args), this.#remote);
    if (remote === undefined)
      return { problem: 'this clone has no remote `origin` with an address that is fetched from' };
    if (++this.#fetches > maxFetches) return { problem: `${maxFetches} other fetches were not enough` };
    const { log, signal } = this.#options;
    const names = listNames(what, 3);
    log?.progress(`fetching ${of === 'files' ? names : `the history of ${names}`}, which is not in this clone`);
    const folder = join(this.#folder, `fetched-${this.#fetches}`);
    const fetched = await fetchCommits(remote, what, { of, folder, settings: settingsVariables, signal });
    if ('problem' in fetched) return fetched;
    // Git does not look for parents that were not fetched.
    const own = this.#shallow ?? (await this.#ownShallow());
    this.#stores.push(fetched.store);
    if (of === 'files' && (await this.#hasParents(fetched.commit))) return fetched;
    this.#shallow = of === 'files' ? [...own, fetched.commit] : await this.#stillShallow(own);
    if (this.#shallow.length > 0) await writeFile(this.#shallowFile, `${this.#shallow.join('\n')}\n`);
    return fetched;
  }

  async #ownShallow(): Promise<string[]> {
    const path = await this.#git(['rev-parse', '--git-path', 'shallow']);
    const text = await readFile(resolve(this.repository.root, path), 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  }

  /** Leaves out the commits whose parents are here by now. */
  async #stillShallow(commits: readonly string[]): Promise<string[]> {
    const found = await Promise.all(commits.map(async (commit) => ((await this.#hasParents(commit)) ? [] : [commit])));
    return found.flat();
  }

  /** Whether all parents that a commit names are here. */
  async #hasParents(commit: string): Promise<boolean> {
    const parents = await this.#parentsOf(commit);
    const found = await Promise.all(parents.map((parent) => this.#tryGit(['cat-file', '-e', parent])));
    return !found.includes(null);
  }

  /** The parents that a commit names, also those that are not here: for `rev-list` a shallow clone's last has none. */
  async #parentsOf(commit: string): Promise<string[]> {
    return parentsIn((await this.#tryGit(['cat-file', 'commit', commit]))?.split('\n') ?? []);
  }

  /**
   * Takes the working tree as it is, with files that are neither tracked nor ignored. A submodule that is not checked
   * out is taken from its commit.
   *
   * @param except absolute path of a folder to leave out: the output of earlier runs
   * @throws InputError when it has conflicts, or a submodule that is neither checked out nor available as a commit
   */
  async workingTree(except: string): Promise<Tree> {
    const ref = 'working tree';
    const at = await this.#idOf('HEAD');
    // Files that a sparse checkout leaves out are taken from the commit.
    if (at !== null) await this.#requireFiles(at, 'HEAD');
    const parts: TreePart[] = [];
    const isClean = await this.#addWorkingParts(parts, { path: '', gitDirs: this.#gitDirs }, except, ref);
    const clean = isClean && at !== null && (await this.#git(['rev-parse', `${at}^{tree}`])) === parts[0]?.tree;
    return { id: await this.#join(parts), commit: clean ? at : null, at, ref, parts };
  }

  /**
   * Adds the checkout in a folder, and those of the submodules below it.
   *
   * @param place the folder below the repository's root, and the git folders of what is checked out there
   * @returns whether every submodule is at the commit that its parent names
   */
  async #addWorkingParts(
    parts: TreePart[],
    { path, gitDirs }: { readonly path: string; readonly gitDirs: readonly string[] },
    except: string,
    ref: string,
  ): Promise<boolean> {
    const isOwn = path === '';
    const workTree = join(this.repository.root, path);
    const index = { GIT_INDEX_FILE: join(this.#folder, `worktree.${parts.length}.index`) };
    const environment = { ...index, ...(isOwn ? await this.#withoutFilters() : {}) };
    const git = (args: readonly string[]) =>
      isOwn ? this.#git(args, environment) : this.#plain(args, environment, workTree);
    if (isOwn) {
      const realIndex = resolve(workTree, await this.#git(['rev-parse', '--git-path', 'index']));
      await copyIndex(realIndex, environment.GIT_INDEX_FILE);
      refuseConflicts(await git(['ls-files', '--unmerged']));
    } else {
      // No other list has files that are tracked although they are ignored.
      const head = await this.#inSubmodule(gitDirs, ['rev-parse', '--verify', '--quiet', 'HEAD^{tree}'], workTree);
      if (head !== null) await this.#tryPlain(['read-tree', head], environment, workTree);
    }
    const checkedOut = async (submodules: readonly Submodule[]) => {
      const found = await Promise.all(
        submodules.map(async ({ path }) => [path, await findGitDir({ workTree, path }, gitDirs)] as const),
      );
      return new Map(found.filter((each): each is [string, string] => each[1] !== undefined));
    };
    const known = await checkedOut(await this.#submodulesIn(git));
    // Each is read below. git would start another git in it, which obeys the submodule's own settings.
    const spared = [relative(workTree, except), ...known.keys()].filter(isBelow);
    const add = ['add', '--all', '--', '.', ...spared.map((each) => `:(exclude,top,literal)${each}`)];
    const added = isOwn
      ? await this.#run(add, { environment, workTree })
      : await this.#runPlain(add, environment, workTree);
    // If one of them is in .gitignore as well, git says so after it has added the others.
    if (added.exitCode !== 1 || !added.stderr.startsWith(ignoredPaths)) this.#orThrow(add, added);
    const submodules = await this.#submodulesIn(git);
    const folders = await checkedOut(submodules);
    const own = { path, tree: await git(['write-tree']) };
    addPart(parts, own);
    let isClean = true;
    for (const submodule of submodules) {
      const gitDir = folders.get(submodule.path);
      const below = join(path, submodule.path);
      if (gitDir === undefined) {
        const committed = { path: below, tree: await this.#treeOf(submodule, own, ref) };
        for (const part of await this.#committedParts(committed, ref)) addPart(parts, part);
        continue;
      }
      const at = parts.length;
      const isCleanBelow = await this.#addWorkingParts(parts, { path: below, gitDirs: [gitDir] }, except, ref);
      const committed = await this.#tryPlain(['rev-parse', '--verify', '--quiet', `${submodule.commit}^{tree}`]);
      isClean &&= isCleanBelow && parts[at]?.tree === committed;
    }
    return isClean;
  }

  /**
   * Variables with settings that switch off all of the user's filters. The tree chooses which files go through one, and
   * which.
   */
  async #withoutFilters(): Promise<Record<string, string>> {
    const listed = await this.#tryGit(['config', '--null', '--name-only', '--get-regexp', '^filter\\.']);
    const drivers = new Set(
      (listed ?? '').split('\0').flatMap((name) => /^(filter\..+)\.[^.]+$/s.exec(name)?.[1] ?? []),
    );
    const settings = [...drivers].flatMap((driver) => [
      [`${driver}.clean`, ''],
      [`${driver}.process`, ''],
      [`${driver}.required`, 'false'],
    ]);
    return settingsVariables(settings);
  }

  /** Lists a part of a commit, and those of the submodules in it. */
  async #committedParts(first: TreePart, ref: string): Promise<TreePart[]> {
    const parts: TreePart[] = [];
    addPart(parts, first);
    for (const part of parts) {
      const git = (args: readonly string[]) => (part.path === '' ? this.#git(args) : this.#plain(args));
      for (const submodule of readSubmodules(await git(['ls-tree', '-r', '-z', '--full-tree', part.tree]))) {
        addPart(parts, { path: join(part.path, submodule.path), tree: await this.#treeOf(submodule, part, ref) });
      }
    }
    return parts;
  }

  /** Reads the tree of a submodule's commit. Only its objects are read, and nothing is fetched. */
  async #treeOf(submodule: Submodule, parent: TreePart, ref: string): Promise<string> {
    const tree = await this.#tryPlain(['rev-parse', '--verify', '--quiet', `${submodule.commit}^{tree}`]);
    if (tree !== null) return tree;
    const path = join(parent.path, submodule.path);
    const name = await this.#nameOf(submodule.path, parent.tree);
    const folder = join(this.repository.root, path);
    const isThere = async (file: string) => (await lstat(file).catch(() => undefined)) !== undefined;
    const recursive = 'git submodule update --init --recursive';
    const hint =
      name === null
        ? `no .gitmodules says where it comes from: add it with \`git submodule add\`, or remove it with \`git rm --cached ${quote(path)}\``
        : (await isThere(join(folder, '.git')))
          ? `\`git -C ${quote(path)} fetch origin ${submodule.commit}\`; in a workflow, check out with \`fetch-depth: 0\`, because actions/checkout fetches submodules to the same depth as the repository`
          : (await isThere(folder))
            ? `\`${recursive}\`; in a workflow, check out with \`submodules: recursive\``
            : `the working tree does not have it: check ${ref} out once, run \`${recursive}\` there and go back; in a workflow, an actions/checkout step with \`ref\` and \`submodules: recursive\` before the one that is there`;
    throw new InputError(
      `${ref} has the submodule ${name ?? path} at ${path}, whose commit ${submodule.commit} is not in this clone`,
      { hint },
    );
  }

  /** Reads a submodule's name from .gitmodules; null if it has none there. */
  async #nameOf(path: string, tree: string): Promise<string | null> {
    const file = await this.#tryPlain(['ls-tree', '--full-tree', tree, '--', '.gitmodules']);
    const blob = /^100\d{3} blob ([0-9a-f]+)\t/.exec(file ?? '')?.[1];
    if (blob === undefined) return null;
    const args = ['config', '--blob', blob, '--null', '--get-regexp', '^submodule\\..*\\.path$'];
    const entries = (await this.#tryPlain(args))?.split('\0') ?? [];
    const entry = entries.find((each) => each.slice(each.indexOf('\n') + 1) === path);
    return entry === undefined ? null : entry.slice('submodule.'.length, entry.indexOf('\n') - '.path'.length);
  }

  /** Joins all parts into one tree. */
  async #join(parts: readonly TreePart[]): Promise<string> {
    const [own, ...submodules] = parts;
    if (own === undefined) throw new Error('a tree has no parts');
    if (submodules.length === 0) return own.tree;
    const environment = { GIT_INDEX_FILE: join(this.#folder, 'joined.index') };
    await this.#plain(['read-tree', own.tree], environment);
    for (const { path, tree } of submodules) {
      await this.#plain(['update-index', '--force-remove', '--', path], environment);
      await this.#plain(['read-tree', `--prefix=${path}/`, tree], environment);
    }
    return this.#plain(['write-tree'], environment);
  }

  /** Lists the submodules in an index. */
  async #submodulesIn(git: (args: readonly string[]) => Promise<string>): Promise<readonly Submodule[]> {
    return readSubmodules(await git(['ls-files', '--stage', '-z']));
  }

  /** Finds object stores of submodules that have their own git folder in the working tree, as old clones do. */
  async #findStoresInTree(workTree: string, gitDirs: readonly string[], depth = 0): Promise<string[]> {
    const stores: string[] = [];
    const listed = await this.#inSubmodule(gitDirs, ['ls-files', '--stage', '-z'], workTree);
    for (const { path } of readSubmodules(listed ?? '')) {
      // A git folder elsewhere is refused where it is needed.
      const gitDir = await findGitDir({ workTree, path }, gitDirs).catch(() => undefined);
      if (gitDir === undefined || depth > maxSubmodules) continue;
      const folder = join(workTree, path);
      if (gitDir === join(folder, '.git')) stores.push(join(gitDir, 'objects'), ...(await findModuleStores(gitDir)));
      stores.push(...(await this.#findStoresInTree(folder, [gitDir], depth + 1)));
    }
    return stores;
  }

  /**
   * Finds the default base of a tree: what the event says, else the merge-base with the default branch. A commit that is
   * already on the default branch is compared with its upstream, else with the commit before it.
   *
   * @throws InputError when nothing would be compared, or the base is not here and cannot be fetched
   */
  async defaultBase({ commit }: Pick<Tree, 'commit'>, event?: EventBase): Promise<Tree> {
    if (event !== undefined) return await this.#eventBase(event);
    const base = await this.mergeBase(commit ?? 'HEAD');
    if (commit === null || base.commit !== commit) return base;
    return (await this.#upstreamBase(commit)) ?? (await this.#commitBefore(commit));
  }

  /** The base that an event implies for the commit that is checked out. */
  async #eventBase(event: EventBase): Promise<Tree> {
    this.#remote = event.remote;
    const head = await this.#commitOf('HEAD');
    if ('commit' in event) return await this.#namedTree(event.commit, event.name);
    const { branch, tip, merged } = event;
    const now = await this.#whereIs(branch, tip);
    const name = branch ?? shortName(now);
    const bases = [await this.#commonAncestor(head, now, name)];
    if (tip !== undefined && (await this.#isHere(tip))) bases.push(await this.#commonAncestor(head, tip, name));
    // The branch may have merged head since the event was sent. Where it was then still tells them apart.
    const [first, second] = bases.filter((base) => base !== head);
    if (first !== undefined) {
      const isSecond = second !== undefined && (await this.isAncestor(first, second));
      return await this.#namedTree(isSecond ? second : first, `merge-base with ${name}`);
    }
    if (merged !== 'commit-before') throw new InputError(merged.message, { hint: merged.hint });
    if (await this.#isFirstParent(head, now)) return await this.#commitBefore(head);
    throw new InputError(`nothing to compare: ${name} has merged ${head.slice(0, 7)}, which is checked out`, {
      hint: nameBase,
    });
  }

  /**
   * Finds where a branch is. One that is not here is fetched; one that is gone, as after its pull request was merged, is
   * taken to be where it was.
   */
  async #whereIs(branch: string | undefined, tip: string | undefined): Promise<string> {
    if (branch === undefined) return await this.#defaultBranch();
    const ref = `refs/remotes/origin/${branch}`;
    if (this.#remote === undefined && (await this.#idOf(ref)) !== null) return ref;
    const fetched = await this.#fetch([`refs/heads/${branch}`], 'commits');
    if (!('problem' in fetched)) return fetched.commit;
    if (tip !== undefined && (await this.#isHere(tip))) return tip;
    throw await this.#cannotFetch(`branch \`${branch}\` is not in ${this.repository.root}`, fetched.problem, branch);
  }

  /** Whether a commit is here, or can be fetched with its history. */
  async #isHere(commit: string): Promise<boolean> {
    return (await this.#idOf(commit)) !== null || !('problem' in (await this.#fetch([commit], 'commits')));
  }

  /** The default branch, by the first of its usual names that is here, else by origin's HEAD. */
  async #defaultBranch(): Promise<string> {
    const found = this.#remote === undefined ? await this.#firstRevision(defaultBranches) : null;
    if (found !== null) return found;
    const fetched = await this.#fetch(['HEAD'], 'commits');
    if (!('problem' in fetched)) return fetched.commit;
    throw await this.#notHere(
      `no default branch (${defaultBranches.map(shortName).join(', ')}) found in ${this.repository.root}`,
      nameBase,
    );
  }

  /**
   * Finds the last commit that two have in common. A shallow clone may have another one than the last, or none, where
   * its history is cut before that; the rest is then fetched.
   *
   * @param name of `tip`, in messages
   */
  async #commonAncestor(head: string, tip: string, name: string): Promise<string> {
    const find = async () => {
      const base = await this.#tryGit(['merge-base', head, tip]);
      const shallow = new Set(this.#shallow ?? (await this.#ownShallow()));
      const between =
        shallow.size === 0 ? '' : await this.#git(['rev-list', head, tip, ...(base === null ? [] : [`^${base}`])]);
      return { base, cut: between.split('\n').filter((commit) => shallow.has(commit)) };
    };
    let { base, cut } = await find();
    const message = `${head === 'HEAD' ? head : head.slice(0, 7)} and ${name} have no common ancestor here`;
    if (cut.length > 0) {
      const fetched = await this.#fetch(cut, 'commits');
      if ('problem' in fetched) throw await this.#cannotFetch(message, fetched.problem, '--unshallow');
      ({ base, cut } = await find());
    }
    if (base === null || cut.length > 0) throw await this.#notHere(message, nameBase);
    return base;
  }

  /** Whether a commit is on the line of first parents of another. */
  async #isFirstParent(commit: string, of: string): Promise<boolean> {
    const lines = (await this.#git(['rev-list', '--first-parent', '--parents', of, `^${commit}`])).split('\n');
    const [, parent] = lines.at(-1)?.split(' ') ?? [];
    return parent === undefined ? (await this.#idOf(of)) === commit : parent === commit;
  }

  async #namedTree(commit: string, name: string): Promise<Tree> {
    if ((await this.#idOf(commit)) === null) await this.#fetchedCommit(commit, name, 'files');
    return { ...(await this.commitTree(commit)), ref: name };
  }

  /** The merge-base of the checked-out commit with its branch's upstream; undefined if that is the commit itself. */
  async #upstreamBase(commit: string): Promise<Tree | undefined> {
    if ((await this.#idOf('HEAD')) !== commit) return undefined;
    const name = await this.#tryGit(['rev-parse', '--abbrev-ref', '--verify', '--quiet', '@{upstream}']);
    if (name === null) return undefined;
    const base = await this.mergeBase(commit, name);
    return base.commit === commit ? undefined : base;
  }

  async #commitBefore(commit: string): Promise<Tree> {
    const short = commit.slice(0, 7);
    const [before] = await this.#parentsOf(commit);
    if (before !== undefined) return await this.#namedTree(before, `the commit before ${short}`);
    throw new InputError(`${short} is the first commit of ${this.repository.root}: no other can be its base`, {
      hint: 'change something: the working tree is then compared with that commit',
    });
  }

  /** Whether a commit is known to be another one or an ancestor of it: a shallow clone may not show it. */
  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    if ([commit, ...(await this.#parentsOf(commit))].includes(ancestor)) return true;
    return (await this.#tryGit(['merge-base', '--is-ancestor', ancestor, commit])) !== null;
  }

  /** Lists a commit and its known ancestors, the last ones first. */
  async ancestors(commit: string): Promise<Set<string>> {
    const listed = await this.#tryGit(['rev-list', `--max-count=${maxAncestors}`, commit]);
    return new Set([commit, ...(await this.#parentsOf(commit)), ...(listed ?? '').split('\n')]);
  }

  /** The last commit of the default branch; none if no ref here is known to be that branch. */
  async defaultTips(): Promise<string[]> {
    const found = await this.#firstRevision(defaultBranches);
    return found === null ? [] : [await this.#commitOf(found)];
  }

  /**
   * Finds the merge-base of `head` with a branch.
   *
   * @param branch default: the first that exists of `defaultBranches`
   * @throws InputError when there is no such branch or no common ancestor
   */
  async mergeBase(head: string, branch?: string): Promise<Tree> {
    if (head === 'HEAD' && (await this.#idOf('HEAD')) === null) {
      throw new InputError(`${this.repository.root} has no commit yet`, {
        hint: 'commit the project: the working tree is then compared with that commit',
      });
    }
    const found = branch === undefined ? await this.#defaultBranch() : await this.#commitOf(branch);
    const name = branch ?? shortName(found);
    return await this.#namedTree(await this.#commonAncestor(head, found, name), `merge-base with ${name}`);
  }

  /**
   * Lists the commits from one to another, both included, following first parents: a merge is one commit.
   *
   * @throws InputError when `from` is not before `to` on that path, or this clone does not have it
   */
  async firstParents(from: string, to: string): Promise<Commit[]> {
    const [first, last] = [await this.#commitOf(from), await this.#commitOf(to)];
    const list = async (...range: readonly string[]) => {
      // Nothing that a person can write into a commit holds a NUL.
      const args = ['rev-list', '--first-parent', '--reverse', '--format=%H%x00%P%x00%an%x00%as%x00%s', ...range];
      return (await this.#git(args)).split('\n').flatMap((line): Commit[] => {
        const [id = '', parents, author = '', date = '', subject = ''] = line.split('\0');
        return parents === undefined ? [] : [{ id, parents: parents.split(' '), author, date, subject }];
      });
    };
    const [commits, [start]] = [await list(last, `^${first}`), await list('--max-count=1', first)];
    if (start !== undefined && commits[0]?.parents[0] === first) return [start, ...commits];
    const common = await this.#tryGit(['merge-base', first, last]);
    const shared = common === null ? '' : `; both have ${common.slice(0, 10)} in common`;
    throw await this.#notHere(
      `${from} is not before ${to} along first parents`,
      `choose it from \`git log --first-parent ${to}\`${shared}`,
    );
  }

  /** The error for a missing commit. A clone without its whole history needs another next step. */
  async #notHere(message: string, hint: string): Promise<InputError> {
    if (!(await this.isShallow())) return new InputError(message, { hint });
    return new InputError(`${message}, a clone without its whole history`, { hint: fetchAll });
  }

  /** @param what the arguments of `git fetch origin` that would bring it */
  async #cannotFetch(message: string, problem: string, what: string): Promise<InputError> {
    const isShallow = await this.isShallow();
    const clone = isShallow ? ', a clone without its whole history' : '';
    const hint = isShallow ? fetchAll : `fetch it first: git fetch origin ${what}`;
    return new InputError(`${message}${clone}, and cannot be fetched: ${problem}`, { hint });
  }

  async isShallow(): Promise<boolean> {
    return (await this.#tryGit(['rev-parse', '--is-shallow-repository'])) === 'true';
  }

  async #firstRevision(candidates: readonly string[]): Promise<string | null> {
    for (const candidate of candidates) {
      if ((await this.#idOf(candidate)) !== null) return candidate;
    }
    return null;
  }

  /**
   * Writes a tree's files below `folder`, which must not exist yet, as its commits have them. Filters, which are
   * programs that the tree chooses, and the user's settings of line ends do not apply.
   *
   * @throws InputError when git cannot write it
   */
  async checkOut(tree: Tree, folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (const [index, part] of tree.parts.entries()) {
      const git = this.#gitOf(tree, index);
      await git(['read-tree', part.tree], folder);
      // A submodule that is still listed would be read if the build left a repository in its place.
      const below = tree.parts.slice(index + 1).map(({ path }) => relative(part.path, path));
      if (below.some(isBelow)) await git(['update-index', '--force-remove', '--', ...below.filter(isBelow)], folder);
      await makeFolder(folder, part.path);
      await git(['checkout-index', '--all', '--index', '--force'], join(folder, part.path));
    }
  }

  /** Runs git on a part's own index. */
  #gitOf(tree: Tree, index: number): (args: readonly string[], workTree: string) => Promise<string> {
    const environment = { GIT_INDEX_FILE: join(this.#folder, `${tree.id}.${index}.index`) };
    return (args, workTree) => this.#plain(args, environment, workTree);
  }

  /** Whether the tree has a file of this name anywhere between its root and the project. */
  async hasFile(tree: Tree, name: string): Promise<boolean> {
    const folders = this.repository.projectPath.split('/').filter((part) => part !== '');
    const paths = [name, ...folders.map((_, index) => [...folders.slice(0, index + 1), name].join('/'))];
    const found = await this.#git(['ls-tree', '--name-only', tree.id, '--', ...paths]);
    return found !== '';
  }

  /** Lists mode and object id of each file of a tree by its path, also of links and submodules' files. */
  async listFiles(tree: Tree): Promise<ReadonlyMap<string, string>> {
    const listed = await this.#git(['ls-tree', '-r', '-z', tree.id]);
    return new Map(
      listed.split('\0').flatMap((line) => {
        const end = line.indexOf('\t');
        return end === -1 ? [] : [[line.slice(end + 1), line.slice(0, end)] as const];
      }),
    );
  }

  /**
   * Reads the messages of the commits that `head` has and `base` does not, as far as this clone has them: of the newest
   * hundred in which a line begins with a key.
   *
   * @param base commit id
   * @param head commit id; null for a working tree, of which the checked-out commit is read
   * @param key in lower-case letters and hyphens
   */
  async messagesWith(base: string, head: string | null, key: string) {
    const wanted = ['--max-count=100', '--basic-regexp', '--regexp-ignore-case', `--grep=^[^[:alpha:]]*${key}:`];
    const range = `${base}..${head ?? 'HEAD'}`;
    const args = ['log', '-z', '--no-show-signature', ...wanted, '--format=%H%n%an%n%B', range, '--'];
    const records = ((await this.#tryGit(args)) ?? '').split('\0').filter((record) => record !== '');
    return records.map((record) => {
      const [commit = '', author = '', ...message] = record.split('\n');
      return { commit, author, message: message.join('\n') };
    });
  }

  /** Lists a tree's pointers of Git LFS. Their contents are elsewhere and not part of any commit. */
  async lfsPointers(tree: Tree): Promise<readonly string[]> {
    const pointers: string[] = [];
    for (const part of tree.parts) {
      const search = async (text: string, ...paths: string[]) => {
        const args = [
          'grep',
          '--files-with-matches',
          '--null',
          '--fixed-strings',
          '-e',
          text,
          part.tree,
          '--',
          ...paths,
        ];
        const listed = (await this.#tryPlain(args)) ?? '';
        return listed.split('\0').flatMap((name) => (name === '' ? [] : name.slice(name.indexOf(':') + 1)));
      };
      if ((await search('filter=lfs', ':(glob)**/.gitattributes')).length === 0) continue;
      const found = await search('version https://git-lfs.github.com/spec/', ':(exclude,glob)**/.gitattributes');
      pointers.push(...found.map((path) => join(part.path, path)));
    }
    return pointers;
  }

  /** Lists tracked files in `folder` that differ from what `checkOut` wrote, there or elsewhere, also in submodules. */
  async changedFiles(tree: Tree, folder: string): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const [index, { path }] of tree.parts.entries()) {
      const git = this.#gitOf(tree, index);
      const workTree = join(folder, path);
      // Exits with 1 if something has changed.
      await git(['update-index', '-q', '--refresh'], workTree).catch((error: unknown) => {
        if (!(error instanceof InputError)) throw error;
      });
      const names = await git(['diff-files', '--name-only', '-z'], workTree);
      changed.push(...names.split('\0').flatMap((name) => (name === '' ? [] : join(path, name))));
    }
    return changed;
  }

  async #git(args: readonly string[], environment: Record<string, string> = {}, workTree?: string): Promise<string> {
    return this.#orThrow(args, await this.#run(args, { environment, workTree }));
  }

  /** Runs git; null if it exits with anything but 0. */
  async #tryGit(args: readonly string[]): Promise<string | null> {
    const result = await this.#run(args);
    return result.exitCode === 0 ? result.stdout.trim() : null;
  }

  /** Runs git like `#git`, without any repository's settings and filters. */
  async #plain(args: readonly string[], environment: Record<string, string> = {}, workTree?: string): Promise<string> {
    return this.#orThrow(args, await this.#runPlain(args, environment, workTree));
  }

  async #tryPlain(args: readonly string[], environment: Record<string, string> = {}, workTree?: string) {
    const result = await this.#runPlain(args, environment, workTree);
    return result.exitCode === 0 ? result.stdout.trim() : null;
  }

  #runPlain(args: readonly string[], environment: Record<string, string>, workTree = join(this.#folder, 'plain')) {
    return this.#run(args, { environment, workTree, gitDir: join(this.#folder, 'plain', '.git') });
  }

  /** Reads what only a submodule's own repository has: its HEAD, its index. */
  async #inSubmodule([gitDir]: readonly string[], args: readonly string[], workTree: string): Promise<string | null> {
    const result = await this.#run(args, { workTree, gitDir });
    return result.exitCode === 0 ? result.stdout.trim() : null;
  }

  #orThrow(args: readonly string[], result: RunResult): string {
    if (result.exitCode === 0) return result.stdout.trim();
    const message = `\`git ${args.join(' ')}\` failed: ${result.stderr.trim()}`;
    if (saysFullDisk(result.stderr) || unwritable.test(result.stderr)) {
      const hint =
        'free space on the disks of the cache and of the temporary folder, or set BPFGATE_CACHE and TMPDIR to others';
      throw new MachineError(message, { hint });
    }
    const hint = missingObject.test(result.stderr) ? completeClone : undefined;
    throw new InputError(message, { hint });
  }

  #run(
    args: readonly string[],
    {
      environment = {},
      workTree = this.repository.root,
      gitDir = this.repository.gitDir,
    }: { environment?: Record<string, string>; workTree?: string | undefined; gitDir?: string | undefined } = {},
  ): Promise<RunResult> {
    const where = [...plainSettings, '--git-dir', gitDir, '--work-tree', workTree];
    const variables = { ...this.#environment, ...environment };
    return run('git', [...where, ...args], { cwd: workTree, variables, maxOutput: maxList });
  }
}

/** Reads the parents in a commit object's header: the lines after the tree's. */
export function parentsIn([, ...lines]: readonly string[]): string[] {
  const end = lines.findIndex((line) => !line.startsWith('parent '));
  return lines.slice(0, end === -1 ? undefined : end).map((line) => line.slice('parent '.length));
}

/** Names a default branch as people write it. Where only its commit was fetched, that is origin's HEAD. */
function shortName(ref: string): string {
  return /^[0-9a-f]{40}$/.test(ref) ? 'origin/HEAD' : ref.replace(/^refs\/(?:remotes|heads)\//, '');
}

/** Variables that give git settings: names and values. */
export function settingsVariables(settings: readonly (readonly string[])[]): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key = '', value = ''], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

function refuseConflicts(unmerged: string): void {
  if (unmerged === '') return;
  const paths = new Set(unmerged.split('\n').map((line) => line.split('\t')[1]));
  throw new InputError(`the working tree has unresolved conflicts: ${[...paths].join(', ')}`, {
    hint: 'resolve them, or pass --head with a commit',
  });
}

/** Reads `160000 [commit] ID [stage]\tPATH` from the lists of `ls-tree -z` and `ls-files --stage -z`. */
function readSubmodules(list: string): Submodule[] {
  return list.split('\0').flatMap((entry) => {
    const [, commit, path] = /^160000 (?:commit )?([0-9a-f]+)(?: 0)?\t(.+)$/s.exec(entry) ?? [];
    return commit === undefined || path === undefined ? [] : { commit, path };
  });
}

function addPart(parts: TreePart[], part: TreePart): void {
  if (parts.push(part) <= maxSubmodules) return;
  throw new InputError(`the tree has more than ${maxSubmodules} submodules`, {
    hint: 'remove what the build does not need',
  });
}

/** Whether a relative path leads below. */
function isBelow(path: string): boolean {
  return path !== '' && !leadsOut(path);
}

/** Makes a folder below another, without following links. */
async function makeFolder(root: string, path: string): Promise<void> {
  let folder = root;
  for (const name of path.split('/').filter((part) => part !== '')) {
    folder = join(folder, name);
    const found = await lstat(folder).catch(() => undefined);
    if (found === undefined) await mkdir(folder);
    else if (!found.isDirectory()) throw new InputError(`${path} cannot be checked out: ${name} is not a folder`);
  }
}

/** Quotes a path for a shell, in a message. */
function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : shellQuote(path);
}

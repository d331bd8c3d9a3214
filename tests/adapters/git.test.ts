import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GitSession, openRepository, type Tree } from '../../src/adapters/git.ts';
import { InputError } from '../../src/common/errors.ts';
import type { Commit } from '../../src/model/build.ts';
import { describeCommit } from '../../src/report/bisection.ts';

let folder: string;
let root: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate git '));
  root = join(folder, 'a: repository');
  mkdirSync(join(root, 'sub project'), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(root, '.gitignore'), 'ignored\n');
  writeFileSync(join(root, 'sub project', 'file "with" quotes'), 'one\n');
  symlinkSync('sub project', join(root, 'link'));
  commit('first');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): string {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' }).trim();
}

function commit(message: string): string {
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
  return git('rev-parse', 'HEAD');
}

function commitEmpty(message: string): string {
  git('commit', '--quiet', '--allow-empty', '--message', message);
  return git('rev-parse', 'HEAD');
}

/** Every file below the repository, .git included: path to content's hash and modification time. */
function fingerprint(): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      // git freshens the times of objects it would have written again; their content is what counts.
      return [path, path.includes('/.git/objects/') ? hash : `${hash} ${statSync(path).mtimeMs}`];
    }),
  );
}

async function withSession<T>(work: (session: GitSession) => Promise<T>, project = root): Promise<T> {
  const session = await GitSession.open(await openRepository(project));
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

describe('a git session', () => {
  test("finds the repository's root and the project's path in it", async () => {
    expect(await openRepository(join(root, 'sub project'))).toMatchObject({ root, projectPath: 'sub project' });
    expect((await openRepository(root)).projectPath).toBe('');
    await expect(openRepository(folder)).rejects.toThrow(InputError);
  });

  test('reads the messages in which a line begins with a key, of the commits between two others, whatever git is set to', async () => {
    const base = commitEmpty('base\n\nbpfgate-accept: of base');
    const one = commitEmpty('one\n\n  Bpfgate-Accept: a b +1\n  why\n\n---------\n\nCo-authored-by: a <b@c>');
    commitEmpty('two\n\nnot bpfgate-accept: c');
    const three = commitEmpty('three\n\n- > bpfgate-accept: d e\u001f');
    git('config', 'grep.patternType', 'fixed');
    await withSession(async (session) => {
      const found = await session.messagesWith(base, null, 'bpfgate-accept');
      expect(found.map(({ commit }) => commit)).toEqual([three, one]);
      expect(found.map(({ message }) => message.split('\n')[2])).toEqual([
        '- > bpfgate-accept: d e\u001f',
        '  Bpfgate-Accept: a b +1',
      ]);
      expect(await session.messagesWith(base, one, 'bpfgate-accept')).toEqual(found.slice(1));
      expect(await session.messagesWith(three, three, 'bpfgate-accept')).toEqual([]);
    });
  });

  test('reads the working tree and changes no byte of the repository', async () => {
    writeFileSync(join(root, 'sub project', 'file "with" quotes'), 'two\n');
    writeFileSync(join(root, 'untracked'), 'new\n');
    writeFileSync(join(root, 'ignored'), 'no\n');
    mkdirSync(join(root, 'out'));
    writeFileSync(join(root, 'out', 'results.json'), '{}');
    const before = fingerprint();
    const target = join(folder, 'checked out');
    const tree = await withSession(async (session) => {
      const found = await session.workingTree(join(root, 'out'));
      await session.checkOut(found, target);
      expect(await session.changedFiles(found, target)).toEqual([]);
      writeFileSync(join(target, 'untracked'), 'changed\n');
      expect(await session.changedFiles(found, target)).toEqual(['untracked']);
      return found;
    });
    expect(fingerprint()).toEqual(before);
    expect(tree).toMatchObject({ commit: null, ref: 'working tree' });
    expect(readdirSync(target).sort()).toEqual(['.gitignore', 'link', 'sub project', 'untracked']);
    expect(readFileSync(join(target, 'link', 'file "with" quotes'), 'utf8')).toBe('two\n');
  });

  test.each(['out', 'ignored/out', 'out/'])(
    'leaves the output folder %s out also if .gitignore names it',
    async (out) => {
      writeFileSync(join(root, '.gitignore'), 'ignored\nout\n');
      commit('ignore it');
      writeFileSync(join(root, 'changed'), '');
      mkdirSync(join(root, out), { recursive: true });
      writeFileSync(join(root, out, 'results.json'), '{}');
      const files = await withSession(async (session) => {
        return [...(await session.listFiles(await session.workingTree(join(root, out)))).keys()];
      });
      expect(files.toSorted()).toEqual(['.gitignore', 'changed', 'link', 'sub project/file "with" quotes']);
    },
  );

  test('takes the default branch for it also where a tag has its name', async () => {
    const first = git('rev-parse', 'HEAD');
    const second = commitEmpty('second');
    git('checkout', '--quiet', '--detach');
    commitEmpty('third');
    for (const name of ['main', 'origin/main']) git('tag', name, first);
    const tree = { commit: git('rev-parse', 'HEAD') };
    expect(await withSession((session) => session.defaultBase(tree))).toMatchObject({ commit: second });
  });

  test('asks origin for its default branch where the clone has none of the usual names', async () => {
    git('branch', '--move', 'trunk');
    const fork = git('rev-parse', 'HEAD');
    git('checkout', '--quiet', '-b', 'topic');
    const topic = commitEmpty('topic');
    git('checkout', '--quiet', 'trunk');
    const clone = join(folder, 'clone');
    execFileSync('git', ['clone', '--quiet', '--branch=topic', '--single-branch', `file://${root}`, clone]);
    execFileSync('git', ['remote', 'set-head', 'origin', '--delete'], { cwd: clone });
    await withSession(async (session) => {
      const base = { commit: fork, ref: 'merge-base with origin/HEAD' };
      expect(await session.defaultBase({ commit: topic })).toMatchObject(base);
    }, clone);
  });

  test('recognises a clean working tree as its commit', async () => {
    const head = git('rev-parse', 'HEAD');
    expect(await withSession((session) => session.workingTree(join(root, 'out')))).toMatchObject({ commit: head });
  });

  test('sees a change of the same length, made in the second of the last commit', async () => {
    const file = join(root, 'sub project', 'file "with" quotes');
    // Otherwise the file's ctime would show git the change.
    git('config', 'core.trustctime', 'false');
    const second = new Date('2026-01-01T00:00:00Z');
    utimesSync(file, second, second);
    git('update-index', '--refresh');
    writeFileSync(file, 'two\n');
    for (const path of [file, join(root, '.git', 'index')]) utimesSync(path, second, second);
    expect(await withSession((session) => session.workingTree(join(root, 'out')))).toMatchObject({ commit: null });
  });

  test('finds the merge-base with the default branch, or with a given one', async () => {
    const fork = git('rev-parse', 'HEAD');
    git('checkout', '--quiet', '-b', 'feature');
    writeFileSync(join(root, 'feature'), '');
    const feature = commit('feature');
    git('checkout', '--quiet', 'main');
    writeFileSync(join(root, 'main'), '');
    commit('main');
    await withSession(async (session) => {
      expect(await session.mergeBase(feature)).toMatchObject({ commit: fork, ref: 'merge-base with main' });
      expect(await session.mergeBase('main', 'feature')).toMatchObject({ commit: fork });
      await expect(session.mergeBase('main', 'nowhere')).rejects.toThrow('unknown revision "nowhere"');
      const id = 'c'.repeat(40);
      await expect(session.commitTree(id)).rejects.toMatchObject({
        message: `revision "${id}" is not in ${root}, and cannot be fetched: this clone has no remote \`origin\` with an address that is fetched from`,
        hint: `fetch it first: git fetch origin ${id}`,
      });
      await expect(session.commitTree('c'.repeat(10))).rejects.toMatchObject({
        hint: expect.stringContaining('with its whole id'),
      });
    });
  });

  test('compares a commit of the default branch with its upstream, or else with its parent', async () => {
    const first = git('rev-parse', 'HEAD');
    const base = async (ref?: string) =>
      await withSession(async (session) => {
        const head = ref === undefined ? await session.workingTree(join(root, 'out')) : await session.commitTree(ref);
        return await session.defaultBase(head);
      });
    await expect(base()).rejects.toThrow(/^[0-9a-f]{7} is the first commit of .*: no other can be its base$/);
    writeFileSync(join(root, 'second'), '');
    const second = commit('second');
    writeFileSync(join(root, 'third'), '');
    const third = commit('third');
    expect(await base()).toMatchObject({ commit: second, ref: `the commit before ${third.slice(0, 7)}` });
    expect(await base(second)).toMatchObject({ commit: first });
    writeFileSync(join(root, 'third'), 'changed');
    expect(await base()).toMatchObject({ commit: third, ref: 'merge-base with main' });
    git('checkout', '--quiet', '--', 'third');

    git('update-ref', 'refs/remotes/company/main', first);
    git('config', 'remote.company.url', 'https://git.invalid/project');
    git('config', 'remote.company.fetch', '+refs/heads/*:refs/remotes/company/*');
    git('config', 'branch.main.remote', 'company');
    git('config', 'branch.main.merge', 'refs/heads/main');
    expect(await base()).toMatchObject({ commit: first, ref: 'merge-base with company/main' });
  });

  test('fails in a repository without a commit to compare with', async () => {
    const empty = join(folder, 'empty');
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', empty]);
    writeFileSync(join(empty, 'bpfgate.toml'), '');
    const session = await GitSession.open(await openRepository(empty));
    try {
      const error = await session.defaultBase(await session.workingTree(join(empty, 'out'))).catch((error) => error);
      expect(error).toBeInstanceOf(InputError);
      expect(error.message).toBe(`${empty} has no commit yet`);
      expect(error.hint).toBe('commit the project: the working tree is then compared with that commit');
    } finally {
      await session.close();
    }
  });

  test("ignores git's hook variables and the user's settings", async () => {
    git('config', 'core.splitIndex', 'true');
    const other = join(folder, 'other:repository');
    execFileSync('git', ['init', '--quiet', other]);
    process.env.GIT_DIR = join(other, '.git');
    process.env.GIT_INDEX_FILE = join(other, 'index');
    try {
      const before = fingerprint();
      const tree = await withSession((session) => session.workingTree(join(root, 'out')));
      expect(fingerprint()).toEqual(before);
      delete process.env.GIT_DIR;
      delete process.env.GIT_INDEX_FILE;
      expect(tree.commit).toBe(git('rev-parse', 'HEAD'));
    } finally {
      delete process.env.GIT_DIR;
      delete process.env.GIT_INDEX_FILE;
    }
  });

  test('reads a linked worktree', async () => {
    const linked = join(folder, 'linked');
    git('worktree', 'add', '--quiet', linked, 'HEAD');
    writeFileSync(join(linked, 'only here'), '');
    await withSession(async (session) => {
      const tree = await session.workingTree(join(linked, 'out'));
      await session.checkOut(tree, join(folder, 'target'));
      expect(readdirSync(join(folder, 'target'))).toContain('only here');
    }, linked);
  });
});

describe('submodules', { tags: ['hostile'] }, () => {
  const inSource = (name: string) => join(folder, 'sources', name);
  const outside = (cwd: string, ...args: string[]) => git('-C', cwd, '-c', 'protocol.file.allow=always', ...args);
  let template: string | undefined;
  let clone: string;
  let canary: string;

  /** Commits one file to a source repository, which is created if it is missing. */
  function commitSource(name: string, text: string): string {
    mkdirSync(inSource(name), { recursive: true });
    outside(inSource(name), 'init', '--quiet', '--initial-branch=main');
    writeFileSync(join(inSource(name), 'text'), text);
    outside(inSource(name), 'add', '--all');
    outside(inSource(name), 'commit', '--quiet', '--message', text);
    return outside(inSource(name), 'rev-parse', 'HEAD');
  }

  /** Points the submodule `vendor/library` of the repository to a commit. */
  function moveLibrary(commitId: string, message: string): string {
    outside(join(root, 'vendor/library'), 'fetch', '--quiet');
    outside(join(root, 'vendor/library'), 'checkout', '--quiet', commitId);
    return commit(message);
  }

  /** Makes `base`, and `main`, which moves a submodule that contains another. Made once and copied for every test. */
  beforeEach(() => {
    canary = join(folder, 'canary');
    clone = join(folder, 'clone');
    if (template !== undefined) {
      rmSync(root, { recursive: true });
      cpSync(template, folder, { recursive: true, verbatimSymlinks: true });
      plant();
      return;
    }
    commitSource('inner', 'inner\n');
    commitSource('library', 'library of base\n');
    outside(inSource('library'), 'submodule', 'add', '--quiet', '../inner', 'third/inner');
    // Names a filter, which git would run at checkout.
    writeFileSync(join(inSource('library'), '.gitattributes'), 'text filter=canary\n');
    const first = commitSource('library', 'library of base\n2');
    outside(root, 'submodule', 'add', '--quiet', '--name', 'the library', inSource('library'), 'vendor/library');
    moveLibrary(first, 'base');
    git('tag', 'base');
    moveLibrary(commitSource('library', 'library of head\n'), 'head');
    cloneWith();
    template = mkdtempSync(join(tmpdir(), 'bpfgate git template '));
    cpSync(folder, template, { recursive: true, verbatimSymlinks: true });
    plant();
  });
  afterAll(() => rmSync(template ?? '', { recursive: true, force: true }));

  /** Clones as actions/checkout with `submodules: recursive` does. */
  function cloneWith(...options: string[]): void {
    rmSync(clone, { recursive: true, force: true });
    outside(folder, 'clone', '--quiet', root, clone);
    outside(clone, 'submodule', 'update', '--quiet', '--init', '--recursive', ...options);
  }

  /** Makes the clone's repositories name programs to run, each of which leaves the canary. */
  function plant(): void {
    for (const gitDir of ['.git', '.git/modules/the library', '.git/modules/the library/modules/third/inner']) {
      const set = (name: string, value: string) => git('config', '--file', join(clone, gitDir, 'config'), name, value);
      set('core.fsmonitor', `touch '${canary}'; false`);
      if (gitDir === '.git') {
        // In .gitmodules, git itself refuses it.
        set('submodule.the library.update', `!touch '${canary}'`);
        continue;
      }
      for (const kind of ['smudge', 'clean']) set(`filter.canary.${kind}`, `touch '${canary}'; cat`);
      mkdirSync(join(clone, gitDir, 'hooks'), { recursive: true });
      writeFileSync(join(clone, gitDir, 'hooks/post-index-change'), `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 });
    }
  }

  const checkOut = async (find: (session: GitSession) => Promise<Tree>, name: string): Promise<Tree> =>
    withSession(async (session) => {
      const tree = await find(session);
      await session.checkOut(tree, join(folder, name));
      expect(await session.changedFiles(tree, join(folder, name))).toEqual([]);
      return tree;
    }, clone);
  const read = (name: string, path: string) => readFileSync(join(folder, name, path), 'utf8');
  const workingTree = (session: GitSession) => session.workingTree(join(clone, 'out'));

  test('of both revisions are read from .git/modules, also nested ones, and their settings run nothing', async () => {
    rmSync(join(folder, 'sources'), { recursive: true });
    const before = readdirSync(join(clone, '.git'), { recursive: true }).toSorted();
    const base = await checkOut((session) => session.commitTree('base'), 'base');
    const head = await checkOut(workingTree, 'head');
    expect(read('base', 'vendor/library/text')).toBe('library of base\n2');
    expect(read('head', 'vendor/library/text')).toBe('library of head\n');
    for (const name of ['base', 'head']) expect(read(name, 'vendor/library/third/inner/text')).toBe('inner\n');
    expect(readdirSync(join(folder, 'head/vendor/library'))).not.toContain('.git');
    expect(head.commit).toBe(git('rev-parse', 'main'));
    expect(base.id).not.toBe(head.id);
    expect(readdirSync(join(clone, '.git'), { recursive: true }).toSorted()).toEqual(before);
    expect(existsSync(canary)).toBe(false);
  });

  test('do not change the id of a tree with the same files', async () => {
    const head = await checkOut(workingTree, 'head');
    for (const path of ['.', 'vendor/library', 'vendor/library/third/inner']) {
      rmSync(join(clone, path, '.git'), { recursive: true });
    }
    outside(clone, 'init', '--quiet');
    outside(clone, 'add', '--all');
    expect(outside(clone, 'write-tree')).toBe(head.id);
  });

  test('are read with the changes in their working trees', async () => {
    const clean = await checkOut(workingTree, 'clean');
    writeFileSync(join(clone, 'vendor/library/third/inner/text'), 'changed\n');
    writeFileSync(join(clone, 'vendor/library/untracked'), 'new\n');
    const inner = await checkOut(workingTree, 'changed');
    expect(read('changed', 'vendor/library/third/inner/text')).toBe('changed\n');
    expect(read('changed', 'vendor/library/untracked')).toBe('new\n');
    expect(inner).toMatchObject({ commit: null, ref: 'working tree' });
    expect(inner.id).not.toBe(clean.id);
    expect(existsSync(canary)).toBe(false);
  });

  test('are read at the commit that is checked out, also if it is not committed in the superproject', async () => {
    outside(join(clone, 'vendor/library'), 'checkout', '--quiet', 'HEAD~1');
    expect(await checkOut(workingTree, 'moved')).toMatchObject({ commit: null });
    expect(read('moved', 'vendor/library/text')).toBe('library of base\n2');
  });

  test('of an old clone, with git folders of their own, are found', async () => {
    for (const path of ['vendor/library/third/inner', 'vendor/library']) {
      const gitDir = outside(join(clone, path), 'rev-parse', '--absolute-git-dir');
      rmSync(join(clone, path, '.git'));
      cpSync(gitDir, join(clone, path, '.git'), { recursive: true });
      git('config', '--file', join(clone, path, '.git/config'), '--unset', 'core.worktree');
      rmSync(gitDir, { recursive: true });
    }
    rmSync(join(clone, 'vendor/library/.git/modules'), { recursive: true });
    await checkOut((session) => session.commitTree('base'), 'base');
    expect(read('base', 'vendor/library/third/inner/text')).toBe('inner\n');
    expect(await checkOut(workingTree, 'head')).toMatchObject({ commit: git('rev-parse', 'main') });
  });

  test.each([
    [
      'never checked out',
      () => rmSync(join(clone, '.git/modules'), { recursive: true }),
      'head',
      /submodules: recursive/,
    ],
    [
      'fetched without the base',
      () => cloneWith('--depth=1'),
      'base',
      /git -C vendor\/library fetch origin [0-9a-f]{40}`.*fetch-depth: 0/,
    ],
  ])('%s: one error that names submodule, path, commit and the next step', async (_, prepare, name, hint) => {
    // Only a clone from a URL can be shallow.
    git('config', '--file', '.gitmodules', 'submodule.the library.url', `file://${inSource('library')}`);
    commit('an address');
    prepare();
    if (name === 'head') {
      rmSync(join(clone, 'vendor/library'), { recursive: true });
      mkdirSync(join(clone, 'vendor/library'));
    }
    const revision = name === 'head' ? 'HEAD' : 'base';
    if (name === 'base') outside(clone, 'fetch', '--quiet', 'origin', 'tag', 'base');
    const missing = outside(clone, 'rev-parse', `${revision}:vendor/library`);
    const error: unknown = await checkOut((session) => session.commitTree(revision), 'out').catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).message).toBe(
      `${revision} has the submodule the library at vendor/library, whose commit ${missing} is not in this clone`,
    );
    expect((error as InputError).hint).toMatch(hint);
  });

  test('a `.git` file that points outside .git/modules is refused', async () => {
    const other = join(folder, 'other');
    outside(folder, 'init', '--quiet', other);
    for (const named of [join(other, '.git'), '../../../other/.git', '../../.git', 'nowhere']) {
      writeFileSync(join(clone, 'vendor/library/.git'), `gitdir: ${named}\n`);
      await expect(checkOut(workingTree, 'out')).rejects.toThrow(`names the git folder ${named}, and not one below`);
    }
  });

  test('names and paths in .gitmodules cannot lead outside the repository', async () => {
    const before = readdirSync(folder, { recursive: true }).toSorted();
    writeFileSync(
      join(clone, '.gitmodules'),
      '[submodule "../../x"]\npath = ../../escaped\nurl = x\n[submodule "../../escaped"]\npath = vendor/library\n',
    );
    await withSession(async (session) => {
      const tree = await session.workingTree(join(clone, 'out'));
      await session.checkOut(tree, join(folder, 'target'));
    }, clone);
    const after = readdirSync(folder, { recursive: true }).filter((path) => !/^target(\/|$)/.test(String(path)));
    expect(after.toSorted()).toEqual(before);
    expect(read('target', 'vendor/library/text')).toBe('library of head\n');
  });

  test('a link at the path of a submodule, or above it, cannot lead outside the tree', async () => {
    const escaped = join(folder, 'escaped');
    cpSync(join(clone, 'vendor'), escaped, { recursive: true });
    rmSync(join(clone, 'vendor'), { recursive: true });
    symlinkSync(escaped, join(clone, 'vendor'));
    const tree = await checkOut(workingTree, 'out');
    expect(tree.parts).toHaveLength(1);
    expect(readlinkSync(join(folder, 'out/vendor'))).toBe(escaped);
  });

  test.each(['..', '.git', 'a/../../b'])('a commit at the path %s is refused', async (path) => {
    const commitId = git('rev-parse', 'base');
    const [name = '', ...rest] = path.split('/').toReversed();
    const write = (mode: string, entry: string, id: string) =>
      execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
        cwd: clone,
        input: Buffer.concat([Buffer.from(`${mode} ${entry}\0`), Buffer.from(id, 'hex')]),
        encoding: 'utf8',
      }).trim();
    let tree = write('160000', name, commitId);
    for (const entry of rest) tree = write('40000', entry, tree);
    const head = outside(clone, 'commit-tree', '-m', 'evil', tree);
    outside(clone, 'fetch', '--quiet', root, commitId);
    await expect(checkOut((session) => session.commitTree(head), 'out')).rejects.toThrow(/invalid path|failed/i);
    expect(existsSync(join(folder, 'b'))).toBe(false);
  });

  test('a repository that a build creates at the path of a submodule is not read', async () => {
    await withSession(async (session) => {
      const tree = await session.commitTree('HEAD');
      const target = join(folder, 'target');
      await session.checkOut(tree, target);
      outside(join(target, 'vendor/library'), 'init', '--quiet');
      outside(join(target, 'vendor/library'), 'commit', '--quiet', '--allow-empty', '--message', 'built');
      outside(join(target, 'vendor/library'), 'config', 'core.fsmonitor', `touch '${canary}'; false`);
      writeFileSync(join(target, 'vendor/library/text'), 'changed\n');
      expect(await session.changedFiles(tree, target)).toEqual(['vendor/library/text']);
    }, clone);
    expect(existsSync(canary)).toBe(false);
  });
});

describe('first parents', () => {
  const list = async (from: string, to: string) => {
    const session = await GitSession.open(await openRepository(root));
    return await session.firstParents(from, to).finally(() => session.close());
  };

  test('lead from one commit to another, a merge being one', async () => {
    git('switch', '--quiet', '--create', 'side');
    writeFileSync(join(root, 'side'), 'side\n');
    const side = commit('on the side');
    git('switch', '--quiet', 'main');
    writeFileSync(join(root, 'own'), 'own\n');
    const own = commit('own: subject\n\nBody.');
    git('merge', '--quiet', '--no-ff', '--message', 'merge', 'side');
    const commits = await list('main~2', 'main');
    expect(commits.map(({ subject }) => subject)).toEqual(['first', 'own: subject', 'merge']);
    expect(commits[1]).toMatchObject({ id: own, author: 'test', date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    expect(commits[2]?.parents).toEqual([own, side]);
    for (const [from, to] of [
      ['side', 'main'],
      ['main', 'main~1'],
      ['main', 'HEAD'],
    ] as const) {
      await expect(list(from, to)).rejects.toThrow(`${from} is not before ${to} along first parents`);
    }
  });

  test('lead through a branch that had merged the other, by the command that is shown for its merge', async () => {
    git('switch', '--quiet', '--create', 'side');
    commitEmpty('on the side');
    git('switch', '--quiet', 'main');
    commitEmpty('own');
    git('switch', '--quiet', 'side');
    git('merge', '--quiet', '--no-ff', '--message', 'main into side', 'main');
    commitEmpty('later on the side');
    git('switch', '--quiet', 'main');
    commitEmpty('later');
    git('merge', '--quiet', '--no-ff', '--message', 'merge', 'side');
    const [, merge] = await list('main~1', 'main');
    const [, shown = ''] = describeCommit(merge as Commit, {});
    const range = /`bpfgate bisect (.*)`/.exec(shown)?.[1] ?? '';
    const [, from = '', , to = ''] = execFileSync('sh', ['-c', `echo ${range}`], { cwd: root, encoding: 'utf8' })
      .trim()
      .split(' ');
    const inside = await list(from, to);
    expect(inside.map(({ subject }) => subject)).toEqual([
      'first',
      'on the side',
      'main into side',
      'later on the side',
    ]);
  });
});

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GitSession, openRepository } from '../../src/adapters/git.ts';
import { InputError } from '../../src/errors.ts';

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
  test('knows the root and where the project lies in it', async () => {
    expect(await openRepository(join(root, 'sub project'))).toMatchObject({ root, projectPath: 'sub project' });
    expect((await openRepository(root)).projectPath).toBe('');
    await expect(openRepository(folder)).rejects.toThrow(InputError);
  });

  test('takes the working tree as it is and leaves every byte of the repository as it was', async () => {
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

  test('recognises a clean working tree as its commit', async () => {
    const head = git('rev-parse', 'HEAD');
    expect(await withSession((session) => session.workingTree(join(root, 'out')))).toMatchObject({ commit: head });
  });

  test('sees a change of the same length, made in the second of the last commit', async () => {
    const file = join(root, 'sub project', 'file "with" quotes');
    // What else would tell git: the time of the last change to a file's own entry.
    git('config', 'core.trustctime', 'false');
    const second = new Date('2026-01-01T00:00:00Z');
    utimesSync(file, second, second);
    git('update-index', '--refresh');
    writeFileSync(file, 'two\n');
    for (const path of [file, join(root, '.git', 'index')]) utimesSync(path, second, second);
    expect(await withSession((session) => session.workingTree(join(root, 'out')))).toMatchObject({ commit: null });
  });

  test('finds the merge-base with the default branch, or with the one given', async () => {
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
      await expect(session.mergeBase('main', 'nowhere')).rejects.toThrow('git knows no revision "nowhere"');
    });
  });

  test("is not led astray by what git tells hooks, nor by the user's settings", async () => {
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

  test('refuses submodules by name', async () => {
    git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD')},vendor/libbpf`);
    git('commit', '--quiet', '--message', 'submodule');
    await withSession(async (session) => {
      const tree = await session.commitTree('HEAD');
      await expect(session.checkOut(tree, join(folder, 'out'))).rejects.toThrow('vendor/libbpf');
    });
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

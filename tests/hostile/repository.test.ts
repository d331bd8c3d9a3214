// A pull request's tree that holds a repository of its own, or names filters: git runs none of their programs.
// @module-tag hostile

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findEventBase } from '../../src/adapters/event-base.ts';
import { GitSession, openRepository } from '../../src/adapters/git.ts';
import { commit } from '../e2e/gated-project.ts';

let folder: string;
let repository: string;
let canary: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-hostile-')));
  repository = join(folder, 'repository');
  canary = join(folder, 'canary');
  commit(repository, 'base', { file: 'base\n' });
});
afterEach(() => rmSync(folder, { recursive: true }));

const git = (...args: string[]) => execFileSync('git', args, { cwd: repository });

/** Takes the working tree and a commit, checks both out, and asks for what differs. */
async function useAll(project: string): Promise<string[]> {
  const session = await GitSession.open(await openRepository(project));
  try {
    const texts: string[] = [];
    for (const tree of [await session.workingTree(join(folder, 'out')), await session.commitTree('base')]) {
      const target = join(folder, tree.id);
      await session.checkOut(tree, target);
      texts.push(readFileSync(join(target, 'file'), 'utf8'));
      await session.changedFiles(tree, target);
    }
    return texts;
  } finally {
    await session.close();
  }
}

test('a repository inside the tree, at the project, is ignored', async () => {
  const program = `sh -c 'echo >>${canary}; cat'`;
  // Anyone can commit a folder with these files, which is a bare repository to git.
  const embedded = join(repository, 'proj');
  mkdirSync(embedded);
  cpSync(join(repository, '.git'), embedded, { recursive: true });
  for (const [name, value] of [
    ['core.bare', 'false'],
    ['core.worktree', '.'],
    ['core.fsmonitor', program],
    ['core.hooksPath', '.'],
    ['filter.x.clean', program],
    ['filter.x.smudge', program],
  ] as const) {
    execFileSync('git', ['config', '--file', join(embedded, 'config'), name, value]);
  }
  writeFileSync(join(embedded, '.gitattributes'), '* filter=x\n');
  commit(repository, 'head', { file: 'head\n' });
  expect(await openRepository(embedded)).toMatchObject({ root: repository, projectPath: 'proj' });
  expect(await useAll(embedded)).toEqual(['head\n', 'base\n']);
  const event = { pull_request: { base: { ref: 'main', sha: 'f'.repeat(40) }, head: {} } };
  await findEventBase(embedded, event, { GITHUB_REF: 'refs/pull/1/merge' });
  expect(existsSync(canary)).toBe(false);
});

test('a filter of the user is not run for a tree that names it', async () => {
  const program = `sh -c 'echo >>${canary}; cat'`;
  for (const part of ['clean', 'smudge', 'process']) git('config', `filter.a.b.${part}`, program);
  git('config', 'filter.a.b.required', 'true');
  writeFileSync(join(repository, '.gitattributes'), '* filter=a.b\n');
  writeFileSync(join(repository, 'file'), 'working\n');
  expect(await useAll(repository)).toEqual(['working\n', 'base\n']);
  expect(existsSync(canary)).toBe(false);
});

test("missing objects of a partial clone are fetched by none of the clone's own commands", async () => {
  git('config', 'uploadpack.allowFilter', 'true');
  const clone = join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', '--no-checkout', '--filter=blob:none', `file://${repository}`, clone]);
  const set = (name: string, value: string) => execFileSync('git', ['config', name, value], { cwd: clone });
  // Other commands for git to fetch with, which leave the canary.
  const program = `sh -c 'echo >>${canary}; exit 1' --`;
  for (const name of [
    'remote.origin.uploadpack',
    'remote.origin.vcs',
    'core.sshCommand',
    'core.alternateRefsCommand',
  ]) {
    set(name, program);
  }
  const read = async () => {
    const session = await GitSession.open(await openRepository(clone));
    try {
      const tree = await session.commitTree('base');
      await session.checkOut(tree, join(folder, 'checkout'));
    } finally {
      await session.close();
    }
  };
  await read();
  expect(readFileSync(join(folder, 'checkout', 'file'), 'utf8')).toBe('base\n');
  // Git would start what is after `ext::`.
  set('protocol.ext.allow', 'always');
  for (const url of [`ext::${program}`, `--upload-pack=${program}`, `ssh://-oProxyCommand=${program}/x`]) {
    set('remote.origin.url', url);
    await expect(read()).rejects.toThrow(/files of base \(1\) are not in .* \(partial clone\), and cannot be fetched/);
  }
  expect(existsSync(canary)).toBe(false);
});

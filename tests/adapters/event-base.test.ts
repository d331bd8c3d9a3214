// The base of a run in clones such as actions/checkout makes: one ref, with as many commits as `fetch-depth` says.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findEventBase, readOrigin } from '../../src/adapters/event-base.ts';
import { GitSession, openRepository } from '../../src/adapters/git.ts';
import { InputError } from '../../src/common/errors.ts';

let folder: string;
let origin: string;
/** The four commits of main, in order; and the pull request's, which is merged into the last one of main. */
let [first, second, third, fourth, topic] = ['', '', '', '', ''];

const git = (where: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: where, encoding: 'utf8' }).trim();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-event-base-'));
  origin = join(folder, 'origin');
  git(folder, 'init', '--quiet', '--initial-branch=main', origin);
  const commit = (message: string) => {
    git(origin, 'commit', '--quiet', '--allow-empty', '--message', message);
    return git(origin, 'rev-parse', 'HEAD');
  };
  [first, second, third, fourth] = ['1', '2', '3', '4'].map(commit) as [string, string, string, string];
  git(origin, 'checkout', '--quiet', '-b', 'topic', second);
  topic = commit('topic');
  git(origin, 'checkout', '--quiet', '--detach', 'main');
  git(origin, 'merge', '--quiet', '--no-ff', '--message', 'merge', topic);
  git(origin, 'update-ref', 'refs/pull/7/merge', 'HEAD');
  git(origin, 'checkout', '--quiet', 'main');
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

/** Clones as actions/checkout does: `depth` 0 fetches all branches with their history. */
function checkOut(ref: string, depth: number): string {
  const clone = mkdtempSync(join(folder, 'clone-'));
  git(clone, 'init', '--quiet');
  git(clone, 'remote', 'add', 'origin', `file://${origin}`);
  const fetched = depth === 0 ? [] : [`--depth=${depth}`];
  const branches = depth === 0 ? ['+refs/heads/*:refs/remotes/origin/*'] : [];
  git(clone, 'fetch', '--quiet', '--no-tags', ...fetched, 'origin', ...branches, `+${ref}:refs/remotes/checked-out`);
  git(clone, 'checkout', '--quiet', '--detach', 'refs/remotes/checked-out');
  return clone;
}

interface Found {
  readonly commit: string | null;
  readonly warnings: readonly string[];
}

/** The commit that a gate in the clone compares with. */
async function baseIn(clone: string, event: unknown, ref = 'refs/heads/main'): Promise<Found> {
  const warnings: string[] = [];
  const log = { progress: () => {}, warn: (message: string) => warnings.push(message) };
  const { base, baseBranch } = await findEventBase(clone, { event, ref, log });
  const session = await GitSession.open(await openRepository(clone));
  try {
    const tree = base === undefined ? await session.mergeBase('HEAD', baseBranch) : await session.commitTree(base);
    return { commit: tree.commit, warnings };
  } finally {
    await session.close();
  }
}

const pullRequest = () => ({ pull_request: { base: { ref: 'main', sha: third }, head: { sha: topic } } });
const push = (before: string) => ({ before, forced: false, repository: { default_branch: 'main' } });

describe('fetch-depth: 2 is enough', () => {
  test("for a pull request's merge commit, compared with its first parent", async () => {
    const found = await baseIn(checkOut('refs/pull/7/merge', 2), pullRequest(), 'refs/pull/7/merge');
    expect(found).toEqual({ commit: fourth, warnings: [] });
  });

  test('for a push of one commit', async () => {
    expect(await baseIn(checkOut('refs/heads/main', 2), push(third))).toEqual({ commit: third, warnings: [] });
  });

  test('for a schedule on the default branch', async () => {
    const { before: _, ...schedule } = push('');
    expect(await baseIn(checkOut('refs/heads/main', 2), schedule)).toEqual({ commit: third, warnings: [] });
  });
});

test('at depth 2 a push of several commits is compared with the parent of the last one, with a warning', async () => {
  const found = await baseIn(checkOut('refs/heads/main', 2), push(first));
  expect(found.commit).toBe(third);
  expect(found.warnings).toEqual([
    expect.stringMatching(new RegExp(`^the commit before this push, ${first}, .* set \`fetch-depth: 0\``)),
  ]);
  expect(await baseIn(checkOut('refs/heads/main', 0), push(first))).toEqual({ commit: first, warnings: [] });
});

describe('with too short a history, the error names the next step', () => {
  const short = expect.objectContaining({
    message: expect.stringContaining('a clone without its whole history'),
    hint: expect.stringContaining('set `fetch-depth` for actions/checkout: 2 is enough'),
  });

  test('for a merge commit at depth 1', async () => {
    const found = baseIn(checkOut('refs/pull/7/merge', 1), pullRequest(), 'refs/pull/7/merge');
    await expect(found).rejects.toEqual(short);
  });

  test('for the head of a pull request, which needs the whole history', async () => {
    const event = pullRequest();
    await expect(baseIn(checkOut('refs/heads/topic', 2), event, 'refs/pull/7/merge')).rejects.toEqual(short);
    expect(await baseIn(checkOut('refs/heads/topic', 0), event)).toEqual({ commit: second, warnings: [] });
  });

  test('for a push that creates a branch, without the default branch', async () => {
    await expect(baseIn(checkOut('refs/heads/topic', 2), push('0'.repeat(40)), 'refs/heads/topic')).rejects.toEqual(
      short,
    );
  });

  test('but not for an unknown revision in a complete clone', async () => {
    const session = await GitSession.open(await openRepository(origin));
    const unknown = await session.commitTree('nowhere').catch((error: unknown) => error);
    await session.close();
    expect(unknown).toBeInstanceOf(InputError);
    expect(unknown).toMatchObject({ hint: 'give a branch, a tag or a commit that is in the repository' });
  });
});

test("a run's origin is read from its variables, its event and the commit that is checked out", async () => {
  const clone = checkOut('refs/heads/main', 1);
  const env = {
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_PROTECTED: 'true',
    GITHUB_SHA: third,
  };
  expect(await readOrigin(clone, { repository: { default_branch: 'trunk' } }, env)).toEqual({
    event: 'push',
    ref: 'refs/heads/main',
    isProtected: true,
    defaultBranch: 'trunk',
    sha: third,
    checkedOut: fourth,
  });
  const nothing = { event: undefined, ref: undefined, isProtected: false, defaultBranch: undefined, sha: undefined };
  expect(await readOrigin(folder, undefined, {})).toEqual({ ...nothing, checkedOut: undefined });
});

// The base of a run in clones such as actions/checkout makes: one ref, with as many commits as `fetch-depth` says.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findEventBase, readOrigin } from '../../src/adapters/event-base.ts';
import { GitSession, openRepository } from '../../src/adapters/git.ts';
import { InputError } from '../../src/common/errors.ts';

let folder: string;
let origin: string;

const git = (where: string, ...args: string[]) => {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...args], { cwd: where, encoding: 'utf8' }).trim();
};

/**
 * Commits by name. `trunk`, the default branch, is m1 to m4: m3 merges pull request 11 (r1), and m4 is the squash of 10
 * (q1, q2). Open are 7 (t1, t2), 8 on top of it (s1) and 9 from a fork (f1), each with GitHub's merge commit (pull7). g1
 * is a merge group, and g2, squash and rebased are what the next one in the queue is by each method. `old` was replaced
 * by a forced push, and no ref has it. l1 and l2 are a release branch.
 */
const ids = new Map<string, string>();
const id = (name: string) => ids.get(name) ?? name;
const nameOf = (commit: string | null) => [...ids].find(([, each]) => each === commit)?.[0] ?? commit;

function commit(name: string, ...parents: string[]): void {
  writeFileSync(join(origin, 'file'), `${name}\n`);
  writeFileSync(join(origin, 'shown'), 'shown\n');
  git(origin, 'add', 'file', 'shown');
  const on = parents.flatMap((parent) => ['-p', id(parent)]);
  ids.set(name, git(origin, 'commit-tree', git(origin, 'write-tree'), ...on, '-m', name));
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-event-base-'));
  origin = join(folder, 'owner', 'project');
  git(folder, 'init', '--quiet', '--initial-branch=trunk', origin);
  git(origin, 'config', 'uploadpack.allowFilter', 'true');
  for (const [name, ...parents] of [
    ['m1'],
    ['r1', 'm1'],
    ['m2', 'm1'],
    ['m3', 'm2', 'r1'],
    ['q1', 'm2'],
    ['q2', 'q1'],
    ['m4', 'm3'],
    ['t1', 'm2'],
    ['t2', 't1'],
    ['old', 'm2'],
    ['s1', 't2'],
    ['f1', 'm3'],
    ['pull7', 'm4', 't2'],
    ['pull8', 't2', 's1'],
    ['pull9', 'm4', 'f1'],
    ['g1', 'm4', 't2'],
    ['g2', 'g1', 'f1'],
    ['squash', 'g1'],
    ['rebased1', 'g1'],
    ['rebased2', 'rebased1'],
    ['l1', 'm2'],
    ['l2', 'l1'],
    ['synced', 't1', 'm3'],
    ['octopus', 'm3', 'l2', 't2'],
    // Criss-cross: each side has merged the other.
    ['left1', 'm2'],
    ['right1', 'm2'],
    ['left2', 'left1', 'right1'],
    ['right2', 'right1', 'left1'],
    // Both sides have merged a commit after m1, to which it is fewer steps than to the last one in common, m2.
    ['near1', 'm1'],
    ['near2', 'm1'],
    ['far1', 'm2'],
    ['far2', 'far1'],
    ['far', 'far2', 'near1'],
    ['other1', 'm2'],
    ['other2', 'other1'],
    ['other', 'other2', 'near2'],
    ['evil', 'f1'],
  ] as const) {
    commit(name, ...parents);
  }
  const refs = {
    'refs/heads/trunk': 'm4',
    'refs/heads/topic': 't2',
    'refs/heads/stacked': 's1',
    'refs/heads/release/1': 'l2',
    'refs/heads/new': 'm4',
    'refs/heads/synced': 'synced',
    'refs/heads/octopus': 'octopus',
    'refs/heads/left': 'left2',
    'refs/heads/right': 'right2',
    'refs/heads/far': 'far',
    'refs/heads/other': 'other',
    'refs/heads/queue': 'g2',
    'refs/heads/queue-squash': 'squash',
    'refs/heads/queue-rebase': 'rebased2',
    'refs/pull/7/head': 't2',
    'refs/pull/7/merge': 'pull7',
    'refs/pull/8/merge': 'pull8',
    'refs/pull/9/head': 'f1',
    'refs/pull/9/merge': 'pull9',
    'refs/pull/10/head': 'q2',
    'refs/tags/v1': 'm4',
    'refs/tags/v0': 'm1',
    'refs/tags/v1.0.1': 'l2',
    // Named as the default branch.
    'refs/tags/trunk': 'm1',
    'refs/tags/origin/trunk': 'm1',
  };
  for (const [ref, name] of Object.entries(refs)) git(origin, 'update-ref', ref, id(name));
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

const clones = new Map<string, string>();

/** Clones, or finds the clone that is there: sessions never write it. */
function cloneOf(what: string, depth: number): string {
  const key = `${what} ${depth}`;
  const clone = clones.get(key) ?? checkOut(what, depth);
  clones.set(key, clone);
  return clone;
}

/** Clones as actions/checkout does: `depth` 0 fetches all branches and tags with their history. */
function checkOut(what: string, depth: number, ...options: string[]): string {
  const clone = mkdtempSync(join(folder, 'clone-'));
  git(clone, 'init', '--quiet', '--initial-branch=none');
  git(clone, 'remote', 'add', 'origin', `file://${origin}`);
  const all = depth === 0 ? ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'] : [];
  const depths = depth === 0 ? [] : [`--depth=${depth}`];
  const to = what.replace('refs/heads/', 'refs/remotes/origin/').replace('refs/pull/', 'refs/remotes/pull/');
  const own = what.startsWith('refs/') ? `+${what}:${to}` : `+${what}:refs/bpfgate-test`;
  git(clone, 'fetch', '--quiet', '--no-tags', ...depths, ...options, 'origin', ...all, own);
  git(clone, '-c', 'protocol.file.allow=always', 'checkout', '--quiet', '--detach', own.slice(own.indexOf(':') + 1));
  git(clone, 'update-ref', '-d', 'refs/bpfgate-test');
  return clone;
}

interface Run {
  readonly name: string;
  readonly event?: object;
  readonly ref: string;
  readonly sha: string;
}

/** Names the commit that a gate in the clone compares with, or its error. */
async function baseIn(clone: string, { name, event = {}, ref, sha }: Run): Promise<string> {
  const payload = { repository: { default_branch: 'trunk', id: 1 }, ...event };
  const env = {
    GITHUB_EVENT_NAME: name,
    GITHUB_REF: ref,
    GITHUB_SHA: id(sha),
    GITHUB_SERVER_URL: `file://${folder}`,
    GITHUB_REPOSITORY: 'owner/project',
  };
  try {
    const { eventBase } = await findEventBase(clone, payload, env);
    const session = await GitSession.open(await openRepository(clone));
    try {
      const base = await session.defaultBase({ commit: null }, eventBase);
      return `${nameOf(base.commit)}: ${base.ref.replaceAll(id('m4').slice(0, 7), 'm4')}`;
    } finally {
      await session.close();
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return `error: ${error.message}${error.message.includes('cannot be fetched') ? `; ${error.hint}` : ''}`;
  }
}

const pull = (head: string, base = 'trunk', tip = 'm4') => ({
  base: { ref: base, sha: id(tip), repo: { id: 1 } },
  head: { sha: id(head) },
});
const push = (before: string, after: string, ref: string, more = {}) => ({
  event: { before: before === 'none' ? '0'.repeat(40) : id(before), after: id(after), ref, ...more },
});
const onTrunk = { ref: 'refs/heads/trunk', sha: 'm4' };
const workflowRun = (head: string, event: string, branch: string, pulls: object[] = []) => ({
  event: { workflow_run: { head_sha: id(head), head_branch: branch, event, pull_requests: pulls } },
});
const group = (head: string, base: string) => ({
  name: 'merge_group',
  event: { merge_group: { base_sha: id(base), base_ref: 'refs/heads/trunk', head_sha: id(head) } },
  ref: 'refs/heads/gh-readonly-queue/trunk/pr-9',
  sha: head,
});
const comment = { name: 'issue_comment', event: { issue: { pull_request: {} } }, ...onTrunk };
const merged = 'what the pull request is merged into';

/** Each row: what starts the workflow, what is checked out, and what that is compared with, whatever `fetch-depth` is. */
const rows: readonly (readonly [title: string, run: () => Run, checkedOut: string, base: RegExp | string])[] = [
  // Pull requests.
  ...['pull_request', 'pull_request_review', 'pull_request_review_comment'].map(
    (name) =>
      [
        `${name}, by default`,
        () => ({ name, event: { pull_request: pull('t2', 'trunk', 'm3') }, ref: 'refs/pull/7/merge', sha: 'pull7' }),
        'refs/pull/7/merge',
        `m4: ${merged}`,
      ] as const,
  ),
  ['pull_request, its head', () => ofPull('t2'), 't2', 'm2: merge-base with trunk'],
  ['pull_request, its head by branch', () => ofPull('t2'), 'refs/heads/topic', 'm2: merge-base with trunk'],
  ['pull_request, a head that is newer', () => ofPull('t1'), 'refs/heads/topic', 'm2: merge-base with trunk'],
  ['pull_request, a merge commit that is newer', () => ofPull('t1'), 'refs/pull/7/merge', `m4: ${merged}`],
  [
    'pull_request of a fork',
    () => ({ name: 'pull_request', event: { pull_request: pull('f1') }, ref: 'refs/pull/9/merge', sha: 'pull9' }),
    'refs/pull/9/merge',
    `m4: ${merged}`,
  ],
  ['pull_request of a fork, its head', () => ofPull('f1'), 'f1', 'm3: merge-base with trunk'],
  [
    'pull_request whose head has merged the base branch since the event named its tip',
    () => ofPull('synced', 'trunk', 'm1'),
    'synced',
    'm3: merge-base with trunk',
  ],
  [
    'a stacked pull_request',
    () => ({
      name: 'pull_request',
      event: { pull_request: pull('s1', 'topic', 't2') },
      ref: 'refs/pull/8/merge',
      sha: 'pull8',
    }),
    'refs/pull/8/merge',
    `t2: ${merged}`,
  ],
  ['a stacked pull_request, its head', () => ofPull('s1', 'topic', 't2'), 's1', 't2: merge-base with topic'],
  [
    'a stacked pull_request, whose base branch was merged and deleted',
    () => ofPull('s1', 'gone', 't2'),
    's1',
    't2: merge-base with gone',
  ],
  [
    'a stacked pull_request, whose base branch was rewritten meanwhile',
    () => ofPull('s1', 'release/1', 't1'),
    's1',
    't1: merge-base with release/1',
  ],
  [
    'a run again of a pull_request that was merged meanwhile, its head',
    () => ofPull('r1', 'trunk', 'm2'),
    'r1',
    'm1: merge-base with trunk',
  ],
  [
    'pull_request closed without a merge',
    () => ({ name: 'pull_request', event: { pull_request: pull('t2') }, ref: 'refs/pull/7/merge', sha: 'pull7' }),
    'refs/pull/7/merge',
    `m4: ${merged}`,
  ],
  [
    'pull_request closed by a merge commit',
    () => ({ name: 'pull_request', event: { pull_request: pull('r1') }, ref: 'refs/heads/trunk', sha: 'm3' }),
    'm3',
    `m2: ${merged}`,
  ],
  [
    'pull_request closed by a squash',
    () => ({ name: 'pull_request', event: { pull_request: pull('q2') }, ...onTrunk }),
    'refs/heads/trunk',
    /^error: nothing to compare: the pull request is closed, and what is checked out is `trunk`, which has it$/,
  ],
  [
    'pull_request_target',
    () => ({ name: 'pull_request_target', event: { pull_request: pull('t2') }, ...onTrunk }),
    'refs/heads/trunk',
    /^error: nothing of the pull request is checked out: for the event `pull_request_target` actions\/checkout takes `trunk`$/,
  ],
  [
    'pull_request_target, the head of the pull request',
    () => ({ name: 'pull_request_target', event: { pull_request: pull('t2') }, ...onTrunk }),
    't2',
    'm2: merge-base with trunk',
  ],
  [
    'pull_request_target, its merge commit',
    () => ({ name: 'pull_request_target', event: { pull_request: pull('t2') }, ...onTrunk }),
    'refs/pull/7/merge',
    `m4: ${merged}`,
  ],
  // Comments.
  ['issue_comment', () => comment, 'refs/heads/trunk', /^error: nothing of the pull request is checked out/],
  ['issue_comment, the head of the pull request', () => comment, 'refs/pull/7/head', 'm2: merge-base with trunk'],
  ['issue_comment, its head by id', () => comment, 't2', 'm2: merge-base with trunk'],
  ['issue_comment, its merge commit', () => comment, 'refs/pull/7/merge', `m4: ${merged}`],
  ['issue_comment, its merge commit by id', () => comment, 'pull7', 'm4: merge-base with trunk'],
  ['issue_comment, a head that is merged', () => comment, 'r1', /^error: nothing to compare: `trunk` already has/],
  // After another workflow.
  [
    'workflow_run of a pull request, by default',
    () => ({ name: 'workflow_run', ...workflowRun('t2', 'pull_request', 'topic', [pull('t2')]), ...onTrunk }),
    'refs/heads/trunk',
    /^error: nothing of the pull request is checked out/,
  ],
  [
    'workflow_run of a stacked pull request, its head',
    () => ({
      name: 'workflow_run',
      ...workflowRun('s1', 'pull_request', 'x', [pull('s1', 'topic', 't2')]),
      ...onTrunk,
    }),
    's1',
    't2: merge-base with topic',
  ],
  [
    "workflow_run of a fork's pull request, its head",
    () => ({ name: 'workflow_run', ...workflowRun('f1', 'pull_request', 'trunk'), ...onTrunk }),
    'f1',
    'm3: merge-base with trunk',
  ],
  [
    "workflow_run of a fork's pull request, its merge commit by id",
    () => ({ name: 'workflow_run', ...workflowRun('f1', 'pull_request', 'trunk'), ...onTrunk }),
    'pull9',
    `m4: ${merged}`,
  ],
  [
    'workflow_run of a push to the default branch, from which a pull request leads elsewhere',
    () => ({
      name: 'workflow_run',
      ...workflowRun('m4', 'push', 'trunk', [pull('m4', 'release/1', 'l2')]),
      ...onTrunk,
    }),
    'refs/heads/trunk',
    'm3: the commit before m4',
  ],
  [
    'check_suite of a pull request, its head',
    () => ({
      name: 'check_suite',
      event: { check_suite: { head_sha: id('s1'), pull_requests: [pull('s1', 'topic', 't2')] } },
      ...onTrunk,
    }),
    's1',
    't2: merge-base with topic',
  ],
  // By hand, by a program, by the clock.
  ...['workflow_dispatch', 'repository_dispatch', 'schedule', 'deployment', 'release'].map(
    (name) =>
      [
        `${name} on the default branch`,
        () => ({ name, ...onTrunk }),
        'refs/heads/trunk',
        'm3: the commit before m4',
      ] as const,
  ),
  [
    'workflow_dispatch on another branch',
    () => ({ name: 'workflow_dispatch', ref: 'refs/heads/topic', sha: 't2' }),
    'refs/heads/topic',
    'm2: merge-base with trunk',
  ],
  [
    'workflow_dispatch, the head of a pull request',
    () => ({ name: 'workflow_dispatch', ...onTrunk }),
    't2',
    'm2: merge-base with trunk',
  ],
  [
    'workflow_dispatch, the merge commit of one',
    () => ({ name: 'workflow_dispatch', ...onTrunk }),
    'refs/pull/7/merge',
    `m4: ${merged}`,
  ],
  [
    'workflow_dispatch, an older commit of the default branch',
    () => ({ name: 'workflow_dispatch', ...onTrunk }),
    'm2',
    /^m1: the commit before/,
  ],
  [
    'workflow_dispatch, a commit of a branch that was merged',
    () => ({ name: 'workflow_dispatch', ...onTrunk }),
    'r1',
    /^error: nothing to compare: trunk has merged [0-9a-f]{7}, which is checked out$/,
  ],
  // Pushes.
  [
    'push of one commit',
    () => ({ name: 'push', ...push('m3', 'm4', 'refs/heads/trunk'), ...onTrunk }),
    'refs/heads/trunk',
    'm3: the commit before this push',
  ],
  [
    'push of several commits',
    () => ({ name: 'push', ...push('m1', 'm4', 'refs/heads/trunk', { forced: false }), ...onTrunk }),
    'refs/heads/trunk',
    'm1: the commit before this push',
  ],
  [
    'push to another branch',
    () => ({ name: 'push', ...push('t1', 't2', 'refs/heads/topic'), ref: 'refs/heads/topic', sha: 't2' }),
    'refs/heads/topic',
    't1: the commit before this push',
  ],
  [
    'forced push to another branch',
    () => ({
      name: 'push',
      ...push('old', 't2', 'refs/heads/topic', { forced: true }),
      ref: 'refs/heads/topic',
      sha: 't2',
    }),
    'refs/heads/topic',
    'm2: merge-base with trunk',
  ],
  [
    'forced push to the default branch, of which no ref has the commit that was replaced',
    () => ({ name: 'push', ...push('old', 'm4', 'refs/heads/trunk', { forced: true }), ...onTrunk }),
    'refs/heads/trunk',
    'old: the commit that this push replaced',
  ],
  [
    'push that creates a branch',
    () => ({ name: 'push', ...push('none', 't2', 'refs/heads/topic'), ref: 'refs/heads/topic', sha: 't2' }),
    'refs/heads/topic',
    'm2: merge-base with trunk',
  ],
  [
    'push that creates a branch without a commit of its own',
    () => ({ name: 'push', ...push('none', 'm4', 'refs/heads/new'), ref: 'refs/heads/new', sha: 'm4' }),
    'refs/heads/new',
    /^error: nothing to compare: branch `new` has no commit that `trunk` does not have$/,
  ],
  [
    'push that creates the default branch',
    () => ({ name: 'push', ...push('none', 'm4', 'refs/heads/trunk'), ...onTrunk }),
    'refs/heads/trunk',
    'm3: the commit before m4',
  ],
  [
    'push of the first commit',
    () => ({ name: 'push', ...push('none', 'm1', 'refs/heads/trunk'), ref: 'refs/heads/trunk', sha: 'm1' }),
    'm1',
    /^error: [0-9a-f]{7} is the first commit of .*: no other can be its base$/,
  ],
  [
    'push that deletes a branch',
    () => ({ name: 'push', ...push('t2', 'none', 'refs/heads/topic', { after: '0'.repeat(40) }), ...onTrunk }),
    'refs/heads/trunk',
    /^error: nothing to compare: the event is that a branch or tag was deleted$/,
  ],
  [
    'push to the branch of a merge queue',
    () => {
      const ref = `refs/heads/gh-readonly-queue/trunk/pr-7-${id('m4')}`;
      return { name: 'push', ...push('none', 'g1', ref), ref, sha: 'g1' };
    },
    'g1',
    'm4: merge-base with trunk',
  ],
  [
    'pull_request with several merge-bases',
    () => ofPull('left2', 'right', 'right1'),
    'refs/heads/left',
    /^(left1|right1): merge-base with right$/,
  ],
  [
    'pull_request with an older common commit in fewer steps',
    () => ofPull('far', 'other', 'other'),
    'far',
    'm2: merge-base with other',
  ],
  [
    'push of a commit that merges several branches at once',
    () => ({
      name: 'push',
      ...push('none', 'octopus', 'refs/heads/octopus'),
      ref: 'refs/heads/octopus',
      sha: 'octopus',
    }),
    'refs/heads/octopus',
    'm3: merge-base with trunk',
  ],
  // Tags, releases.
  [
    'push of a tag on the default branch',
    () => ({ name: 'push', ...push('none', 'm4', 'refs/tags/v1'), ref: 'refs/tags/v1', sha: 'm4' }),
    'refs/tags/v1',
    'm3: the commit before m4',
  ],
  [
    'push of a tag on its first commit',
    () => ({ name: 'push', ...push('none', 'm1', 'refs/tags/v0'), ref: 'refs/tags/v0', sha: 'm1' }),
    'refs/tags/v0',
    /^error: [0-9a-f]{7} is the first commit/,
  ],
  [
    'release on a branch of its own',
    () => ({ name: 'release', ref: 'refs/tags/v1.0.1', sha: 'l2' }),
    'refs/tags/v1.0.1',
    'm2: merge-base with trunk',
  ],
  [
    'create of a tag',
    () => ({ name: 'create', ref: 'refs/tags/v1', sha: 'm4' }),
    'refs/tags/v1',
    'm3: the commit before m4',
  ],
  [
    'create of a branch',
    () => ({ name: 'create', ref: 'refs/heads/topic', sha: 't2' }),
    'refs/heads/topic',
    'm2: merge-base with trunk',
  ],
  [
    'create of a branch without a commit of its own',
    () => ({ name: 'create', ref: 'refs/heads/new', sha: 'm4' }),
    'refs/heads/new',
    /^error: nothing to compare: branch `new`/,
  ],
  [
    'delete',
    () => ({ name: 'delete', ...onTrunk }),
    'refs/heads/trunk',
    /^error: nothing to compare: the event is that/,
  ],
  // Merge queues.
  ['merge_group', () => group('g1', 'm4'), 'g1', 'm4: the commit that the merge group follows'],
  [
    'the second merge_group, by merge',
    () => group('g2', 'g1'),
    'refs/heads/queue',
    'g1: the commit that the merge group follows',
  ],
  [
    'the second merge_group, by squash',
    () => group('squash', 'g1'),
    'refs/heads/queue-squash',
    'g1: the commit that the merge group follows',
  ],
  [
    'the second merge_group, by rebase',
    () => group('rebased2', 'g1'),
    'refs/heads/queue-rebase',
    'g1: the commit that the merge group follows',
  ],
  [
    'a merge_group of several pull requests',
    () => group('g2', 'm4'),
    'refs/heads/queue',
    'm4: the commit that the merge group follows',
  ],
];

function ofPull(head: string, base?: string, tip?: string): Run {
  return {
    name: 'pull_request',
    event: { pull_request: pull(head, base, tip) },
    ref: 'refs/pull/7/merge',
    sha: 'pull7',
  };
}

describe.each([0, 1])('with fetch-depth %i', (depth) => {
  test.each(rows)('%s', async (_, run, checkedOut, base) => {
    const found = await baseIn(cloneOf(id(checkedOut), depth), run());
    if (typeof base === 'string') expect(found).toBe(base);
    else expect(found).toMatch(base);
  });
});

test('a history that is cut before the merge-base is not mistaken for one that has none later', async () => {
  // Of both sides, it has a common commit that is not the last one.
  const clone = checkOut(id('far'), 3);
  git(clone, 'fetch', '--quiet', '--depth=3', 'origin', '+refs/heads/other:refs/remotes/origin/other');
  const run = ofPull('far', 'other', 'other');
  expect(nameOf(git(clone, 'merge-base', 'HEAD', 'origin/other'))).toBe('m1');
  expect(await baseIn(clone, run)).toBe('m2: merge-base with other');
  git(clone, 'remote', 'remove', 'origin');
  git(clone, 'update-ref', 'refs/remotes/origin/other', id('other'));
  expect(await baseIn(clone, run)).toMatch(
    /^error: [0-9a-f]{7} and other have no common ancestor here, a clone without/,
  );
});

describe('without a remote', () => {
  const without = (what: string, depth: number) => {
    const clone = checkOut(what, depth);
    git(clone, 'config', '--unset', 'remote.origin.url');
    return clone;
  };

  test('fetch-depth: 2 is enough for a merge commit, a push of one commit, and a schedule', async () => {
    const merge = { name: 'pull_request', event: { pull_request: pull('t2') }, ref: 'refs/pull/7/merge', sha: 'pull7' };
    expect(await baseIn(without('refs/pull/7/merge', 2), merge)).toBe(`m4: ${merged}`);
    const clone = without('refs/heads/trunk', 2);
    const pushed = { name: 'push', ...push('m3', 'm4', 'refs/heads/trunk'), ...onTrunk };
    expect(await baseIn(clone, pushed)).toBe('m3: the commit before this push');
    expect(await baseIn(clone, { name: 'schedule', ...onTrunk })).toBe('m3: the commit before m4');
  });

  test('the error names what is missing, and the next step', async () => {
    const end =
      ', a clone without its whole history, and cannot be fetched: this clone has no remote `origin` with an address that is fetched from; in a workflow, set `fetch-depth: 0` for actions/checkout';
    const clone = without('refs/heads/trunk', 2);
    const pushed = { name: 'push', ...push('m1', 'm4', 'refs/heads/trunk'), ...onTrunk };
    expect(await baseIn(clone, pushed)).toContain(
      `error: the commit before this push, ${id('m1')}, is not in ${clone}${end}`,
    );
    expect(await baseIn(without(id('t2'), 2), ofPull('t2'))).toMatch(/^error: branch `trunk` is not in/);
  });
});

test('what is fetched has its files, and the clone stays as it was', async () => {
  const clone = checkOut('refs/heads/trunk', 1);
  const list = () => readdirSync(join(clone, '.git'), { recursive: true }).sort();
  const before = list();
  const session = await GitSession.open(await openRepository(clone));
  const base = await session.commitTree(id('m1'));
  await session.checkOut(base, join(folder, 'fetched'));
  expect(await session.isAncestor(id('m1'), id('m4'))).toBe(false);
  await session.close();
  expect(readFileSync(join(folder, 'fetched', 'file'), 'utf8')).toBe('m1\n');
  expect(list()).toEqual(before);
});

test.each([
  ['a clone without files', ['--filter=blob:none']],
  ['a clone without folders', ['--filter=tree:0']],
])('of %s those of both revisions are fetched, or the error names the filter', async (_, filter) => {
  const clone = mkdtempSync(join(folder, 'partial-'));
  git(folder, 'clone', '--quiet', ...filter, '--no-checkout', `file://${origin}`, clone);
  // Sparse: HEAD's file is not in the working tree.
  git(clone, 'sparse-checkout', 'set', '--no-cone', '/shown');
  git(clone, 'checkout', '--quiet', 'trunk');
  const read = async () => {
    const session = await GitSession.open(await openRepository(clone));
    try {
      const trees = [await session.workingTree(join(clone, 'out')), await session.commitTree(id('m3'))];
      return await Promise.all(
        trees.map(async (tree) => {
          const target = mkdtempSync(join(folder, 'files-'));
          await session.checkOut(tree, target);
          return readFileSync(join(target, 'file'), 'utf8');
        }),
      );
    } finally {
      await session.close();
    }
  };
  expect(await read()).toEqual(['m4\n', 'm3\n']);
  git(clone, 'config', 'remote.origin.url', `file://${folder}/nowhere`);
  await expect(read()).rejects.toMatchObject({
    message: expect.stringMatching(
      /files of HEAD .* are not in .* made with a filter .* and cannot be fetched: '.*nowhere' does not/,
    ),
    hint: expect.stringMatching(/^in a workflow, leave out `filter` and `sparse-checkout` of actions\/checkout/),
  });
});

test("a fork's own branches are not what its pull request is merged into", { tags: ['hostile'] }, async () => {
  const fork = join(folder, 'stranger', 'project');
  git(folder, 'clone', '--quiet', '--bare', `file://${origin}`, fork);
  git(fork, 'fetch', '--quiet', `file://${origin}`, id('f1'));
  // With this base a slower head would pass.
  git(fork, 'update-ref', 'refs/heads/trunk', id('f1'));
  const clone = checkOut(id('f1'), 1);
  git(clone, 'remote', 'set-url', 'origin', `file://${fork}`);
  git(clone, 'update-ref', 'refs/remotes/origin/trunk', id('f1'));
  expect(await baseIn(clone, comment)).toBe('m3: merge-base with trunk');
  expect(await baseIn(clone, ofPull('f1'))).toBe('m3: merge-base with trunk');
});

test('a token that actions/checkout has kept is sent to its own server, and not shown', {
  tags: ['hostile'],
}, async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    response.writeHead(403).end(`remote says ${headers.authorization}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clone = checkOut('refs/heads/trunk', 1);
  git(clone, 'remote', 'set-url', 'origin', `${url}/owner/project`);
  git(clone, 'config', `http.${url}/.extraHeader`, 'AUTHORIZATION: basic c2VjcmV0LXRva2VuLWNhbmFyeQ==');
  git(clone, 'config', 'http.https://github.com/.extraHeader', 'AUTHORIZATION: basic b3RoZXItY2FuYXJ5LW90aGVy');
  const found = await baseIn(clone, { name: 'schedule', ...onTrunk });
  server.close();
  expect(found).toMatch(/^error: the commit before .* and cannot be fetched: .*403/);
  expect(found).not.toContain('c2VjcmV0');
  expect(new Set(seen)).toEqual(new Set(['basic c2VjcmV0LXRva2VuLWNhbmFyeQ==']));
});

test("a run's origin is read from its variables, its event and the commit that is checked out", async () => {
  const clone = cloneOf('refs/heads/trunk', 1);
  const env = {
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_PROTECTED: 'true',
    GITHUB_SHA: id('m3'),
  };
  expect(await readOrigin(clone, { repository: { default_branch: 'trunk' } }, env)).toEqual({
    event: 'push',
    ref: 'refs/heads/main',
    isProtected: true,
    payload: { repository: { default_branch: 'trunk' } },
    repository: undefined,
    sha: id('m3'),
    checkedOut: id('m4'),
  });
  const nothing = { event: undefined, ref: undefined, isProtected: false, sha: undefined };
  const noEvent = { payload: undefined, repository: undefined };
  expect(await readOrigin(folder, undefined, {})).toEqual({ ...nothing, ...noEvent, checkedOut: undefined });
});

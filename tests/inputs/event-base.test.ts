import { expect, test } from 'vitest';
import {
  baseOfEvent,
  type CheckedOut,
  describeExposure,
  mergedCommits,
  whyStranger,
} from '../../src/inputs/event-base.ts';

const id = (digit: string) => digit.repeat(40);
const checkedOut: CheckedOut = {
  eventName: 'workflow_run',
  ref: 'refs/heads/main',
  sha: id('a'),
  commit: id('d'),
  parents: [id('1')],
  isPullMerge: false,
};
const repository = { default_branch: 'main', id: 1 };
const pull = (base: string, repo: number | null) => ({
  base: { sha: id('b'), ref: base, repo: repo === null ? null : { id: repo } },
  head: { sha: id('d') },
});
const workflowRun = (...pulls: unknown[]) => ({
  repository,
  workflow_run: { head_sha: id('d'), head_branch: 'topic', event: 'pull_request', pull_requests: pulls },
});

test("a fork's own pull request with the same commit does not name the branch", () => {
  expect(baseOfEvent(workflowRun(pull('develop', 2), pull('next', 1)), checkedOut)).toMatchObject({ branch: 'next' });
  expect(baseOfEvent(workflowRun(pull('develop', 2)), checkedOut)).toMatchObject({ branch: 'main', tip: undefined });
});

test('of several pull requests, none of which is checked out, none names the branch', () => {
  const other = { ...checkedOut, commit: id('e') };
  expect(baseOfEvent(workflowRun(pull('next', 1), pull('main', 1)), other)).toMatchObject({ branch: 'main' });
  expect(baseOfEvent(workflowRun(pull('next', null)), other)).toMatchObject({ branch: 'next', tip: id('b') });
});

test.each([
  ['workflow_run', { head_sha: id('d'), head_branch: 'topic', event: 'push', pull_requests: [] }],
  ['check_suite', { head_sha: id('d'), head_branch: 'topic', pull_requests: [] }],
  ['check_run', { head_sha: id('d'), check_suite: { head_branch: 'topic' }, pull_requests: [] }],
])('%s of a branch of which nothing is checked out is an error', (eventName, run) => {
  const event = { repository, [eventName]: run };
  const byDefault = { ...checkedOut, eventName, commit: id('a') };
  const message = `nothing of \`topic\` is checked out: for the event \`${eventName}\` actions/checkout takes \`main\``;
  expect(() => baseOfEvent(event, byDefault)).toThrow(message);
  expect(baseOfEvent(event, { ...byDefault, commit: id('d') })).toMatchObject({ branch: 'main' });
  const ofMain = { ...run, head_branch: 'main', check_suite: { head_branch: 'main' } };
  expect(baseOfEvent({ repository, [eventName]: ofMain }, byDefault)).toMatchObject({ commit: id('1') });
});

test.each([
  ['check_suite', { check_suite: { head_sha: id('d'), head_branch: null, pull_requests: [] } }],
  ['check_run', { check_run: { head_sha: id('d'), check_suite: { head_branch: null }, pull_requests: [] } }],
  ['status', { sha: id('d'), context: 'ci', branches: [] }],
])(
  '%s of a commit that is on no branch, as of a fork, of which nothing is checked out is an error',
  (eventName, own) => {
    const event = { repository, ...own };
    const byDefault = { ...checkedOut, eventName, commit: id('a') };
    expect(() => baseOfEvent(event, byDefault)).toThrow('nothing of commit ddddddd is checked out');
    expect(baseOfEvent(event, { ...byDefault, commit: id('d') })).toMatchObject({ branch: 'main' });
  },
);

test('status of a commit of the default branch is about that, whatever other branches have it', () => {
  const status = (...names: string[]) => ({
    ...{ repository, sha: id('d'), context: 'ci' },
    branches: names.map((name) => ({ name })),
  });
  const byDefault = { ...checkedOut, eventName: 'status', commit: id('a') };
  expect(baseOfEvent(status('topic', 'main'), byDefault)).toMatchObject({ commit: id('1') });
  expect(() => baseOfEvent(status('topic'), byDefault)).toThrow('nothing of `topic` is checked out');
});

test("a merge commit of the pull request's own is not mistaken for GitHub's", () => {
  const event = { repository, pull_request: pull('main', 1) };
  const merge = { ...checkedOut, parents: [id('1'), id('2')] };
  expect(baseOfEvent(event, merge)).toMatchObject({ branch: 'main', tip: id('b') });
});

const ofPull = { ref: 'refs/pull/7/merge', sha: id('d'), parents: [id('1'), id('2')] };
test.each([
  ["GitHub's merge commit and its event", 'main', ofPull, [id('b'), id('1')]],
  ['a commit of the pull request and its event', 'main', { ...ofPull, sha: id('a') }, [id('b')]],
  ['pull_request_target, whose ref is the default branch', 'main', { ...ofPull, ref: 'refs/heads/main' }, [id('b')]],
  ['the event of a pull request into any other branch', 'topic', ofPull, []],
])('%s name commits of the default branch: %s', (_, branch, given, expected) => {
  const event = { repository, pull_request: pull(branch, 1) };
  expect(mergedCommits(event, { ...checkedOut, ...given })).toEqual(expected);
});

test.each([
  ['a merge group', { repository, merge_group: { base_sha: id('1'), base_ref: 'refs/heads/main', head_sha: id('d') } }],
  ['a push', { repository, before: id('1'), after: id('d'), ref: 'refs/heads/topic' }],
  ['a run of a pull request', workflowRun(pull('main', 1))],
  ['a comment', { repository, issue: { pull_request: {} } }],
])('the event of %s does not say what is on the default branch', (_, event) => {
  expect(mergedCommits(event, { ...checkedOut, ...ofPull })).toEqual([]);
});

test('the branch of a merge queue names the branch that it is merged into', () => {
  const ref = `refs/heads/gh-readonly-queue/release/1/pr-7-${id('c')}`;
  const queued = { ...checkedOut, eventName: 'push', ref, sha: id('d') };
  expect(baseOfEvent({ repository, before: id('0'), after: id('d'), ref }, queued)).toMatchObject({
    branch: 'release/1',
  });
  const run = {
    head_sha: id('d'),
    head_branch: ref.slice('refs/heads/'.length),
    event: 'merge_group',
    pull_requests: [],
  };
  expect(baseOfEvent({ repository, workflow_run: run }, checkedOut)).toMatchObject({ branch: 'release/1' });
});

test.each([
  null,
  [],
  'text',
  {},
  { pull_request: { base: { sha: '--upload-pack', ref: 'main' }, head: { sha: id('d') } } },
  { pull_request: { base: { sha: id('b'), ref: '--upload-pack' }, head: { sha: id('d') } } },
  { before: 'HEAD; rm', after: id('d'), ref: 'refs/heads/main' },
  { workflow_run: { head_sha: 'x', event: 'push', pull_requests: {} } },
  { repository: { default_branch: '-main' } },
])('an event without the id of a commit says nothing: %j', (event) => {
  const dispatched = { ...checkedOut, eventName: 'workflow_dispatch' };
  expect(baseOfEvent(event, dispatched)).toEqual({ branch: undefined, merged: 'commit-before' });
});

test.each([
  ['pull_request_target', { pull_request: pull('main', 1) }, true],
  ['issue_comment', { issue: { pull_request: {} } }, true],
  ['workflow_run', workflowRun(), true],
  ['pull_request', { pull_request: pull('main', 1) }, false],
  ['pull_request_review', { pull_request: pull('main', 1) }, false],
  ['issue_comment', { issue: {} }, false],
  ['push', {}, false],
])('%s, %j: secrets next to the code of a pull request: %s', (eventName, event, isExposed) => {
  expect(describeExposure(event, eventName) !== undefined).toBe(isExposed);
});

/** Whether a commit is the repository's own: of each event, of what its ref is, and of what is checked out. */
test.each([
  ['push', 'refs/heads/topic', {}, 'merged', null],
  ['push', 'refs/tags/v1', {}, 'merged', null],
  ['schedule', 'refs/heads/main', {}, 'merged', null],
  ['merge_group', 'refs/heads/gh-readonly-queue/main/pr-7', {}, 'merged', null],
  ['workflow_dispatch', 'refs/heads/main', {}, 'merged', null],
  ['pull_request', 'refs/pull/7/merge', from('example/xdp'), 'merged', null],
  ['pull_request', 'refs/pull/7/merge', from('example/xdp'), 'head', null],
  ['pull_request_target', 'refs/heads/main', from('example/xdp'), 'head', null],
  ['push', 'refs/heads/main', {}, 'fork', 'what is checked out'],
  ['schedule', 'refs/heads/main', {}, 'fork', 'what is checked out'],
  ['workflow_dispatch', 'refs/heads/main', {}, 'fork', 'what is checked out'],
  ['workflow_dispatch', 'refs/heads/main', {}, undefined, 'no commit'],
  ['workflow_dispatch', 'refs/pull/7/merge', {}, 'merged', 'is no branch'],
  ['pull_request', 'refs/pull/7/merge', from('example/xdp'), 'fork', 'what is checked out'],
  ['pull_request', 'refs/pull/7/merge', from('somebody/xdp'), 'merged', 'from a fork'],
  ['pull_request', 'refs/pull/7/merge', from(null), 'merged', 'from a fork'],
  ['pull_request', 'refs/pull/7/merge', {}, 'merged', 'from a fork'],
  ['pull_request_target', 'refs/heads/main', from('somebody/xdp'), 'head', 'from a fork'],
  ['pull_request_target', 'refs/heads/main', from('example/xdp'), 'merged', 'what is checked out'],
  ['workflow_run', 'refs/heads/main', {}, 'merged', 'whose commit'],
  ['issue_comment', 'refs/heads/main', {}, 'merged', 'whose commit'],
  ['repository_dispatch', 'refs/heads/main', {}, 'merged', 'whose commit'],
  ['check_suite', 'refs/heads/main', {}, 'merged', 'whose commit'],
  [undefined, undefined, undefined, 'merged', 'whose commit'],
])(
  'of %s on %s with %j, commit %s is a stranger: %s',
  { tags: ['hostile'] },
  (event, ref, payload, checkedOut, why) => {
    const run = { event, ref, payload, isProtected: true, repository: 'example/xdp', sha: 'merged', checkedOut };
    expect(whyStranger(run)).toEqual(why === null ? null : expect.stringContaining(why));
  },
);

function from(name: string | null) {
  return { pull_request: { head: { sha: 'head', repo: name === null ? null : { full_name: name } } } };
}

import { expect, test } from 'vitest';
import { baseOfEvent, type CheckedOut } from '../../src/inputs/event-base.ts';

const id = (digit: string) => digit.repeat(40);
const checkedOut: CheckedOut = { parents: [id('1')], branches: ['main'], ref: 'refs/heads/topic' };
const pullRequest = { pull_request: { base: { sha: id('b'), ref: 'main' }, head: { sha: id('d') } } };
const repository = { default_branch: 'main' };

test("a pull request's merge commit is compared with its first parent, not with the event's older base", () => {
  expect(baseOfEvent(pullRequest, { ...checkedOut, parents: [id('1'), id('d')] })).toEqual({ base: id('1') });
});

test("a merge commit of the pull request's own is not mistaken for GitHub's", () => {
  expect(baseOfEvent(pullRequest, { ...checkedOut, parents: [id('1'), id('2')] })).toEqual({
    baseBranch: 'refs/remotes/origin/main',
  });
});

test("a pull request's head is compared with its merge-base with the base branch", () => {
  expect(baseOfEvent(pullRequest, checkedOut)).toEqual({ baseBranch: 'refs/remotes/origin/main' });
});

test("without the base branch, the event's base commit is used", () => {
  expect(baseOfEvent(pullRequest, { ...checkedOut, parents: [], branches: [] })).toEqual({ baseBranch: id('b') });
});

test('a merge group is compared with its merge-base with its target', () => {
  expect(baseOfEvent({ merge_group: { base_sha: id('c') } }, checkedOut)).toEqual({ baseBranch: id('c') });
});

test('a push is compared with the commit before it', () => {
  const base = { base: id('e'), otherwise: id('1') };
  expect(baseOfEvent({ before: id('e'), forced: false }, checkedOut)).toEqual(base);
  expect(baseOfEvent({ before: id('e') }, checkedOut)).toEqual(base);
  expect(baseOfEvent({ before: id('e') }, { ...checkedOut, parents: [] })).toEqual({ base: id('e') });
});

test('after a forced push, whose previous commit may be missing, HEAD is compared with its parent', () => {
  expect(baseOfEvent({ before: id('e'), forced: true }, checkedOut)).toEqual({ base: id('1') });
});

test('a push that creates a branch gives no base', () => {
  expect(baseOfEvent({ before: id('0'), forced: false, repository }, checkedOut)).toEqual({});
});

test("any other event on the default branch is compared with HEAD's parent", () => {
  const onMain = { ...checkedOut, ref: 'refs/heads/main' };
  expect(baseOfEvent({ repository }, onMain)).toEqual({ base: id('1') });
  expect(baseOfEvent({ repository }, { ...onMain, parents: [] })).toEqual({});
  expect(baseOfEvent({ repository }, checkedOut)).toEqual({});
});

test.each([null, [], 'text', {}, { pull_request: { base: { sha: '--upload-pack' } } }, { before: 'HEAD; rm' }])(
  'an event without a commit id says nothing: %j',
  (event) => {
    expect(baseOfEvent(event, checkedOut)).toEqual({});
  },
);

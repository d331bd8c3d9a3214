import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { recordRequestOf, requireCommit, requireMeasured, requireProject } from '../../src/history/record-request.ts';
import { fixtures, resultsOf } from '../report/results-fixtures.ts';

const environment = {
  GITHUB_EVENT_NAME: 'push',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'example/xdp',
  GITHUB_RUN_ID: '20',
  GITHUB_REF: 'refs/heads/main',
  GITHUB_SHA: 'a'.repeat(40),
};
const repository = { default_branch: 'main' };
const branch = 'bpfgate-history';

describe('is recorded', () => {
  test.each(['push', 'schedule', 'workflow_dispatch', 'repository_dispatch'])('the run of a %s', (name) => {
    expect(recordRequestOf({ repository }, { ...environment, GITHUB_EVENT_NAME: name }, branch)).toEqual({
      url: 'https://github.com/example/xdp',
      repository: 'example/xdp',
      run: 20,
      sha: 'a'.repeat(40),
    });
  });

  test('the run of a push that another workflow follows, as that run', () => {
    const run = { id: 7, event: 'push', head_sha: 'b'.repeat(40), head_branch: 'main' };
    const follow = (workflow_run: object) =>
      recordRequestOf({ repository, workflow_run }, { ...environment, GITHUB_EVENT_NAME: 'workflow_run' }, branch);
    expect(follow(run)).toMatchObject({ run: 7, sha: run.head_sha });
    expect(() => follow({ ...run, head_branch: 'theirs' })).toThrow(/^branch `theirs` is not the default branch$/);
  });

  test('of a commit has that commit, and no other from the artifact', () => {
    const results = fixtures['same-code'] ?? resultsOf([], []);
    const { head } = results.revisions;
    const of = { ...results, revisions: { ...results.revisions, head: { ...head, commit: 'b'.repeat(40) } } };
    expect(() => requireMeasured(of, 'b'.repeat(40))).not.toThrow();
    expect(() => requireMeasured(of, 'a'.repeat(40))).toThrow(InputError);
  });
});

describe("is refused: a pull request's run is not the base's history", () => {
  test.each([
    ['pull_request', { pull_request: { number: 7 } }],
    ['pull_request_target', { pull_request: { number: 7 } }],
    ['pull_request_review_comment', { pull_request: { number: 7 } }],
    ['pull_request', undefined],
    ['merge_group', { merge_group: { base_sha: 'a'.repeat(40) } }],
    ['issue_comment', { issue: { number: 7, pull_request: { url: 'x' } } }],
    ['workflow_run', { workflow_run: { id: 7, event: 'pull_request' } }],
    ['workflow_run', { workflow_run: { id: 7, event: 'merge_group' } }],
    ['unheard_of', { pull_request: { number: 7 } }],
  ])('%s', (name, event) => {
    const record = () => recordRequestOf(event, { ...environment, GITHUB_EVENT_NAME: name }, branch);
    expect(record).toThrow(InputError);
    expect(record).toThrow(/^a pull request's run is not the base's history: /);
  });
});

test.each(['main', 'release'])('branch %s, which holds the project, does not get the history', (name) => {
  const pushed = { ...environment, GITHUB_REF: 'refs/heads/release' };
  expect(() => recordRequestOf({ repository }, pushed, name)).toThrow(/is to have one of its own/);
});

test('a missing variable of the runner is named', () => {
  const { GITHUB_EVENT_NAME: _, ...without } = environment;
  expect(() => recordRequestOf({}, { ...without, GITHUB_RUN_ID: 'x' }, branch)).toThrow(
    /GITHUB_EVENT_NAME, GITHUB_RUN_ID is missing or wrong/,
  );
});

test('a working tree with changes, or an invalid commit id, is not recorded', () => {
  const results = fixtures['same-code'] as (typeof fixtures)[string];
  const headAt = (commit: string | null) => ({
    revisions: { ...results.revisions, head: { ...results.revisions.head, commit } },
  });
  expect(requireCommit(headAt('a'.repeat(40)))).toBe('a'.repeat(40));
  expect(() => requireCommit(headAt(null))).toThrow(/a working tree with changes/);
  for (const wrong of ['HEAD', '--upload-pack=x', `${'a'.repeat(40)}\n`]) {
    expect(() => requireCommit(headAt(wrong))).toThrow(InputError);
  }
});

test('results of a project other than the given one are refused', () => {
  const { project } = fixtures['same-code'] as (typeof fixtures)[string];
  for (const same of ['example-project', './example-project/', undefined]) {
    expect(requireProject({ project }, same)).toBe('example-project');
  }
  expect(() => requireProject({ project }, '.')).toThrow('the results are of `example-project`, not of `.`');
  expect(requireProject({ project: { ...project, projectPath: '' } }, '.')).toBe('');
});

import { describe, expect, test } from 'vitest';
import { acceptsOf, codeUrlOf, explainRefusal, hasNews, workflowRunOf } from '../../src/workflow/workflow-run.ts';
import { fixtures, resultsOf } from '../report/results-fixtures.ts';

const environment = {
  GITHUB_API_URL: 'https://api.github.com',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_EVENT_NAME: 'pull_request',
  GITHUB_REPOSITORY: 'example/xdp',
  GITHUB_RUN_ID: '20',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_WORKFLOW_REF: 'example/xdp/.github/workflows/gate.yml@refs/pull/7/merge',
};
const event = (fullName: string | null = 'example/xdp') => ({
  pull_request: { number: 7, head: { sha: 'abc', repo: fullName === null ? null : { full_name: fullName } } },
});

test.each([
  ['the merge commit that started the run', 'a'.repeat(40), `https://github.com/example/xdp/blob/${'a'.repeat(40)}`],
  ["the pull request's head", 'b'.repeat(40), `https://github.com/example/xdp/blob/${'b'.repeat(40)}`],
  ['a commit that may be of another repository', 'c'.repeat(40), null],
  ['no commit', null, null],
])('the code of %s', (_what, commit, url) => {
  const ofPullRequest = { pull_request: { number: 7, head: { sha: 'b'.repeat(40) } } };
  const env = { ...environment, GITHUB_SHA: 'a'.repeat(40) };
  expect(codeUrlOf(commit, ofPullRequest, env)).toBe(url);
  expect(codeUrlOf(commit, ofPullRequest, {})).toBe(null);
});

describe('workflowRunOf', () => {
  test('of a pull request', () => {
    expect(workflowRunOf(event(), environment)).toEqual({
      apiUrl: 'https://api.github.com',
      repository: { owner: 'example', repo: 'xdp' },
      pullRequest: 7,
      run: { id: 20, attempt: 2 },
      runUrl: 'https://github.com/example/xdp/actions/runs/20',
      headSha: 'abc',
      workflow: 'example/xdp/.github/workflows/gate.yml',
      isReadOnly: false,
      isStrangers: false,
    });
  });

  const run = {
    id: 20,
    run_attempt: 2,
    event: 'pull_request',
    path: '.github/workflows/gate.yml@main',
    head_sha: 'a'.repeat(40),
    head_branch: 'faster',
    head_repository: { full_name: 'somebody/xdp', owner: { login: 'somebody' } },
  };

  test("of a run that follows a fork's run", () => {
    const place = workflowRunOf(
      { workflow_run: run },
      { ...environment, GITHUB_RUN_ID: '99', GITHUB_WORKFLOW_REF: '' },
    );
    expect(place).toEqual({
      ...workflowRunOf(event('somebody/xdp'), environment),
      pullRequest: { owner: 'somebody', branch: 'faster', sha: run.head_sha },
      headSha: run.head_sha,
      isReadOnly: false,
      isStrangers: true,
    });
  });

  test.each([
    ['a push', { event: 'push' }],
    ['a commit that is none', { head_sha: 'abc' }],
    ['no repository, as of a fork that is gone', { head_repository: null }],
  ])('does not exist for a run that follows that of %s', (_, fields) => {
    expect(workflowRunOf({ workflow_run: { ...run, ...fields } }, environment)).toBeNull();
  });

  test('of a push, and without an event, is no pull request', () => {
    const own = { ...workflowRunOf(event(), environment), pullRequest: null, headSha: 'b'.repeat(40) };
    const pushed = { ...environment, GITHUB_EVENT_NAME: 'push', GITHUB_SHA: 'b'.repeat(40) };
    expect(workflowRunOf({ after: 'abc' }, pushed)).toEqual(own);
    expect(workflowRunOf(undefined, pushed)).toEqual(own);
  });

  test.each([
    ['another repository', 'somebody/xdp'],
    ['one that is gone', null],
  ])('a branch of %s is a fork', (_, name) => {
    expect(workflowRunOf(event(name), environment)).toMatchObject({ isReadOnly: true, isStrangers: true });
  });

  test.each([
    ['push', false],
    ['merge_group', false],
    ['schedule', false],
    ['workflow_dispatch', true],
    ['issue_comment', true],
    ['repository_dispatch', true],
    ['', true],
  ])('of the event %j may have measured strangers: %s', { tags: ['hostile'] }, (name, isStrangers) => {
    expect(workflowRunOf({}, { ...environment, GITHUB_EVENT_NAME: name })).toMatchObject({ isStrangers });
  });

  test.each([
    ['a number that is none', { pull_request: { ...event().pull_request, number: -7 } }, environment],
    ['a place that is none of GitHub', event(), { ...environment, GITHUB_REPOSITORY: '../xdp' }],
    ['an address of another kind', event(), { ...environment, GITHUB_API_URL: 'file:///etc/passwd' }],
    ['a terminal', event(), {}],
  ])('does not exist for %s', (_, event, environment) => expect(workflowRunOf(event, environment)).toBeNull());
});

describe('lines that accept costs', () => {
  const ofCommit = { text: 'a b +1 why', by: 'commit 1a2b3c4d5e' };
  const ofBody = { text: 'c d +1 why', by: 'the pull request' };
  const body = 'Faster.\r\n\r\nbpfgate-accept: c d +1 why\r\n';
  const described = (fullName: string | null, type = 'User') => ({
    pull_request: { ...event(fullName).pull_request, body, user: { type } },
  });
  const ignored = expect.stringMatching(/^is ignored: only this repository's own commits accept costs here .*fork$/);
  const ofFork = [ofCommit, ofBody].map((each) => ({ ...each, ignored }));
  const ofBot = [ofCommit, { ...ofBody, ignored: 'is ignored: a bot wrote the text that it is in' }];

  test.each([
    ['those of a branch', described('example/xdp'), 'same-repository', [ofCommit, ofBody]],
    ['none of a fork, which says why', described('somebody/xdp'), 'same-repository', ofFork],
    ['none of a deleted fork', described(null), 'same-repository', ofFork],
    ['those of a fork, where all count', described('somebody/xdp'), 'always', [ofCommit, ofBody]],
    ['none, where none count', described('example/xdp'), 'never', []],
    ['those of commits, if nothing is described', event(), 'same-repository', [ofCommit]],
    ["none of a bot's description", described('example/xdp', 'Bot'), 'always', ofBot],
  ] as const)('%s', (_, payload, policy, expected) => {
    const run = { event: 'pull_request', payload, repository: 'example/xdp', ref: '', isProtected: false };
    expect(acceptsOf({ ...run, sha: 'abc', checkedOut: 'abc' }, policy, [ofCommit])).toEqual(expected);
  });
});

test('an unchanged pass is no news', () => {
  const newsOf = (name: string) => hasNews(fixtures[name] ?? resultsOf([], []));
  expect(['same-code', 'regression-everywhere', 'added-and-removed', 'one-kernel-failed'].map(newsOf)).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

test.each([
  [401, false, 'github-token'],
  [403, false, 'pull-requests: write'],
  [403, true, 'fork'],
  [404, false, 'pull-requests: write'],
  [422, false, 'did not take it'],
  [429, false, 'later'],
  [502, false, 'later'],
])('%i has a hint', (status, isFork, words) => {
  const said = explainRefusal(Object.assign(new Error('no\nway'), { status }), { isReadOnly: isFork });
  expect(said).toContain(words);
  expect(said).toMatch(/\(no\); the report is in the job summary$/);
});

test.each([
  ['API rate limit exceeded for installation ID 1.', 'fewer requests'],
  ['Unable to create comment because issue is locked.', 'locked'],
])('403, %s', (message, words) => {
  const said = explainRefusal(Object.assign(new Error(message), { status: 403 }), { isReadOnly: false });
  expect(said).toContain(words);
  expect(said).not.toContain('permissions');
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openIssueComments } from '../../src/adapters/github/comments.ts';
import { putStickyComment, type StickyComment } from '../../src/workflow/sticky-comment.ts';
import { type Answer, bot, error, type GitHubServer, startGitHub, token } from '../publish/github-server.ts';

const key = '0123456789abcdef';
const marker = (run: number, of = key) => `<!-- bpfgate ${of} run ${run}.1 -->\n`;
const pullRequest = { owner: 'example', repo: 'xdp', number: 7 };
const list = 'GET /repos/example/xdp/issues/7/comments';
const create = 'POST /repos/example/xdp/issues/7/comments';

let github: GitHubServer;
let said: string[];

beforeEach(async () => {
  github = await startGitHub();
  said = [];
});

afterEach(async () => {
  await github.close();
  expect(github.violations).toEqual([]);
});

function put(fields: Partial<Omit<StickyComment, 'body'>> & { readonly number?: number; readonly body?: string } = {}) {
  const { number = 20, body = 'report', ...rest } = fields;
  const log = { progress: (message: string) => said.push(message), warn: (message: string) => said.push(message) };
  const comments = openIssueComments(pullRequest, { apiUrl: github.url, token, log, secondMs: 1 });
  return putStickyComment(comments, { key, run: { id: number, attempt: 1 }, body: () => body, isNews: true, ...rest });
}

const bodies = () => github.comments.map(({ body }) => body);
const own = () => github.comments.filter(({ login, body }) => login === bot && body.startsWith('<!-- bpfgate'));

describe('one comment', () => {
  test('is created if there is none, and updated by the next run', async () => {
    expect(await put({ body: 'first' })).toBe('created');
    expect(await put({ number: 21, body: 'second' })).toBe('updated');
    expect(bodies()).toEqual([`${marker(21)}second`]);
  });

  test('is found among others on any page', async () => {
    github.pageSize = 10;
    for (let index = 0; index < 40; index++) github.add('somebody', `remark ${index}`);
    const mine = github.add(bot, `${marker(10)}old`);
    github.add('somebody', 'last');
    expect(await put()).toBe('updated');
    expect(mine.body).toBe(`${marker(20)}report`);
    expect(github.requests.filter((request) => request === list)).toHaveLength(5);
    expect(github.comments).toHaveLength(42);
  });

  test('is not created without news, but an existing one is updated', async () => {
    expect(await put({ isNews: false })).toBe('not needed');
    expect(bodies()).toEqual([]);
    await put();
    expect(await put({ number: 21, isNews: false, body: 'all is well' })).toBe('updated');
    expect(bodies()).toEqual([`${marker(21)}all is well`]);
  });

  test('leaves comments by other users with the same marker, and of other gates, unchanged', async () => {
    github.add('other[bot]', `${marker(10)}not ours`);
    github.add(bot, `${marker(10, 'fedcba9876543210')}of another workflow`);
    github.add(bot, `quoted: ${marker(10)}`);
    const before = bodies();
    expect(await put()).toBe('created');
    expect(bodies()).toEqual([...before, `${marker(20)}report`]);
  });

  test('that was deleted is created again, also if that happens in between', async () => {
    const mine = github.add(bot, `${marker(10)}old`);
    github.before = (request) => {
      if (request.startsWith('PATCH')) github.comments.splice(0);
    };
    expect(await put()).toBe('created');
    expect(github.comments.map(({ id }) => id)).not.toContain(mine.id);
    expect(bodies()).toEqual([`${marker(20)}report`]);
  });

  test('of a newer run is not overwritten by an older one that ends later', async () => {
    github.add(bot, `${marker(30)}newer`);
    expect(await put()).toBe('superseded');
    expect(bodies()).toEqual([`${marker(30)}newer`]);
    expect(await put({ run: { id: 30, attempt: 2 } })).toBe('updated');
  });

  test('of a newer run that ended during the search is not overwritten', async () => {
    const mine = github.add(bot, `${marker(10)}old`);
    github.before = (request) => {
      if (request.startsWith('GET') && request.endsWith(`comments/${mine.id}`)) mine.body = `${marker(30)}newer`;
    };
    expect(await put()).toBe('superseded');
    expect(bodies()).toEqual([`${marker(30)}newer`]);
  });

  test('is updated even if others cannot be removed', async () => {
    for (const run of [10, 11]) github.add(bot, `${marker(run)}old`);
    github.intercept = (request) =>
      request.startsWith('DELETE') ? { status: 403, body: error('Forbidden') } : undefined;
    expect(await put()).toBe('updated');
    expect(bodies()).toEqual([`${marker(20)}report`, `${marker(11)}old`]);
  });

  test('is kept of several that earlier runs created', async () => {
    for (const run of [10, 11, 12]) github.add(bot, `${marker(run)}old`);
    expect(await put()).toBe('updated');
    expect(bodies()).toEqual([`${marker(20)}report`]);
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])('two concurrent runs leave one comment, the newer one (%i)', async (seed) => {
  // Answers come in another order for each seed.
  let random = seed * 2_654_435_761;
  github.before = async () => {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    await new Promise((resolve) => setTimeout(resolve, random % 7));
  };
  await Promise.all([put({ number: 20, body: 'older' }), put({ number: 21, body: 'newer' })]);
  expect(own()).toHaveLength(1);
  expect(bodies()).toEqual([`${marker(21)}newer`]);
});

describe('errors from GitHub', () => {
  const answer = (status: number, message: string, headers: Record<string, string> = {}): Answer => ({
    status,
    body: error(message),
    headers,
  });
  /** Gives these answers first, to requests of one kind. */
  const answerFirst = (kind: string, ...answers: Answer[]) => {
    github.intercept = (request) => (request === kind ? answers.shift() : undefined);
  };
  const secondary = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';

  test.each([
    ['502, once', list, [answer(502, 'Server Error')]],
    ['502, three times', create, [answer(502, 'x'), answer(502, 'x'), answer(502, 'x')]],
    ['429 with Retry-After', create, [answer(429, 'Too many requests', { 'retry-after': '3' })]],
    ['a secondary rate limit, 403', create, [answer(403, secondary, { 'retry-after': '5' })]],
    ['a secondary rate limit, 429', create, [answer(429, secondary, { 'retry-after': '5' })]],
  ])('%s: the request is retried', async (_, kind, answers) => {
    answerFirst(kind, ...answers);
    expect(await put()).toBe('created');
    expect(own()).toHaveLength(1);
    expect(github.requests.filter((request) => request === kind).length).toBeGreaterThan(answers.length);
  });

  test('the wait is as long as Retry-After says', async () => {
    answerFirst(create, answer(429, 'Too many requests', { 'retry-after': '7' }));
    await put();
    expect(said.join()).toContain('7 s');
  });

  test.each([
    ['a read-only token', 403, 'Resource not accessible by integration'],
    ['no such pull request', 404, 'Not Found'],
    ['a locked conversation', 403, 'Unable to create comment because issue is locked.'],
    ['a body it does not take', 422, 'Validation Failed'],
  ])('%s: an error, without a retry', async (_, status, message) => {
    github.intercept = (request) => (request === create ? answer(status, message) : undefined);
    await expect(put()).rejects.toMatchObject({ status });
    expect(github.requests.filter((request) => request === create)).toHaveLength(1);
  });

  test.each([
    ['a rate limit of an hour', answer(429, secondary, { 'retry-after': '3600' })],
    ['a plain 429 of an hour', answer(429, 'Too many requests', { 'retry-after': '3600' })],
    [
      'an exhausted quota',
      answer(403, 'API rate limit exceeded', {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 3600),
      }),
    ],
  ])('%s: an error, without waiting', async (_, refused) => {
    github.intercept = (request) => (request === create ? refused : undefined);
    await expect(put()).rejects.toMatchObject({ status: refused.status });
    expect(said.join()).toContain('too long');
  });

  test('endless server errors: an error after four tries', async () => {
    github.intercept = (request) => (request === list ? answer(502, 'Server Error') : undefined);
    await expect(put()).rejects.toMatchObject({ status: 502 });
    expect(github.requests.filter((request) => request === list)).toHaveLength(4);
  });

  test.each([
    ['403', answer(403, 'no GraphQL here')],
    ['an error of GraphQL', { status: 200, body: { errors: [{ type: 'FORBIDDEN', message: 'not accessible' }] } }],
  ])('that may not ask for its own user (%s) assumes that of GITHUB_TOKEN', async (_, refused) => {
    github.intercept = (request) => (request === 'POST /graphql' ? refused : undefined);
    github.add(bot, `${marker(10)}old`);
    expect(await put()).toBe('updated');
  });

  test.each([
    ['502', answer(502, 'Server Error')],
    ['a limit', { status: 200, body: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] } }],
  ])(
    'that could not ask for its own user (%s) writes nothing, because its comments may be an app’s',
    async (_, refused) => {
      github.intercept = (request) => (request === 'POST /graphql' ? refused : undefined);
      github.add('app[bot]', `${marker(10)}old`);
      await expect(put()).rejects.toThrow();
      expect(github.comments).toHaveLength(1);
    },
  );
});

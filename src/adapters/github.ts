// Adapter: GitHub's REST interface: the comments of a pull request, and which pull request a commit is of.

import { Octokit } from '@octokit/core';
import type { OctokitOptions } from '@octokit/core/types';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { RequestError } from '@octokit/request-error';
import Bottleneck from 'bottleneck/light.js';
import type { HeadOfPullRequest } from '../publish/comment-request.ts';
import type { IssueComment, IssueComments } from '../publish/sticky-comment.ts';
import type { Log } from './log.ts';

export interface PullRequest {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
}

export interface GitHubOptions {
  /** `https://api.github.com`, or a GitHub Enterprise Server's. */
  readonly apiUrl: string;
  readonly token: string;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Of a second that is waited before trying again; for tests. Default 1000. */
  readonly secondMs?: number;
}

/** GitHub may ask to wait for an hour, in which a runner costs money and nothing happens. */
const longestWaitS = 60;
const mostRetries = 3;
/** Who GITHUB_TOKEN speaks for. */
const actionsBot = 'github-actions[bot]';

/** Whether to wait this long, after so many times. */
type AskAgain = (seconds: number, count: number) => boolean;

/**
 * The other plugins know a rate limit by its words; one that says nothing but when to come back is as good. Its mark on
 * the error is what `retry` looks at, which has to come after it.
 */
function waitAsAsked(octokit: Octokit, options: OctokitOptions & { askAgain?: AskAgain }): object {
  octokit.hook.error('request', (error, { request }) => {
    if (!(error instanceof RequestError) || error.status !== 429 || /\bsecondary rate\b/i.test(error.message))
      throw error;
    const seconds = Number(error.response?.headers['retry-after'] ?? Number.NaN);
    if (Number.isFinite(seconds) && options.askAgain?.(seconds, Number(request.retryCount ?? 0))) {
      error.request.request = { ...error.request.request, retries: mostRetries, retryAfter: seconds };
    }
    throw error;
  });
  return {};
}

const Client = Octokit.plugin(paginateRest, waitAsAsked, retry, throttling);

/**
 * Requests are paced as GitHub asks, tried again after server errors, and after a rate limit that ends within a minute.
 *
 * @throws RequestError of `@octokit/request-error`, with the status, when GitHub refuses
 */
export function openIssueComments({ owner, repo, number }: PullRequest, options: GitHubOptions): IssueComments {
  const octokit = openClient(options);
  const issue = { owner, repo, issue_number: number };
  return {
    async viewer() {
      try {
        const { viewer } = await octokit.graphql<{ viewer: { login: string } }>('query { viewer { login } }');
        return viewer.login;
      } catch {
        return actionsBot;
      }
    },
    async list() {
      const found = await octokit.paginate('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        ...issue,
        per_page: 100,
      });
      return found.map(toComment);
    },
    async find(id) {
      const found = await orNull(
        octokit.request('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', { owner, repo, comment_id: id }),
      );
      return found === null ? null : toComment(found.data);
    },
    async create(body) {
      const { data } = await octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        ...issue,
        body,
      });
      return toComment(data);
    },
    async update(id, body) {
      const place = { owner, repo, comment_id: id };
      const done = await orNull(
        octokit.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { ...place, body }),
      );
      return done !== null;
    },
    async remove(id) {
      const place = { owner, repo, comment_id: id };
      await orNull(octokit.request('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', place));
    },
  };
}

/**
 * The open pull request whose head a commit is.
 *
 * @returns its number; null where there is none, or the branch has gone on since
 */
export async function findPullRequest(
  { owner, repo }: Pick<PullRequest, 'owner' | 'repo'>,
  head: HeadOfPullRequest,
  options: GitHubOptions,
): Promise<number | null> {
  const found = await openClient(options).paginate('GET /repos/{owner}/{repo}/pulls', {
    ...{ owner, repo, state: 'open', per_page: 100 },
    head: `${head.owner}:${head.branch}`,
  });
  const own = found.find((each) => each.head.sha === head.sha && each.head.user?.login === head.owner);
  return own === undefined ? null : Number(own.number);
}

function openClient({ apiUrl, token, log, signal, secondMs = 1000 }: GitHubOptions) {
  const again = (seconds: number, count: number) => {
    const isShort = seconds <= longestWaitS && count < mostRetries;
    log.progress(`GitHub asks to wait ${seconds} s${isShort ? '' : ', which is too long'}`);
    return isShort;
  };
  const pace = (seconds: number) => new Bottleneck.Group({ maxConcurrent: 1, minTime: seconds * secondMs });
  return new Client({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'bpfgate',
    askAgain: again,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    request: signal === undefined ? {} : { signal },
    retry: {
      retryAfterBaseValue: secondMs,
      retries: mostRetries,
      doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451],
    },
    throttle: {
      retryAfterBaseValue: secondMs,
      // As the plugin has them, but for the length of a second.
      write: pace(1),
      notifications: pace(3),
      onRateLimit: (seconds, _options, _octokit, count) => again(seconds, count),
      onSecondaryRateLimit: (seconds, _options, _octokit, count) => again(seconds, count),
    },
  });
}

function toComment({ id, body, user }: RawComment): IssueComment {
  return { id: Number(id), author: user?.login ?? '', body: body ?? '' };
}

interface RawComment {
  /** A bigint where no number could hold it. */
  readonly id: number | bigint;
  readonly body?: string | undefined;
  readonly user: { readonly login: string } | null;
}

/** Null where what was asked for is gone. */
async function orNull<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof RequestError && (error.status === 404 || error.status === 410)) return null;
    throw error;
  }
}

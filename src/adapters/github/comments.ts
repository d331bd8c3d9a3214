// Adapter: the comments of a pull request on GitHub, and the pull request of a commit.

import { RequestError } from '@octokit/request-error';
import type { IssueComment, IssueComments } from '../../workflow/sticky-comment.ts';
import type { HeadOfPullRequest } from '../../workflow/workflow-run.ts';
import { type GitHubOptions, openClient, orNull, type Repository } from './client.ts';

export interface PullRequest extends Repository {
  readonly number: number;
}

/** Owner of GITHUB_TOKEN. */
const actionsBot = 'github-actions[bot]';

/**
 * Requests are paced as GitHub asks, and retried after server errors and after a rate limit that ends within a minute.
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
      } catch (error) {
        // After any other failure the owner could be another user, whose comment would not be found and would be made
        // again.
        if (mayNotAsk(error)) return actionsBot;
        throw error;
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

/** The commit of a pull request's branch; null if the token may not know. */
export async function readHead({ owner, repo, number }: PullRequest, options: GitHubOptions): Promise<string | null> {
  const place = { owner, repo, pull_number: number };
  const found = await orNull(openClient(options).request('GET /repos/{owner}/{repo}/pulls/{pull_number}', place));
  return found?.data.head.sha ?? null;
}

/**
 * Finds the open pull request whose head is a commit.
 *
 * @returns its number; null if there is none, or the branch has moved since; `several` if one branch has more than one
 * pull request
 */
export async function findPullRequest(
  { owner, repo }: Repository,
  head: HeadOfPullRequest,
  options: GitHubOptions,
): Promise<number | 'several' | null> {
  const found = await openClient(options).paginate('GET /repos/{owner}/{repo}/pulls', {
    owner,
    repo,
    state: 'open',
    per_page: 100,
    head: `${head.owner}:${head.branch}`,
  });
  const [own, ...others] = found.filter((each) => each.head.sha === head.sha && each.head.user?.login === head.owner);
  if (others.length > 0) return 'several';
  return own === undefined ? null : Number(own.number);
}

/** Whether it is the error of a server on which a workflow's token cannot ask for its owner. */
function mayNotAsk(error: unknown): boolean {
  if (error instanceof RequestError) return error.status === 404 || (error.status === 403 && !isLimit(error));
  const { errors } = error as { readonly errors?: readonly { readonly type?: string }[] };
  return Array.isArray(errors) && errors.length > 0 && errors.every(({ type }) => type === 'FORBIDDEN');
}

function isLimit({ message }: RequestError): boolean {
  return /rate limit/i.test(message);
}

function toComment({ id, body, user }: RawComment): IssueComment {
  return { id: Number(id), author: user?.login ?? '', body: body ?? '' };
}

interface RawComment {
  /** A bigint if a number could not hold it. */
  readonly id: number | bigint;
  readonly body?: string | undefined;
  readonly user: { readonly login: string } | null;
}

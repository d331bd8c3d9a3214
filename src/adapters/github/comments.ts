// Adapter: the comments of a pull request on GitHub, and which pull request a commit is of.

import { RequestError } from '@octokit/request-error';
import type { IssueComment, IssueComments } from '../../publish/sticky-comment.ts';
import type { HeadOfPullRequest } from '../../publish/workflow-run.ts';
import { type GitHubOptions, openClient, orNull, type Repository } from './client.ts';

export interface PullRequest extends Repository {
  readonly number: number;
}

/** Who GITHUB_TOKEN speaks for. */
const actionsBot = 'github-actions[bot]';

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
      } catch (error) {
        // After any other failure it could be somebody else, whose comment would not be found, and another one made.
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

/** The commit that a pull request's branch is at; null where the token may not know. */
export async function readHead({ owner, repo, number }: PullRequest, options: GitHubOptions): Promise<string | null> {
  const place = { owner, repo, pull_number: number };
  const found = await orNull(openClient(options).request('GET /repos/{owner}/{repo}/pulls/{pull_number}', place));
  return found?.data.head.sha ?? null;
}

/**
 * The open pull request whose head a commit is.
 *
 * @returns its number; null where there is none, or the branch has gone on since; `several` where one branch is to be
 * merged into more than one
 */
export async function findPullRequest(
  { owner, repo }: Repository,
  head: HeadOfPullRequest,
  options: GitHubOptions,
): Promise<number | 'several' | null> {
  const found = await openClient(options).paginate('GET /repos/{owner}/{repo}/pulls', {
    ...{ owner, repo, state: 'open', per_page: 100 },
    head: `${head.owner}:${head.branch}`,
  });
  const [own, ...others] = found.filter((each) => each.head.sha === head.sha && each.head.user?.login === head.owner);
  if (others.length > 0) return 'several';
  return own === undefined ? null : Number(own.number);
}

/** What a token of a workflow's is told by servers that let none ask who it speaks for. */
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
  /** A bigint where no number could hold it. */
  readonly id: number | bigint;
  readonly body?: string | undefined;
  readonly user: { readonly login: string } | null;
}

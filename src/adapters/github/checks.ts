// Adapter: check runs on GitHub.

import { type GitHubOptions, openClient, type Repository } from './client.ts';

export interface CheckRun {
  readonly name: string;
  /** Id of the commit it belongs to. */
  readonly headSha: string;
  readonly conclusion: 'success' | 'failure' | 'neutral';
  readonly title: string;
  /** Markdown of at most 65,535 characters. */
  readonly summary: string;
  /** Address of its details. */
  readonly detailsUrl: string;
}

/**
 * Adds a finished check run. GitHub shows the newest of several of one name.
 *
 * @throws RequestError of `@octokit/request-error`, with the status, when GitHub refuses
 */
export async function createCheckRun(
  { owner, repo }: Repository,
  { name, headSha, conclusion, title, summary, detailsUrl }: CheckRun,
  options: GitHubOptions,
): Promise<void> {
  await openClient(options).request('POST /repos/{owner}/{repo}/check-runs', {
    owner,
    repo,
    name,
    conclusion,
    details_url: detailsUrl,
    head_sha: headSha,
    status: 'completed',
    output: { title, summary },
  });
}
